import type { Context } from '../../../kernel/context.ts';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { EventType } from '../../../system-log/index.ts';
import { findSignInState } from '../account/sign-in-store.ts';
import { eventOf } from '../lifecycle/change-status.ts';
import { autoUnlock, countFailure, holdOf, withoutDevices } from '../lifecycle/failed-attempts.ts';
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

/** What is proved, of whom, and for which operation. */
export interface PasswordProof {
  readonly user: UserRow;
  readonly state: PasswordState;
  readonly policy: PasswordPolicy;
  readonly action: UserAction;
  readonly password: string;
  /** Where the request gives it: named by the refusal. */
  readonly field: string;
  /** Of what a wrong one is told, where it is not the action's own event. */
  readonly eventType?: EventType;
}

/** The proof of a credential, verified but not yet believed. */
export interface Proof {
  readonly user: UserRow;
  readonly policy: PasswordPolicy;
  readonly action: UserAction;
  readonly isRight: boolean;
  /** Of what a wrong one is told; the action's own unless given. */
  readonly eventType?: EventType;
  /** Of the event that tells of a wrong one. */
  readonly reason: 'INVALID_CREDENTIALS' | 'INVALID_ANSWER';
  /** Thrown then, */
  readonly refusal: ApiError;
  /** and not before this has passed. */
  readonly slowest: SlowestProof;
}

/**
 * Lets a right proof pass. A wrong one counts towards lockout: lockout that only the sign-in page knows is no
 * lockout. A right one is refused alike when failures hold the user, also when the lock fell while it was verified;
 * otherwise a guess too many could still be told from the others. A client that knows an older version of the user is
 * told that instead, and nothing is counted: what was proved or compared may be the credential of that change.
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
    if (isRight && holdOf(state) === null && permits(lifecycleUserOf(user), action)) return true;
    record({ eventType, target: [userTarget(user)], outcome: { result: 'FAILURE', reason } });
    await countFailure(ports, tx, record, context, { user, policy, state });
    return false;
  });
  if (isProved) return;
  await slowest.passed();
  throw refusal;
}

/** Proves a password where it is asked besides signing in. 403 E0000014 for a wrong one. */
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
