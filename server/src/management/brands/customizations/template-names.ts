import { notFound } from '../../../kernel/errors/errors.ts';
import type { MailKind } from '../../../platform/mail/index.ts';

export const RECIPIENTS = ['ALL_USERS', 'ADMINS_ONLY', 'NO_USERS'] as const;
export type Recipients = (typeof RECIPIENTS)[number];

interface EmailTemplate {
  readonly kind: MailKind;
  /** The variable for the link that the email must contain. It is null if the email needs no link. */
  readonly link: string | null;
  readonly recipients: readonly Recipients[];
}

/**
 * The keys are the published names. They must stay in alphabetical order, because lists of templates are paged by name.
 */
export const EMAIL_TEMPLATES = {
  AccountLockout: { kind: 'lockout', link: null, recipients: RECIPIENTS },
  ForgotPassword: { kind: 'passwordReset', link: 'resetPasswordLink', recipients: ['ALL_USERS'] },
  SelfServiceUnlock: { kind: 'unlock', link: 'unlockAccountLink', recipients: ['ALL_USERS'] },
  UserActivation: { kind: 'activation', link: 'activationLink', recipients: RECIPIENTS },
} as const satisfies Record<string, EmailTemplate>;
export type EmailTemplateName = keyof typeof EMAIL_TEMPLATES;

export const EMAIL_TEMPLATE_NAMES = Object.keys(EMAIL_TEMPLATES) as EmailTemplateName[];

export function readTemplateName(name: string): EmailTemplateName {
  const found = EMAIL_TEMPLATE_NAMES.find((one) => one === name);
  if (found === undefined) throw notFound(name, 'EmailTemplate');
  return found;
}

const NAMES_BY_KIND = new Map<MailKind, EmailTemplateName>(
  EMAIL_TEMPLATE_NAMES.map((name) => [EMAIL_TEMPLATES[name].kind, name]),
);
export const templateOf = (kind: MailKind): EmailTemplateName | undefined => NAMES_BY_KIND.get(kind);
