import { type LinkMaker, linkMakerOf } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { hashSecret, newSecret } from '../../../platform/crypto/secrets.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { UserMail, UsersPorts } from '../ports.ts';
import type { UserRow } from '../records/user-row.ts';
import { displayNameOf, localeOf } from '../wire.ts';
import { type RecoveryTokenKind, replaceRecoveryToken } from './recovery-token-store.ts';

/** The tokens in the contract's examples have this length (section 4). */
const TOKEN_CHARACTERS = 20;
const ACTIVATION_MINUTES = 7 * 24 * 60;
const ADDRESS_MINUTES = 24 * 60;
const MAIL_KINDS = {
  ACTIVATION: 'activation',
  WELCOME: 'activation',
  PASSWORD_RESET: 'passwordReset',
  UNLOCK: 'unlock',
  EMAIL: 'addressProof',
  SECOND_EMAIL: 'addressProof',
} as const;

export interface IssuedToken {
  readonly token: string;
  readonly url: string;
  readonly expiresAt: Date;
}

export interface TokenDelivery {
  readonly sendMail: boolean;
  /** The permission that making the token for another user requires. Null records the service itself as the maker. */
  readonly permission: 'users.create' | 'users.lifecycle.activate' | 'users.credentials.reset' | 'users.unlock' | null;
}

export interface RecoveryDelivery extends TokenDelivery {
  readonly policy: Pick<PasswordPolicy, 'recovery'>;
}

const lifetimeOf = ({ recovery }: RecoveryDelivery['policy']): number => recovery.email.tokenLifetimeMinutes;

async function issue(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  token: TokenDelivery & {
    readonly kind: RecoveryTokenKind;
    readonly path: string;
    readonly lifetimeMinutes: number;
    readonly recipient?: string;
  },
): Promise<IssuedToken> {
  const { kind, lifetimeMinutes, path, permission, sendMail } = token;
  const secret = newSecret(TOKEN_CHARACTERS);
  const expiresAt = new Date(context.now.getTime() + lifetimeMinutes * 60_000);
  // The origin that the caller used may not work for the reader of an email, so emailed links use the canonical origin.
  const origin = sendMail ? context.canonicalUrl : context.baseUrl;
  const issued = { token: secret, url: `${origin}/${path}/${secret}`, expiresAt };
  const mail: UserMail = {
    kind: MAIL_KINDS[kind],
    userId: user.id,
    recipient: token.recipient ?? user.profile.email,
    displayName: displayNameOf(user.profile),
    locale: localeOf(user.profile),
    url: issued.url,
    validMinutes: lifetimeMinutes,
  };
  // If the email was not queued, storing the token would void an earlier token that was sent.
  if (sendMail && (await ports.queueMail(tx, context, mail)) !== 'queued') return issued;
  const maker: LinkMaker = permission === null ? { type: 'SERVICE' } : linkMakerOf(context, user.id, permission);
  const mailedTo = sendMail ? mail.recipient : null;
  const stored = { userId: user.id, kind, createdAt: context.now, expiresAt, maker, mailedTo };
  await replaceRecoveryToken(tx, context.orgId, { ...stored, hash: hashSecret(secret) });
  return issued;
}

export const issueActivationToken = (
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  delivery: TokenDelivery,
): Promise<IssuedToken> => {
  const token = { kind: 'ACTIVATION', path: 'welcome', lifetimeMinutes: ACTIVATION_MINUTES } as const;
  return issue(ports, tx, context, user, { ...delivery, ...token });
};

/**
 * Issues a token for a user whom activation makes ACTIVE at once. Only the caller gets the token. The link sets no
 * password, so that the right to activate users does not become the right to choose their passwords.
 */
export const issueWelcomeToken = (ports: UsersPorts, tx: Tx, context: Context, user: UserRow): Promise<IssuedToken> => {
  const token = { kind: 'WELCOME', path: 'welcome', lifetimeMinutes: ACTIVATION_MINUTES } as const;
  return issue(ports, tx, context, user, { ...token, sendMail: false, permission: 'users.lifecycle.activate' });
};

export const issuePasswordResetToken = (
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  { policy, ...delivery }: RecoveryDelivery & { readonly path: 'reset_password' | 'signin/reset-password' },
): Promise<IssuedToken> =>
  issue(ports, tx, context, user, { ...delivery, kind: 'PASSWORD_RESET', lifetimeMinutes: lifetimeOf(policy) });

export const issueUnlockToken = (
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  { policy, ...delivery }: RecoveryDelivery,
): Promise<IssuedToken> => {
  const token = { kind: 'UNLOCK', path: 'signin/unlock', lifetimeMinutes: lifetimeOf(policy) } as const;
  return issue(ports, tx, context, user, { ...delivery, ...token });
};

/** Issues a token that proves the user's ownership of an address. The token is sent only to that address. */
export const issueAddressToken = (
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  kind: 'EMAIL' | 'SECOND_EMAIL',
  recipient: string,
): Promise<IssuedToken> => {
  const token = { kind, recipient, path: 'signin/address', lifetimeMinutes: ADDRESS_MINUTES } as const;
  return issue(ports, tx, context, user, { ...token, sendMail: true, permission: null });
};
