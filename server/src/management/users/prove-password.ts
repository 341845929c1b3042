import type { Context } from '../../kernel/context.ts';
import { type ApiError, apiError } from '../../kernel/errors.ts';
import type { Grant } from '../../platform/http/index.ts';
import { eventOf, movedTo } from './change-status.ts';
import { lockUser } from './guards.ts';
import { permits, type UserAction } from './lifecycle.ts';
import { fairnessKeyOf } from './password-changes.ts';
import type { PasswordPolicy } from './password-rules.ts';
import type { UsersPorts } from './ports.ts';
import { countFailedAttempt, noteLockout } from './sign-in-store.ts';
import { updateUser } from './store.ts';
import type { PasswordState, UserRow } from './user-row.ts';
import { lifecycleUserOf, userTarget } from './wire.ts';

export const wrongPassword = (field: string): ApiError =>
  apiError('E0000014', { causes: [`${field}: The credentials provided were incorrect.`] });

/** Whether `password` is the user's; nothing is changed. */
export async function isRightPassword(
  ports: UsersPorts,
  context: Context,
  state: PasswordState,
  password: string,
): Promise<boolean> {
  if (state.current === null) return false;
  const { ok } = await ports.passwords.verify(state.current, password, fairnessKeyOf(context));
  return ok;
}

/**
 * Counts a wrong password where it is asked as proof, and locks the user at the policy's limit: lockout that only the
 * sign-in page knows is no lockout. The refusal is the caller's to throw once this has committed.
 */
export async function countWrongPassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  user: UserRow,
  policy: PasswordPolicy,
  action: UserAction,
): Promise<void> {
  await ports.work(context, async (tx, record) => {
    const locked = await lockUser(ports, tx, context, grant, user.id);
    const attempts = await countFailedAttempt(tx, context.orgId, user.id, context.now);
    const outcome = { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' } as const;
    record({ eventType: eventOf(action), target: [userTarget(locked)], outcome });
    const limit = policy.lockout.maxAttempts;
    if (limit === 0 || attempts < limit || !permits(lifecycleUserOf(locked), 'lockOut')) return;
    await noteLockout(tx, context.orgId, user.id, context.now);
    await updateUser(tx, context.orgId, locked, movedTo(locked, 'LOCKED_OUT', context));
    record({ eventType: eventOf('lockOut'), target: [userTarget(locked)] });
  });
}
