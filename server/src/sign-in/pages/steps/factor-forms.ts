import {
  base32,
  type Factor,
  keyImageOf,
  keyNamesOf,
  keyUriOf,
  kindOf,
  QUESTIONS,
} from '../../../management/factors/index.ts';
import { type Markup, markup } from '../../../platform/pages/index.ts';
import { isMailbox, maskedAddress, type OfferedFactor, type ShownFactors } from '../../authn/factors/shown-factors.ts';
import type { UnderWay } from '../../authn/transactions/authn-answer.ts';
import { field } from '../form-parts.ts';
import type { PageSession } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { actionButton, formOf, quietForm, type Shown, type StepFault } from './step-parts.ts';

/** The name of the product is the same in all languages. */
const GOOGLE = 'Google Authenticator';

interface Asked {
  readonly ports: PagesPorts;
  readonly pageSession: PageSession;
  readonly underWay: UnderWay;
  readonly fault: StepFault | null;
}

const idField = ({ id }: { readonly id: string }): Markup =>
  markup`<input type="hidden" name="factorId" value="${id}">`;

/** Screen readers and phones take the field for that of a one-time code. */
const codeField = ({ fault, pageSession }: Asked): Markup =>
  field({
    name: 'passCode',
    label: pageSession.view.t('factor.code'),
    type: 'text',
    inputMode: 'numeric',
    autocomplete: 'one-time-code',
    isFirst: true,
    isWrong: fault !== null,
    maximum: 20,
  });

function questionForm({ fault, pageSession, ports }: Asked, factor: Factor): Shown {
  const { t } = pageSession.view;
  const label = factor.question === null ? t('field.answer') : QUESTIONS[factor.question];
  const isWrong = fault !== null;
  const answer = field({
    name: 'answer',
    label,
    type: 'password',
    autocomplete: 'off',
    isFirst: true,
    isWrong,
    maximum: 100,
  });
  const form = formOf(
    ports,
    pageSession,
    markup`${idField(factor)}${answer}`,
    actionButton('verify', t('link.continue')),
  );
  return { title: t('factor.code.title'), lead: t('factor.question.lead'), form };
}

/** A user with several apps selects the one that shows the code. */
function appsField({ fault, pageSession: { view } }: Asked, factors: readonly Factor[]): Markup {
  const chosenId = fault !== null && 'factorId' in fault ? fault.factorId : null;
  const isChosen = ({ id }: Factor): Markup | null => (id === chosenId ? markup` selected` : null);
  const nameOf = ({ provider }: Factor): string => (provider === 'OWN' ? view.t('factor.app') : GOOGLE);
  const options = factors.map(
    (factor) => markup`<option value="${factor.id}"${isChosen(factor)}>${nameOf(factor)}</option>`,
  );
  return markup`<div class="field"><label for="factorId">${view.t('factor.choose')}</label>
<select id="factorId" name="factorId">${options}</select></div>`;
}

function codeForm(asked: Asked, factors: readonly Factor[], first: Factor): Shown {
  const { pageSession, ports } = asked;
  const { t } = pageSession.view;
  const chosen = factors.length > 1 ? appsField(asked, factors) : idField(first);
  const form = formOf(
    ports,
    pageSession,
    markup`${chosen}${codeField(asked)}`,
    actionButton('verify', t('link.continue')),
  );
  const app = factors.length > 1 || first.provider === 'OWN' ? t('factor.anyApp') : GOOGLE;
  return { title: t('factor.code.title'), lead: t('factor.code.lead', { app }), form };
}

function mailForm(asked: Asked, factor: OfferedFactor, isSent: boolean): Shown {
  const { pageSession, ports, underWay } = asked;
  const { t } = pageSession.view;
  const address = maskedAddress(underWay.user.profile.email);
  const title = t('factor.code.title');
  if (!isSent) {
    const form = formOf(ports, pageSession, idField(factor), actionButton('send', t('factor.mail.send')));
    return { title, lead: t('factor.mail', { address }), form };
  }
  const fields = markup`${idField(factor)}${codeField(asked)}`;
  const form = markup`${formOf(ports, pageSession, fields, actionButton('verify', t('link.continue')))}
${quietForm(ports, pageSession, 'send', t('factor.mail.again'), idField(factor))}`;
  return { title, lead: t('factor.mail.sent', { address }), form };
}

function enrollForm({ pageSession, ports }: Asked): Shown {
  const { t } = pageSession.view;
  const form = formOf(ports, pageSession, markup``, actionButton('enroll', t('link.continue')));
  return { title: t('factor.enroll.title'), lead: t('factor.enroll'), form };
}

function activateForm(asked: Asked, factor: Factor, secret: Buffer): Shown {
  const { pageSession, ports, underWay } = asked;
  const { context, view } = pageSession;
  const { t } = view;
  const names = keyNamesOf(context, underWay.user.login);
  const key = base32(secret).replaceAll(/.{4}(?=.)/g, '$& ');
  const image = markup`<p><a href="${keyUriOf(secret, names)}"><img class="key" src="${keyImageOf(secret, names)}"
 alt="${t('factor.activate.image')}"></a></p><p>${t('factor.activate.key')}: <code>${key}</code></p>`;
  const fields = markup`${image}${idField(factor)}${codeField(asked)}`;
  const form = formOf(ports, pageSession, fields, actionButton('activate', t('link.continue')));
  return { title: t('factor.enroll.title'), lead: t('factor.activate'), form };
}

function choiceForm(asked: Asked, factors: readonly OfferedFactor[]): Shown {
  const own = factors.flatMap((factor) => (isMailbox(factor) ? [] : [factor]));
  const withCodes = own.filter((factor) => kindOf(factor).proof === 'passCode');
  const [first] = withCodes;
  if (first !== undefined) return codeForm(asked, withCodes, first);
  const [question] = own;
  if (question !== undefined) return questionForm(asked, question);
  const [mailbox] = factors;
  if (mailbox === undefined) throw new Error('a sign-in asks for no factor');
  return mailForm(asked, mailbox, false);
}

/** Tells whether the page of a choice asks for a code, and not for the answer to a question. */
export const asksForCode = (factors: readonly OfferedFactor[]): boolean =>
  factors.some((factor) => isMailbox(factor) || kindOf(factor).proof === 'passCode');

/** Renders a step of second factors. */
export function factorStep(asked: Asked, shown: ShownFactors): Shown {
  if (shown.kind === 'choice') return choiceForm(asked, shown.factors);
  if (shown.kind === 'enrollment') return enrollForm(asked);
  if (shown.kind === 'activation') return activateForm(asked, shown.factor, shown.secret);
  return isMailbox(shown.factor) ? mailForm(asked, shown.factor, true) : choiceForm(asked, [shown.factor]);
}
