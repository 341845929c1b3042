import { type AdmissionPath, admits, type LinkMaker, mayStillMake } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, ERRORS } from '../../../kernel/errors/errors.ts';
import {
  autoUnlock,
  countWrongAnswer,
  findSignInState,
  findUserById,
  findUserForUpdate,
  type PasswordPolicy,
  type SignInSubject,
  type UserRow,
  userActor,
  useTokenThatLedTo,
} from '../../../management/users/index.ts';
import { hashSecret, newSecret } from '../../../platform/crypto/secrets.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { type AuthnState, type AuthnStep, allowsStep } from '../lifecycle.ts';
import type { AuthnPorts } from '../ports.ts';
import { type Cause, endOfTransaction, MAXIMUM_WRONG_TRIES, slidingExpiry } from '../rules.ts';
import {
  type AuthnTransaction,
  deleteTransaction,
  type FactorDetails,
  findTransaction,
  findTransactionForUpdate,
  insertTransaction,
  updateTransaction,
} from '../store.ts';
import type { UnderWay } from './authn-answer.ts';

export type Subject = SignInSubject;

/**
 * Returns the SHA-256 of the client's device fingerprint, or null if there is none. Any client can send any fingerprint
 * in a header, so fingerprints from cookies get a prefix with a line break, which no header can contain.
 */
export function deviceHashOf({ client }: Pick<Context, 'client'>): Buffer | null {
  const { deviceFingerprint, isDeviceOfCookie } = client;
  if (deviceFingerprint === null || deviceFingerprint === '') return null;
  return hashSecret(isDeviceOfCookie === true ? `cookie\n${deviceFingerprint}` : deviceFingerprint);
}

/** Makes the user the actor of events, no matter whose credential the request had. */
export const actingAs = (context: Context, user: UserRow): Context => ({ ...context, actor: userActor(user) });

/**
 * Locks a user, reads the sign-in state, and lifts the blocks that `autoUnlock` may lift. Returns null if the user is
 * unknown.
 */
export async function lockSubject(
  tx: Tx,
  record: Record,
  context: Context,
  userId: string,
  policy: PasswordPolicy,
): Promise<Subject | null> {
  // Both statements are sent in one packet. The second one runs under the lock of the first.
  const [user, state] = await Promise.all([
    findUserForUpdate(tx, context.orgId, userId),
    findSignInState(tx, context.orgId, userId, deviceHashOf(context)),
  ]);
  if (user === undefined || state === undefined) return null;
  return autoUnlock(tx, record, context, { user, state }, policy);
}

export function pathOf(cause: Cause, user: UserRow): AdmissionPath {
  if (cause === 'SIGN_IN') return 'changeExpiredPassword';
  if (cause === 'UNLOCK') return 'unlockToken';
  // An activation token starts a recovery only if the user's status is RECOVERY.
  return cause === 'ACTIVATION' && user.status !== 'RECOVERY' ? 'activationToken' : 'recoveryToken';
}

export interface NewTransaction {
  readonly status: AuthnState;
  readonly cause: Cause;
  readonly relayState: string | null;
  /** This member is null if a password started the sign-in. */
  readonly tokenExpiresAt: Date | null;
  readonly maker?: LinkMaker | null;
  /** The number of wrong answers in earlier attempts with the same one-time token. */
  readonly wrongTries?: number;
  readonly passwordExpireDays: number | null;
  readonly factors?: FactorDetails;
}

/** Starts a sign-in of more than one step. Its token is stored as a hash. */
export async function beginTransaction(
  tx: Tx,
  context: Context,
  { state, user }: Subject,
  policy: PasswordPolicy,
  { cause, factors, maker, passwordExpireDays, relayState, status, tokenExpiresAt, wrongTries = 0 }: NewTransaction,
): Promise<UnderWay> {
  const stateToken = newSecret();
  const endsAt = endOfTransaction(context.now, tokenExpiresAt);
  const expiresAt = slidingExpiry(context.now, { cause, endsAt, status });
  const ofLink = maker === undefined ? {} : { maker };
  const limits = { endsAt: endsAt.toISOString(), wrongTries, ordinal: state.ordinal };
  const details = { cause, relayState, ...limits, ...ofLink, ...factors };
  const tokenHash = hashSecret(stateToken);
  await insertTransaction(tx, context.orgId, { tokenHash, userId: user.id, status, expiresAt, details });
  return { status, stateToken, expiresAt, user, policy, cause, passwordExpireDays, relayState, factors: null };
}

export const invalidToken = () => apiError('E0000011');

const wrongState = () => apiError('E0000079', { causes: [ERRORS.E0000079.summary] });

export interface Opened extends Subject {
  readonly transaction: AuthnTransaction;
  readonly policy: PasswordPolicy;
}

/**
 * Tells whether a sign-in is still valid. A valid sign-in has not expired, nothing has voided it, and its user has got
 * neither a new password nor new rights. The maker of a one-time link must still be allowed to make it.
 */
async function stands(db: Db, context: Context, transaction: AuthnTransaction, subject: Subject): Promise<boolean> {
  const { details, expiresAt, isCurrent, userId } = transaction;
  if (expiresAt <= context.now || !isCurrent || details.ordinal !== subject.state.ordinal) return false;
  if (details.cause === 'SIGN_IN' && details.maker === undefined) return true;
  return mayStillMake(db, context.orgId, details.maker ?? null, userId);
}

/** The states of second factors come behind the password, so they admit whom a sign-in with it admits. */
const admissionOf = ({ transaction, user }: Pick<Opened, 'transaction' | 'user'>): AdmissionPath =>
  transaction.status.startsWith('MFA_') ? 'passwordSignIn' : pathOf(transaction.details.cause, user);

export const isAdmitted = (opened: Pick<Opened, 'transaction' | 'user'>): boolean =>
  admits(admissionOf(opened), { user: { status: opened.user.status } }) === null;

/** Finds a sign-in, and checks that it is valid and that the step is due. */
export async function openTransaction(
  { users }: AuthnPorts,
  context: Context,
  stateToken: string,
  step: AuthnStep,
): Promise<Opened> {
  const transaction = await findTransaction(users.db, context.orgId, hashSecret(stateToken));
  if (transaction === undefined) throw invalidToken();
  const { userId } = transaction;
  const [user, state] = await Promise.all([
    findUserById(users.db, context.orgId, userId),
    findSignInState(users.db, context.orgId, userId, deviceHashOf(context)),
  ]);
  if (user === undefined || state === undefined) throw invalidToken();
  const isStanding = await stands(users.db, context, transaction, { user, state });
  if (!isStanding || !isAdmitted({ transaction, user })) throw invalidToken();
  if (!allowsStep(transaction.status, step)) throw wrongState();
  return { transaction, user, state, policy: await users.passwordPolicyFor(context.orgId, user) };
}

/**
 * Locks the user and then the sign-in, and repeats the checks, except for the check of the user's status. Returns null
 * if the sign-in is no longer valid or the step is not due.
 */
export async function lockOpened(
  tx: Tx,
  record: Record,
  context: Context,
  opened: Opened,
  step: AuthnStep,
): Promise<Opened | null> {
  const { policy } = opened;
  const subject = await lockSubject(tx, record, context, opened.user.id, policy);
  if (subject === null) return null;
  const { tokenHash } = opened.transaction;
  const transaction = await findTransactionForUpdate(tx, context.orgId, tokenHash);
  if (transaction === undefined || !allowsStep(transaction.status, step)) return null;
  return (await stands(tx, context, transaction, subject)) ? { ...subject, transaction, policy } : null;
}

/** Locks as `lockOpened` does, and also returns null if the user's status no longer admits them. */
export async function lockAdmitted(
  tx: Tx,
  record: Record,
  context: Context,
  opened: Opened,
  step: AuthnStep,
): Promise<Opened | null> {
  const locked = await lockOpened(tx, record, context, opened, step);
  return locked !== null && isAdmitted(locked) ? locked : null;
}

export async function endTransaction(tx: Tx, context: Context, { transaction, user }: Opened): Promise<void> {
  const { tokenHash } = transaction;
  await deleteTransaction(tx, context.orgId, tokenHash);
  await useTokenThatLedTo(tx, context.orgId, { userId: user.id, stateTokenHash: tokenHash });
}

/** The last allowed try ends the sign-in and consumes the one-time token, if one led to it. */
export async function countWrongTry(tx: Tx, context: Context, opened: Opened): Promise<void> {
  const { transaction, user } = opened;
  const wrongTries = transaction.details.wrongTries + 1;
  if (wrongTries >= MAXIMUM_WRONG_TRIES) return endTransaction(tx, context, opened);
  await countWrongAnswer(tx, context.orgId, { userId: user.id, stateTokenHash: transaction.tokenHash });
  const details = { ...transaction.details, wrongTries };
  await updateTransaction(tx, context.orgId, { ...transaction, details });
}

export async function moveTransaction(
  tx: Tx,
  context: Context,
  { transaction }: Opened,
  status: AuthnState,
  factors: FactorDetails = {},
): Promise<AuthnTransaction> {
  const { cause, endsAt } = transaction.details;
  const expiresAt = slidingExpiry(context.now, { cause, endsAt: new Date(endsAt), status });
  const moved = { ...transaction, status, expiresAt, details: { ...transaction.details, ...factors } };
  await updateTransaction(tx, context.orgId, moved);
  return moved;
}
