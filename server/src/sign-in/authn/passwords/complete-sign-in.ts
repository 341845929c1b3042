import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { SignOnDecision } from '../../../management/policies/index.ts';
import { noteSignIn, type PasswordPolicy, signInBlockOf } from '../../../management/users/index.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { issueSessionToken } from '../../sessions/changes/issue-session-token.ts';
import type { AuthnPorts } from '../ports.ts';
import type { SignedIn } from '../transactions/authn-answer.ts';
import { countFailureOfClient } from '../transactions/limits.ts';
import { deviceHashOf, lockSubject, type Subject } from '../transactions/transactions.ts';
import { type RefusalReason, signInFailed, signInSucceeded, signOnEvaluated } from './sign-in-events.ts';

/** Returns 401 E0000004, which does not reveal why a sign-in was refused. */
export const authenticationFailed = () => apiError('E0000004');

/**
 * Evaluates the sign-on policy for a user. Call this outside of transactions, because it may read through another
 * connection.
 */
export async function decideSignOn(ports: AuthnPorts, context: Context, userId: string): Promise<SignOnDecision> {
  const zones = await ports.zonesOf(context.orgId, context.client.ipAddress);
  return ports.policies.signOn(context.orgId, { userId, zones });
}

export interface Granted {
  readonly decision: SignOnDecision;
  readonly rehashed: StoredPassword | null;
  readonly relayState: string | null;
  readonly passwordVerifiedAt: Date;
  /**
   * The time of authentication, by the database's clock. It is set only if an earlier request verified the password.
   */
  readonly authenticatedAt?: Date;
}

/** The caller has locked the user's row and made all checks. */
export async function grantSession(
  tx: Tx,
  record: Record,
  context: Context,
  { state, user }: Subject,
  { authenticatedAt, decision, passwordVerifiedAt, rehashed, relayState }: Granted,
): Promise<SignedIn> {
  const signedIn = await noteSignIn(tx, context, user, { state, rehashed, deviceHash: deviceHashOf(context) });
  const { idleMinutes, lifetimeMinutes, usePersistentCookie } = decision;
  const { expiresAt, externalSessionId, sessionToken } = await issueSessionToken(tx, context, {
    userId: user.id,
    idleMinutes,
    lifetimeMinutes,
    usePersistentCookie,
    amr: ['pwd'],
    idp: { id: context.orgId, type: 'INTERNAL' },
    passwordVerifiedAt,
    ...(authenticatedAt === undefined ? {} : { authenticatedAt }),
  });
  record(signInSucceeded(signedIn, externalSessionId));
  return { status: 'SUCCESS', sessionToken, expiresAt, user: signedIn, relayState };
}

export function refusalOfSubject({ state, user }: Subject): RefusalReason | null {
  const refusal = admits('passwordSignIn', { user: { status: user.status } });
  const hold = signInBlockOf(state);
  if (refusal === 'LOCKED_OUT' || hold === 'FAILED_ATTEMPTS') return 'LOCKED_OUT';
  if (refusal !== null) return 'USER_STATUS';
  return hold === null ? null : 'UNKNOWN_DEVICE_BLOCKED';
}

export interface ChangedPassword {
  readonly userId: string;
  /** The ordinal of the new password. A later one in the database means that the password has been changed again. */
  readonly ordinal: number;
  readonly decision: SignOnDecision;
  readonly policy: PasswordPolicy;
  readonly relayState: string | null;
}

/** Signs in with the new password, in a unit of work of its own, because the change voids all earlier credentials. */
export async function signInAfterChange(
  ports: AuthnPorts,
  context: Context,
  { decision, ordinal, policy, relayState, userId }: ChangedPassword,
): Promise<SignedIn> {
  const signedIn = await ports.users.work(context, async (tx, record) => {
    const subject = await lockSubject(tx, record, context, userId, policy);
    if (subject === null) return null;
    const refusal = subject.state.ordinal === ordinal ? refusalOfSubject(subject) : 'INVALID_CREDENTIALS';
    if (refusal !== null) {
      record(signInFailed(subject.user, refusal));
      return null;
    }
    record(signOnEvaluated(subject.user, decision));
    const granted = { decision, rehashed: null, relayState, passwordVerifiedAt: context.now };
    return grantSession(tx, record, context, subject, granted);
  });
  if (signedIn === null) throw authenticationFailed();
  return signedIn;
}

/** Throws if the sign-on policy denies the sign-in, and records the refusal. Call this before changing anything. */
export async function assertAllowed(
  ports: AuthnPorts,
  context: Context,
  { user }: Subject,
  decision: SignOnDecision,
): Promise<void> {
  if (decision.access === 'ALLOW') return;
  await ports.users.work(context, async (tx, record) => {
    record(signOnEvaluated(user, decision));
    record(signInFailed(user, 'POLICY_DENIED'));
    await countFailureOfClient(tx, record, context, user.login);
  });
  throw authenticationFailed();
}
