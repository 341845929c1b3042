import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { SignOnDecision } from '../../../management/policies/index.ts';
import { noteSignIn, signInBlockOf } from '../../../management/users/index.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { issueSessionToken } from '../../sessions/changes/issue-session-token.ts';
import type { AuthnPorts } from '../ports.ts';
import type { SignedIn } from '../transactions/authn-answer.ts';
import { countFailureOfClient } from '../transactions/limits.ts';
import { deviceHashOf, type Subject } from '../transactions/transactions.ts';
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
  /** The factor that was proved beside the password, if the policy demands one. */
  readonly factor?: ProvedFactor;
}

export interface ProvedFactor {
  /** The values of `amr` for the factor. */
  readonly amr: readonly string[];
  readonly verifiedAt: Date;
}

/** The caller has locked the user's row and made all checks, also those of a second factor. */
export async function grantSession(
  tx: Tx,
  record: Record,
  context: Context,
  { state, user }: Subject,
  { authenticatedAt, decision, factor, passwordVerifiedAt, rehashed, relayState }: Granted,
): Promise<SignedIn> {
  const signedIn = await noteSignIn(tx, context, user, { state, rehashed, deviceHash: deviceHashOf(context) });
  const { idleMinutes, lifetimeMinutes, usePersistentCookie } = decision;
  const { expiresAt, externalSessionId, sessionToken } = await issueSessionToken(tx, context, {
    userId: user.id,
    idleMinutes,
    lifetimeMinutes,
    usePersistentCookie,
    amr: ['pwd', ...(factor?.amr ?? [])],
    idp: { id: context.orgId, type: 'INTERNAL' },
    passwordVerifiedAt,
    ...(authenticatedAt === undefined ? {} : { authenticatedAt }),
    ...(factor === undefined ? {} : { factorVerifiedAt: factor.verifiedAt }),
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

/** Tells whether a decision admits the user, with or without a second factor. Words of later versions admit nobody. */
export const admitsSignIn = ({ access }: SignOnDecision): boolean => access === 'ALLOW' || access === 'CHALLENGE';

/** Throws if the sign-on policy denies the sign-in, and records the refusal. Call this before changing anything. */
export async function assertAllowed(
  ports: AuthnPorts,
  context: Context,
  { user }: Subject,
  decision: SignOnDecision,
): Promise<void> {
  if (admitsSignIn(decision)) return;
  await ports.users.work(context, async (tx, record) => {
    record(signOnEvaluated(user, decision));
    record(signInFailed(user, 'POLICY_DENIED'));
    await countFailureOfClient(tx, record, context, user.login);
  });
  throw authenticationFailed();
}
