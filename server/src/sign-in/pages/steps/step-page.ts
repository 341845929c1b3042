import type { Answer } from '../../../platform/http/index.ts';
import { markup } from '../../../platform/pages/index.ts';
import type { UnderWay } from '../../authn/transactions/authn-answer.ts';
import { field, usernameFor } from '../form-parts.ts';
import { type PageSession, show, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { factorStep } from './factor-forms.ts';
import { newPasswordFields, type PasswordFault } from './new-password-fields.ts';
import { actionButton, faultText, formOf, quietForm, type Shown, STEP_PURPOSE, type StepFault } from './step-parts.ts';

const newPasswordFault = (fault: StepFault | null): PasswordFault | null =>
  fault?.kind === 'newPassword' ? fault.fault : null;

/**
 * An expired password with which the user has never signed in is probably a one-time password that somebody else set.
 */
const isOneTime = ({ lastLoginAt, passwordChangedAt, status }: UnderWay['user']): boolean =>
  status === 'PASSWORD_EXPIRED' &&
  (lastLoginAt === null || (passwordChangedAt !== null && lastLoginAt < passwordChangedAt));

/** The user has just typed the old password, so the form does not ask for it again. */
function changeForm(ports: PagesPorts, pageSession: PageSession, underWay: UnderWay, fault: StepFault | null): Shown {
  const { t } = pageSession.view;
  const { passwordExpireDays, policy, status, user } = underWay;
  const isWarning = status === 'PASSWORD_WARN';
  const fields = markup`${usernameFor(user.login)}
${newPasswordFields(t, policy, { fault: newPasswordFault(fault), isFirst: true })}`;
  const form = formOf(ports, pageSession, fields, actionButton('change', t('password.change')));
  if (isWarning) {
    const lead = t('password.warn', { days: passwordExpireDays ?? 1 });
    return {
      title: t('password.warn.title'),
      lead,
      form: markup`${form}${quietForm(ports, pageSession, 'skip', t('password.skip'))}`,
    };
  }
  if (isOneTime(user)) return { title: t('password.oneTime.title'), lead: t('password.oneTime'), form };
  return { title: t('password.expired.title'), lead: t('password.expired'), form };
}

function resetForm(
  ports: PagesPorts,
  pageSession: PageSession,
  { policy, user }: UnderWay,
  fault: StepFault | null,
): Shown {
  const { t } = pageSession.view;
  const fields = markup`${usernameFor(user.login)}
${newPasswordFields(t, policy, { fault: newPasswordFault(fault), isFirst: true })}`;
  const form = formOf(ports, pageSession, fields, actionButton('reset', t('password.save')));
  return { title: t('password.new.title'), lead: user.login, form };
}

function questionForm(ports: PagesPorts, pageSession: PageSession, { user }: UnderWay, fault: StepFault | null): Shown {
  const { t } = pageSession.view;
  const answer = { name: 'answer', label: user.recoveryQuestion ?? t('field.answer'), type: 'password' } as const;
  const isWrong = fault?.kind === 'answer';
  const fields = field({ ...answer, autocomplete: 'off', isFirst: true, isWrong, maximum: 100 });
  const form = formOf(ports, pageSession, fields, actionButton('answer', t('link.continue')));
  return { title: t('recovery.question.title'), lead: t('recovery.question'), form };
}

function shownStep(ports: PagesPorts, pageSession: PageSession, underWay: UnderWay, fault: StepFault | null): Shown {
  if (underWay.factors !== null) return factorStep({ ports, pageSession, underWay, fault }, underWay.factors);
  if (underWay.status === 'RECOVERY') return questionForm(ports, pageSession, underWay, fault);
  if (underWay.status === 'PASSWORD_RESET') return resetForm(ports, pageSession, underWay, fault);
  return changeForm(ports, pageSession, underWay, fault);
}

export function stepPage(
  ports: PagesPorts,
  pageSession: PageSession,
  underWay: UnderWay,
  { fault, status }: { readonly fault: StepFault | null; readonly status: number },
): Answer {
  const { t } = pageSession.view;
  const { form, lead, title } = shownStep(ports, pageSession, underWay, fault);
  const cancel = markup`<form method="post" action="/signin/step">${tokenField(ports, pageSession, STEP_PURPOSE)}
<button class="link" type="submit" name="action" value="cancel">${t('recovery.back')}</button></form>`;
  const body = markup`<h1>${title}</h1><p class="lead">${lead}</p>${faultText(pageSession, fault)}${form}${cancel}`;
  return show(pageSession, { title, body, status, formLeavesOrigin: true });
}
