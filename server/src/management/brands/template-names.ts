import { notFound } from '../../kernel/errors.ts';
import type { MailKind } from '../../platform/mail/index.ts';

interface EmailTemplate {
  readonly kind: MailKind;
  /** The variable that leads the reader on; without it such a mail is of no use. */
  readonly link: string | null;
}

/** Mails that we send, by their published names, in the order of these. */
export const EMAIL_TEMPLATES = {
  AccountLockout: { kind: 'lockout', link: null },
  ForgotPassword: { kind: 'passwordReset', link: 'resetPasswordLink' },
  SelfServiceUnlock: { kind: 'unlock', link: 'unlockAccountLink' },
  UserActivation: { kind: 'activation', link: 'activationLink' },
} as const satisfies Record<string, EmailTemplate>;
export type EmailTemplateName = keyof typeof EMAIL_TEMPLATES;

export const EMAIL_TEMPLATE_NAMES = Object.keys(EMAIL_TEMPLATES) as EmailTemplateName[];

/** 404 E0000007 for a name that no mail of ours has. */
export function readTemplateName(name: string): EmailTemplateName {
  const found = EMAIL_TEMPLATE_NAMES.find((one) => one === name);
  if (found === undefined) throw notFound(name, 'EmailTemplate');
  return found;
}

const NAMES_BY_KIND = new Map<MailKind, EmailTemplateName>(
  EMAIL_TEMPLATE_NAMES.map((name) => [EMAIL_TEMPLATES[name].kind, name]),
);
export const templateOf = (kind: MailKind): EmailTemplateName | undefined => NAMES_BY_KIND.get(kind);
