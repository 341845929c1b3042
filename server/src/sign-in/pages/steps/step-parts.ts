import { type Markup, markup } from '../../../platform/pages/index.ts';
import { notice } from '../form-parts.ts';
import { type PageSession, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import type { PasswordFault } from './new-password-fields.ts';

export const STEP_PURPOSE = 'step of a sign-in';

export type StepFault =
  | { readonly kind: 'newPassword'; readonly fault: PasswordFault }
  | { readonly kind: 'answer' | 'mailedCode' }
  | { readonly kind: 'code'; readonly factorId: string | null };

export const STEP_ACTIONS = [
  'activate',
  'answer',
  'cancel',
  'change',
  'enroll',
  'reset',
  'send',
  'skip',
  'verify',
] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

const WRONG = {
  answer: 'recovery.question.wrong',
  code: 'factor.code.wrong',
  mailedCode: 'factor.mail.wrong',
} as const;

export const faultText = ({ view: { t } }: PageSession, fault: StepFault | null): Markup | null => {
  if (fault === null) return null;
  if (fault.kind !== 'newPassword') return notice('bad', t(WRONG[fault.kind]));
  return notice('bad', t(fault.fault.reasons.length === 0 ? 'password.differ' : 'password.refused'));
};

export function formOf(ports: PagesPorts, pageSession: PageSession, fields: Markup, buttons: Markup): Markup {
  const token = tokenField(ports, pageSession, STEP_PURPOSE);
  return markup`<form method="post" action="/signin/step">${token}${fields}${buttons}</form>`;
}

export const actionButton = (action: StepAction, text: string): Markup =>
  markup`<button type="submit" name="action" value="${action}">${text}</button>`;

/** Renders a separate form, because this action must not require the fields of the step's own form. */
export const quietForm = (
  ports: PagesPorts,
  pageSession: PageSession,
  action: StepAction,
  text: string,
  fields: Markup | null = null,
): Markup =>
  markup`<form method="post" action="/signin/step">${tokenField(ports, pageSession, STEP_PURPOSE)}${fields}
<button class="quiet" type="submit" name="action" value="${action}">${text}</button></form>`;

export interface Shown {
  readonly title: string;
  readonly lead: string | null;
  readonly form: Markup;
}
