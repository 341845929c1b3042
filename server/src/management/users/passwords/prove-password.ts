import type { Context } from '../../../kernel/context.ts';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { EventType } from '../../../system-log/index.ts';
import { findSignInState } from '../account/sign-in-store.ts';
import { eventOf } from '../lifecycle/change-status.ts';
import { autoUnlock, countFailure, signInBlockOf, withoutDevices } from '../lifecycle/failed-attempts.ts';
import { permits, type UserAction } from '../lifecycle/lifecycle.ts';
import type { UsersPorts } from '../ports.ts';
import { lockUser } from '../records/guards.ts';
import type { PasswordState, UserRow } from '../records/user-row.ts';
import { lifecycleUserOf, userTarget, userVersion } from '../wire.ts';
import { fairnessKeyOf } from './password-changes.ts';
import { type SlowestProof, slowestProof } from './slowest-proof.ts';

export const wrongPassword = (field: string): ApiError =>
  apiError('E0000014', { causes: [`${field}: The credentials provided were incorrect.`] });

async function isRightPassword(
  ports: UsersPorts,
  context: Context,
  state: PasswordState,
  password: string,
): Promise<boolean> {
  if (state.current === null) return false;
  const { ok } = await ports.passwords.verify(state.current, password, fairnessKeyOf(context));
  return ok;
}

export interface PasswordProof {
  readonly user: UserRow;
  readonly state: PasswordState;
  readonly policy: PasswordPolicy;
  readonly action: UserAction;
  readonly password: string;
  /** The member of the request that contains the password. */
  readonly field: string;
  /** The event of a failed attempt; by default, the event of the action. */
  readonly eventType?: EventType;
}

export interface Proof {
  readonly user: UserRow;
  readonly policy: PasswordPolicy;
  readonly action: UserAction;
  readonly isRight: boolean;
  /** The event of a failed attempt; by default, the event of the action. */
  readonly eventType?: EventType;
  readonly reason: 'INVALID_CREDENTIALS' | 'INVALID_ANSWER';
  readonly refusal: ApiError;
  /** The wait before the refusal, which hides how long the verification took. */
  readonly slowest: SlowestProof;
}

/**
 * Accepts a correct credential. Throws `refusal` for a wrong one, which counts towards lockout. While failures block
 * the user, or the user's state does not permit the action, a correct credential is refused in the same way. Otherwise
 * attackers could recognize correct guesses beyond the limit. If If-Match names another version, this function throws
 * 412 E0000231 and counts nothing, because the stored credential may be a newer one.
 */
export async function assertProved(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  { action, eventType = eventOf(action), isRight, policy, reason, refusal, slowest, user: seen }: Proof,
): Promise<void> {
  const isProved = await ports.work(context, async (tx, record) => {
    const locked = await lockUser(ports, tx, context, grant, seen.id);
    assertVersion(context, userVersion(locked));
    const found = await findSignInState(tx, context.orgId, seen.id, null);
    if (found === undefined) return false;
    const read = { user: locked, state: withoutDevices(found) };
    const { state, user } = await autoUnlock(tx, record, context, read, policy);
    if (isRight && signInBlockOf(state) === null && permits(lifecycleUserOf(user), action)) return true;
    record({ eventType, target: [userTarget(user)], outcome: { result: 'FAILURE', reason } });
    await countFailure(ports, tx, record, context, { user, policy, state });
    return false;
  });
  if (isProved) return;
  await slowest.passed();
  throw refusal;
}

/** Verifies a password outside the sign-in page. */
export async function provePassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  { field, password, state, ...proof }: PasswordProof,
): Promise<void> {
  const slowest = slowestProof(ports, context, password);
  const isRight = await isRightPassword(ports, context, state, password);
  const refusal = wrongPassword(field);
  await assertProved(ports, context, grant, { ...proof, isRight, reason: 'INVALID_CREDENTIALS', refusal, slowest });
}
