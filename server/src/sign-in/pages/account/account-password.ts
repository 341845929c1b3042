import { ApiError } from '../../../kernel/errors/errors.ts';
import { changePassword } from '../../../management/users/index.ts';
import { type Answer, clearedSessionCookie } from '../../../platform/http/index.ts';
import { type Markup, type MessageKey, markup, seeOther } from '../../../platform/pages/index.ts';
import { signInWithPassword } from '../../authn/passwords/sign-in-with-password.ts';
import { field, notice, usernameFor } from '../form-parts.ts';
import { type PageRequest, refuseForeignForm, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { continueSignIn, signInAddress } from '../steps/continue-sign-in.ts';
import { newPasswordFields, type PasswordFault } from '../steps/new-password-fields.ts';
import { ACCOUNT_PAGES, type AccountSession, accountPage, formPurpose, openAccountSession } from './account-page.ts';

interface Shown {
  readonly notice: Markup | null;
  readonly isOldWrong?: boolean;
  readonly fault?: PasswordFault | null;
  readonly status?: number;
}

async function passwordPage(ports: PagesPorts, own: AccountSession, shown: Shown): Promise<Answer> {
  const { pageSession, signedIn } = own;
  const { t } = pageSession.view;
  const { users } = ports;
  const { fault = null, isOldWrong = false, status = 200 } = shown;
  const { mayChangePassword } = await users.selfServiceFor(signedIn.context, signedIn.user);
  if (!mayChangePassword) {
    const body = markup`${shown.notice}<p class="panel">${t('account.password.notAllowed')}</p>`;
    return accountPage(ports, own, 'password', { body, status });
  }
  const policy = await users.passwordPolicyFor(signedIn.context.orgId, signedIn.user);
  const current = { name: 'oldPassword', label: t('field.currentPassword'), type: 'password' } as const;
  const token = tokenField(ports, pageSession, formPurpose('password', signedIn));
  const body = markup`${shown.notice}<section class="panel narrow">
<form method="post" action="${ACCOUNT_PAGES.password}">${token}
${usernameFor(signedIn.user.login)}
${field({ ...current, autocomplete: 'current-password', isWrong: isOldWrong, maximum: 1_000 })}
${newPasswordFields(t, policy, { fault, isFirst: false })}
<button type="submit">${t('password.change')}</button></form></section>`;
  return accountPage(ports, own, 'password', { body, status });
}

export async function showPassword(
  ports: PagesPorts,
  request: PageRequest,
  done: 'changed' | undefined,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'password');
  if ('status' in own) return own;
  const told = done === 'changed' ? notice('good', own.pageSession.view.t('account.password.changed')) : null;
  return passwordPage(ports, own, { notice: told });
}

export interface PasswordForm {
  readonly formToken?: string;
  readonly oldPassword?: string;
  readonly newPassword?: string;
  readonly repeatPassword?: string;
}

function refusedPage(ports: PagesPorts, own: AccountSession, error: unknown): Promise<Answer> {
  if (!(error instanceof ApiError)) throw error;
  const { t } = own.pageSession.view;
  const { causes, code, status } = error;
  const told = (key: MessageKey) => notice('bad', t(key));
  const reasons = causes.map(({ reason }) => reason ?? 'ANY');
  if (code === 'E0000014')
    return passwordPage(ports, own, { notice: told('password.wrong'), isOldWrong: true, status });
  if (reasons.includes('PASSWORD_AGE_MINIMUM')) {
    return passwordPage(ports, own, { notice: told('account.password.tooYoung'), status });
  }
  if (code === 'E0000001') {
    return passwordPage(ports, own, { notice: told('password.refused'), fault: { reasons }, status });
  }
  if (code === 'E0000035' || code === 'E0000038') return passwordPage(ports, own, { notice: null, status });
  throw error;
}

/** Signs in again, because changing the password has ended every session, including this one. */
async function signInAnew(
  ports: PagesPorts,
  { pageSession, signedIn }: AccountSession,
  password: string,
): Promise<Answer> {
  const back = `${ACCOUNT_PAGES.password}?done=changed`;
  const attempt = { username: signedIn.user.login, password, warnBeforePasswordExpired: false, relayState: back };
  try {
    return await continueSignIn(ports, pageSession, await signInWithPassword(ports, pageSession.context, attempt));
  } catch (error) {
    if (error instanceof ApiError) return seeOther(signInAddress(back), [clearedSessionCookie()]);
    throw error;
  }
}

export async function submitPassword(ports: PagesPorts, request: PageRequest, form: PasswordForm): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'password');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const purpose = formPurpose('password', signedIn);
  const again = ACCOUNT_PAGES.password;
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: form.formToken, again });
  if (foreign !== null) return foreign;
  const { newPassword = '', oldPassword = '', repeatPassword } = form;
  if (newPassword !== repeatPassword) {
    const told = notice('bad', pageSession.view.t('password.differ'));
    return passwordPage(ports, own, { notice: told, fault: { reasons: [] }, status: 400 });
  }
  try {
    const change = { oldPassword, newPassword, strict: true };
    await changePassword(ports.users, signedIn.context, signedIn.grant, 'me', change);
  } catch (error) {
    return refusedPage(ports, own, error);
  }
  return signInAnew(ports, own, newPassword);
}
