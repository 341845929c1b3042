import type { Context } from '../../kernel/context.ts';
import { hashSecret, newSecret } from '../../platform/crypto/secrets.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { UsersPorts } from './ports.ts';
import { type RecoveryTokenKind, replaceRecoveryToken } from './sign-in-store.ts';
import type { UserRow } from './user-row.ts';
import { displayNameOf } from './wire.ts';

/** 20 characters of 62: more than 119 bits, the length clients know (contract section 4). */
const TOKEN_CHARACTERS = 20;
const LIFETIME_MINUTES: Readonly<Record<RecoveryTokenKind, number>> = { ACTIVATION: 7 * 24 * 60, PASSWORD_RESET: 60 };

export interface IssuedToken {
  readonly token: string;
  readonly url: string;
}

async function issue(
  tx: Tx,
  context: Context,
  userId: string,
  kind: RecoveryTokenKind,
  path: string,
): Promise<IssuedToken> {
  const token = newSecret(TOKEN_CHARACTERS);
  const expiresAt = new Date(context.now.getTime() + LIFETIME_MINUTES[kind] * 60_000);
  const hash = hashSecret(token);
  await replaceRecoveryToken(tx, context.orgId, { userId, hash, kind, createdAt: context.now, expiresAt });
  return { token, url: `${context.baseUrl}/${path}/${token}` };
}

const mailOf = (user: UserRow, kind: 'activation' | 'passwordReset', url: string) => ({
  kind,
  userId: user.id,
  recipient: user.profile.email,
  displayName: displayNameOf(user.profile),
  url,
});

/** A token by which the user activates the account, mailed or handed to the caller. */
export async function issueActivationToken(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  options: { sendMail: boolean },
): Promise<IssuedToken> {
  const issued = await issue(tx, context, user.id, 'ACTIVATION', 'welcome');
  if (options.sendMail) await ports.queueMail(tx, context, mailOf(user, 'activation', issued.url));
  return issued;
}

/** A token by which the user sets a new password, mailed or handed to the caller. */
export async function issuePasswordResetToken(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  options: { sendMail: boolean; path: 'reset_password' | 'signin/reset-password' },
): Promise<IssuedToken> {
  const issued = await issue(tx, context, user.id, 'PASSWORD_RESET', options.path);
  if (options.sendMail) await ports.queueMail(tx, context, mailOf(user, 'passwordReset', issued.url));
  return issued;
}
