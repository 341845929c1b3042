import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { SignOnDecision } from '../../../management/policies/index.ts';
import {
  assumeSubject,
  canAssume,
  countFailure,
  expireOldPassword,
  hashFor,
  noteProvedPassword,
  ownsPassword,
  type PasswordPolicy,
  signInBlockOf,
  slowestProof,
} from '../../../management/users/index.ts';
import { canBePassword, type StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { assuming, type Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { completeFirstFactor } from '../factors/complete-first-factor.ts';
import type { AuthnPorts } from '../ports.ts';
import { MAXIMUM_LOGIN_CHARACTERS, passwordAgeOf } from '../rules.ts';
import type { AuthnAnswer } from '../transactions/authn-answer.ts';
import { admitAttempt, admitImpossible, countFailureOfClient, countImpossible } from '../transactions/limits.ts';
import { actingAs, beginTransaction, deviceHashOf, lockSubject, type Subject } from '../transactions/transactions.ts';
import { admitsSignIn, authenticationFailed, decideSignOn, refusalOfSubject } from './complete-sign-in.ts';
import {
  passwordProved,
  type RefusalReason,
  signInFailed,
  signOnEvaluated,
  unknownActor,
  unknownSignInFailed,
} from './sign-in-events.ts';
import { type VerifiedPassword, verifyPassword } from './verify-password.ts';

export interface PasswordSignIn {
  readonly username: string;
  readonly password: string;
  readonly warnBeforePasswordExpired: boolean;
  readonly relayState: string | null;
}

interface Attempt extends PasswordSignIn {
  readonly seen: Subject;
  readonly policy: PasswordPolicy;
  readonly verified: VerifiedPassword;
}

/** The results of work that must be done outside of transactions. */
interface Preparation {
  readonly decision: SignOnDecision;
  readonly rehashed: StoredPassword | null;
}

/**
 * `unprepared` means that the state under the lock requires preparation after all. `expired` means that the password
 * was too old, so the decision must be repeated with the status PASSWORD_EXPIRED.
 */
type Outcome = AuthnAnswer | 'refused' | 'unprepared' | 'expired';

async function refuseUnknown(ports: AuthnPorts, context: Context, username: string): Promise<'refused'> {
  const unknown = { ...context, actor: unknownActor(username) };
  await ports.users.work(unknown, async (tx, record) => {
    record(unknownSignInFailed(username));
    await countFailureOfClient(tx, record, unknown, username);
  });
  return 'refused';
}

/**
 * A string that cannot be a password counts as a failure only for the client's address. It costs no hash, so it must
 * not be a cheap way to reach other limits or to lock a user out.
 */
async function refuseImpossible(ports: AuthnPorts, context: Context, username: string): Promise<never> {
  await admitImpossible(ports, context);
  const unknown = { ...context, actor: unknownActor(username) };
  await ports.users.work(unknown, async (tx, record) => {
    record(unknownSignInFailed(username));
    await countImpossible(tx, record, unknown);
  });
  throw authenticationFailed();
}

async function prepare(ports: AuthnPorts, context: Context, attempt: Attempt): Promise<Preparation> {
  const decision = await decideSignOn(ports, context, attempt.seen.user.id);
  const rehashes = attempt.verified.needsRehash && admitsSignIn(decision);
  return { decision, rehashed: rehashes ? await hashFor(ports.users, context, attempt.password) : null };
}

/** An expired password is no reason for a refusal, because the next step is to change it. */
const refusalOf = (subject: Subject): RefusalReason | null => {
  const status = subject.user.status;
  const isExpired = status === 'PASSWORD_EXPIRED' && admits('changeExpiredPassword', { user: { status } }) === null;
  if (!isExpired) return refusalOfSubject(subject);
  const hold = signInBlockOf(subject.state);
  if (hold === null) return null;
  return hold === 'FAILED_ATTEMPTS' ? 'LOCKED_OUT' : 'UNKNOWN_DEVICE_BLOCKED';
};

/** A password that was changed after the verification counts as wrong. */
const isProved = ({ seen, verified }: Attempt, { state }: Subject): boolean =>
  verified.isRight && state.password !== null && state.ordinal === seen.state.ordinal;

async function refuse(
  ports: AuthnPorts,
  tx: Tx,
  record: Record,
  context: Context,
  attempt: Attempt,
  subject: Subject,
  reason: RefusalReason,
): Promise<Outcome> {
  record(signInFailed(subject.user, reason));
  if (reason === 'INVALID_CREDENTIALS') {
    await countFailure(ports.users, tx, record, context, { ...subject, policy: attempt.policy });
  }
  await countFailureOfClient(tx, record, context, attempt.username);
  const isShown = reason === 'LOCKED_OUT' && attempt.policy.lockout.showLockoutFailures;
  return isShown ? { status: 'LOCKED_OUT' } : 'refused';
}

/** The caller has verified that the password is right and that the policy allows the sign-in. */
async function admit(
  ports: AuthnPorts,
  tx: Tx,
  record: Record,
  context: Context,
  attempt: Attempt,
  subject: Subject,
  prepared: Preparation,
): Promise<Outcome> {
  const { policy, relayState, warnBeforePasswordExpired } = attempt;
  const { user } = subject;
  const { decision, rehashed } = prepared;
  const age = passwordAgeOf(policy.age, ownsPassword(user) ? user.passwordChangedAt : null, context.now);
  if (age.kind === 'tooOld' && user.status === 'ACTIVE') {
    await expireOldPassword(tx, record, context, user);
    return 'expired';
  }
  record(signOnEvaluated(user, decision));
  // A password alone does not change itself where the policy demands more.
  const isWarned = warnBeforePasswordExpired && age.kind === 'endsSoon' && decision.access === 'ALLOW';
  if (user.status === 'ACTIVE' && !isWarned) {
    const granted = { decision, rehashed, relayState, passwordVerifiedAt: context.now };
    return completeFirstFactor(ports, tx, record, context, subject, { ...granted, policy, origin: 'password' });
  }
  const isUnknownDevice = !subject.state.isKnownDevice;
  noteProvedPassword(tx, context.orgId, user.id, { lastLoginAt: null, rehashed: null, isUnknownDevice });
  record(passwordProved(user));
  const status = user.status === 'ACTIVE' ? 'PASSWORD_WARN' : 'PASSWORD_EXPIRED';
  return beginTransaction(tx, context, subject, policy, {
    status,
    cause: 'SIGN_IN',
    relayState,
    tokenExpiresAt: null,
    passwordExpireDays: status === 'PASSWORD_WARN' && isWarned ? age.days : null,
  });
}

type FindSubject = (tx: Tx, record: Record) => Promise<Subject | null>;

const decide = (
  ports: AuthnPorts,
  context: Context,
  attempt: Attempt,
  prepared: Preparation | null,
  find: FindSubject,
): Promise<Outcome> =>
  ports.users.work(context, async (tx, record): Promise<Outcome> => {
    const subject = await find(tx, record);
    if (subject === null) {
      record(unknownSignInFailed(attempt.username));
      await countFailureOfClient(tx, record, context, attempt.username);
      return 'refused';
    }
    const refusal = refusalOf(subject);
    if (refusal !== null) return refuse(ports, tx, record, context, attempt, subject, refusal);
    if (!isProved(attempt, subject)) return refuse(ports, tx, record, context, attempt, subject, 'INVALID_CREDENTIALS');
    if (prepared === null) return 'unprepared';
    if (admitsSignIn(prepared.decision)) return admit(ports, tx, record, context, attempt, subject, prepared);
    record(signOnEvaluated(subject.user, prepared.decision));
    return refuse(ports, tx, record, context, attempt, subject, 'POLICY_DENIED');
  });

/**
 * The maximum number of decisions under the lock. A decision that lacks its preparation or marks the password as
 * expired is repeated.
 */
const MAXIMUM_ROUNDS = 3;

/** Decides under the user's lock, which costs an additional round trip. */
async function settleLocked(
  ports: AuthnPorts,
  context: Context,
  attempt: Attempt,
  given: Preparation | null,
): Promise<AuthnAnswer | 'refused'> {
  const find: FindSubject = (tx, record) => lockSubject(tx, record, context, attempt.seen.user.id, attempt.policy);
  let prepared = given;
  for (let round = 0; round < MAXIMUM_ROUNDS; round += 1) {
    const outcome = await decide(ports, context, attempt, prepared, find);
    if (outcome !== 'unprepared' && outcome !== 'expired') return outcome;
    prepared ??= await prepare(ports, context, attempt);
  }
  return 'refused';
}

async function settle(ports: AuthnPorts, context: Context, attempt: Attempt): Promise<AuthnAnswer | 'refused'> {
  const { seen, verified } = attempt;
  // Preparation takes measurable time, so it runs only if the password is right and the user may sign in.
  const leadsOn = verified.isRight && refusalOf(seen) === null;
  if (!leadsOn) return settleLocked(ports, context, attempt, null);
  const prepared = await prepare(ports, context, attempt);
  const locked = () => settleLocked(ports, context, attempt, prepared);
  if (!canAssume(seen)) return locked();
  const assumed: FindSubject = async (tx) => {
    assumeSubject(tx, context.orgId, seen, deviceHashOf(context));
    return seen;
  };
  const outcome = await assuming(() => decide(ports, context, attempt, prepared, assumed), locked);
  return outcome === 'unprepared' || outcome === 'expired' ? locked() : outcome;
}

/**
 * Signs in with a password (contract section 11). The password is verified before the user's state is checked, so that
 * the response time does not reveal that state.
 */
export async function signInWithPassword(
  ports: AuthnPorts,
  context: Context,
  given: PasswordSignIn,
): Promise<AuthnAnswer> {
  const input = { ...given, username: given.username.slice(0, MAXIMUM_LOGIN_CHARACTERS) };
  if (!canBePassword(input.password)) return refuseImpossible(ports, context, input.username);
  const seen = await admitAttempt(ports, context, input.username, deviceHashOf(context));
  const policy = await ports.users.passwordPolicyFor(context.orgId, seen?.user ?? null);
  const slowest = slowestProof(ports.users, context, input.password);
  const verified = await verifyPassword(ports.users, context, seen?.state.password ?? null, input.password);
  const outcome =
    seen === undefined
      ? await refuseUnknown(ports, context, input.username)
      : await settle(ports, actingAs(context, seen.user), { ...input, seen, policy, verified });
  const isRefused = outcome === 'refused' || outcome.status === 'LOCKED_OUT';
  if (isRefused) await slowest.passed();
  if (outcome === 'refused') throw authenticationFailed();
  return outcome;
}
