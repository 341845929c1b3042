import { admits, hasGainedRights, mayStillMake } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import {
  findRecoveryToken,
  findUserById,
  noteLedTo,
  noteProvedEmail,
  type PasswordPolicy,
  type RecoveryToken,
  type SelfService,
  type StoredRecoveryToken,
  unlockOwnAccount,
  useRecoveryToken,
} from '../../../management/users/index.ts';
import { hashSecret } from '../../../platform/crypto/secrets.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { tokenRefused } from '../passwords/sign-in-events.ts';
import type { AuthnPorts } from '../ports.ts';
import { type Cause, minutesAfter } from '../rules.ts';
import { deleteTransaction } from '../store.ts';
import type { UnderWay, Unlocked } from '../transactions/authn-answer.ts';
import { admitGuess, countFailureOfClient } from '../transactions/limits.ts';
import {
  actingAs,
  beginTransaction,
  invalidToken,
  lockSubject,
  pathOf,
  type Subject,
} from '../transactions/transactions.ts';

/** The kinds of tokens that let a user set a password or unlock the account. */
export type SignInTokenKind = Exclude<RecoveryToken['kind'], 'EMAIL' | 'SECOND_EMAIL' | 'WELCOME'>;

const CAUSES: Readonly<{ [Kind in RecoveryToken['kind']]: Cause | null }> = {
  ACTIVATION: 'ACTIVATION',
  WELCOME: null,
  PASSWORD_RESET: 'PASSWORD',
  UNLOCK: 'UNLOCK',
  EMAIL: null,
  SECOND_EMAIL: null,
};

function causeOf({ kind }: RecoveryToken): Cause {
  const cause = CAUSES[kind];
  if (cause === null) throw new Error('a link of this kind signs nobody in');
  return cause;
}

/** The maximum age of an activation token for a user in the status RECOVERY. */
const RECOVERY_MINUTES = 60;

interface Redeemed {
  readonly hash: Buffer;
  readonly token: StoredRecoveryToken;
  readonly policy: PasswordPolicy;
  readonly question: SelfService['question'];
  readonly relayState: string | null;
}

/**
 * A token is no longer good once its maker may no longer make such a token. It also ends when the user gains rights,
 * because it could otherwise make its bearer an administrator.
 */
async function isGood(tx: Tx, context: Context, token: StoredRecoveryToken, { user }: Subject): Promise<boolean> {
  const path = pathOf(causeOf(token), user);
  const isRecovery = token.kind === 'ACTIVATION' && path === 'recoveryToken';
  const endsAt = isRecovery ? minutesAfter(token.createdAt, RECOVERY_MINUTES) : token.expiresAt;
  if (context.now >= endsAt || admits(path, { user: { status: user.status } }) !== null) return false;
  if (hasGainedRights(token)) return false;
  return mayStillMake(tx, context.orgId, token.maker, user.id);
}

/**
 * A token that leads to a further step is not consumed yet, so a user who closes the page can open the link again.
 * Opening it again ends the earlier attempt and keeps the count of wrong answers.
 */
async function redeem(
  tx: Tx,
  record: Record,
  context: Context,
  subject: Subject,
  { hash, policy, question, relayState, token }: Redeemed,
): Promise<UnderWay | Unlocked> {
  const { state, user } = subject;
  if (token.mailedTo !== null) await noteProvedEmail(tx, context.orgId, user.id, token.mailedTo);
  const cause = causeOf(token);
  const isSet = user.recoveryQuestion !== null && state.recoveryAnswer !== null;
  const asks = cause !== 'ACTIVATION' && question !== 'never' && isSet;
  if (token.ledTo !== null) await deleteTransaction(tx, context.orgId, token.ledTo);
  if (cause === 'UNLOCK' && !asks) {
    await useRecoveryToken(tx, context.orgId, hash);
    await unlockOwnAccount(tx, record, context, user);
    return { status: 'UNLOCKED', relayState };
  }
  const underWay = await beginTransaction(tx, context, subject, policy, {
    status: asks ? 'RECOVERY' : 'PASSWORD_RESET',
    cause,
    relayState,
    tokenExpiresAt: token.expiresAt,
    maker: token.maker,
    wrongTries: token.wrongAnswers,
    passwordExpireDays: null,
    factors: { isMailed: token.mailedTo !== null },
  });
  await noteLedTo(tx, context.orgId, hash, hashSecret(underWay.stateToken));
  return underWay;
}

export async function refuseToken(ports: AuthnPorts, context: Context): Promise<never> {
  await ports.users.work(context, async (tx, record) => {
    record(tokenRefused(null));
    await countFailureOfClient(tx, record, context, null);
  });
  throw invalidToken();
}

/** Tells whether a token is a valid WELCOME token. Unlike an ACTIVATION token, it sets no password. */
export async function isWelcome(ports: AuthnPorts, context: Context, token: string): Promise<boolean> {
  await admitGuess(ports, context);
  const found = await findRecoveryToken(ports.users.db, context.orgId, hashSecret(token));
  return found?.kind === 'WELCOME' && found.expiresAt > context.now;
}

export async function redeemToken(
  ports: AuthnPorts,
  given: Context,
  kinds: readonly SignInTokenKind[],
  input: { readonly token: string; readonly relayState: string | null },
): Promise<UnderWay | Unlocked> {
  await admitGuess(ports, given);
  const hash = hashSecret(input.token);
  const { db, work } = ports.users;
  const token = await findRecoveryToken(db, given.orgId, hash);
  if (token === undefined || token.expiresAt <= given.now || !kinds.some((kind) => kind === token.kind))
    return refuseToken(ports, given);
  const user = await findUserById(db, given.orgId, token.userId);
  if (user === undefined) return refuseToken(ports, given);
  const policy = await ports.users.passwordPolicyFor(given.orgId, user);
  const context = actingAs(given, user);
  const { question } = await ports.users.selfServiceFor(context, user);
  const redeemed = { hash, policy, question, relayState: input.relayState };
  const answer = await work(context, async (tx, record) => {
    const subject = await lockSubject(tx, record, context, user.id, policy);
    // The token is read again under the lock, because the token or the user may have changed.
    const current = await findRecoveryToken(tx, context.orgId, hash);
    if (subject !== null && current !== undefined && (await isGood(tx, context, current, subject))) {
      return redeem(tx, record, context, subject, { ...redeemed, token: current });
    }
    record(tokenRefused(user));
    await countFailureOfClient(tx, record, context, null);
    return null;
  });
  if (answer === null) throw invalidToken();
  return answer;
}
