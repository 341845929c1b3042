import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import type { Grant } from '../../platform/http/index.ts';
import { eventOf, movedTo } from './change-status.ts';
import { getUser } from './get-user.ts';
import { lockUser } from './guards.ts';
import { nextStatus, refusalOf } from './lifecycle.ts';
import {
  assertAcceptable,
  assertNotReused,
  assertOldEnough,
  changedMeanwhile,
  hashFor,
  providerAfter,
} from './password-changes.ts';
import type { UsersPorts } from './ports.ts';
import { countWrongPassword, isRightPassword, wrongPassword } from './prove-password.ts';
import { findPasswordState, storePassword, updateUser } from './store.ts';
import type { UserRow } from './user-row.ts';
import { lifecycleUserOf, userTarget } from './wire.ts';

export interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** Asks for the policy's minimum age too; history is always asked. */
  readonly strict: boolean;
}

/**
 * Changes a password whose old value the caller proves. 403 E0000014: wrong old password (counted towards lockout);
 * 403 E0000035: not in this status; 400 E0000001: the new one is refused.
 */
export async function changePassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  change: PasswordChange,
): Promise<UserRow> {
  const seen = await getUser(ports, context, grant, idOrLogin);
  const early = refusalOf(lifecycleUserOf(seen), 'changePassword');
  if (early !== null) throw early;
  const policy = await ports.passwordPolicyFor(context.orgId, seen);
  const state = await findPasswordState(ports.db, context.orgId, seen.id, policy.age.historyCount);
  if (!(await isRightPassword(ports, context, state, change.oldPassword))) {
    await countWrongPassword(ports, context, grant, seen, policy, 'changePassword');
    throw wrongPassword('oldPassword');
  }
  await assertAcceptable(ports, context, policy, change.newPassword, seen);
  if (change.strict) assertOldEnough(policy, seen, context.now);
  await assertNotReused(ports, context, policy, state, change.newPassword);
  const password = await hashFor(ports, context, change.newPassword);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, seen.id);
    const status = nextStatus(lifecycleUserOf(user), 'changePassword') ?? user.status;
    const now = await findPasswordState(tx, context.orgId, seen.id, policy.age.historyCount);
    if (now.ordinal !== state.ordinal) throw changedMeanwhile();
    await storePassword(tx, context.orgId, user.id, password, context.now, policy.age.historyCount);
    const changedAt = wholeSecond(context.now);
    const dates = { passwordChangedAt: changedAt, lastUpdatedAt: changedAt };
    const after = { ...movedTo(user, status, context), ...providerAfter(user), ...dates };
    const changed = await updateUser(tx, context.orgId, user, after);
    record({ eventType: eventOf('changePassword'), target: [userTarget(changed)] });
    return changed;
  });
}
