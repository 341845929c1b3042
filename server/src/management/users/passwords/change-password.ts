import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { storeOwnPassword } from '../account/self-service.ts';
import { refusalOf } from '../lifecycle/lifecycle.ts';
import type { UsersPorts } from '../ports.ts';
import { getUser } from '../records/get-user.ts';
import { lockUser } from '../records/guards.ts';
import type { UserRow } from '../records/user-row.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { assertAcceptable, assertNotReused, assertOldEnough, changedMeanwhile, hashFor } from './password-changes.ts';
import { findPasswordState } from './password-store.ts';
import { provePassword } from './prove-password.ts';

export interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** Whether the policy's minimum age is enforced. */
  readonly strict: boolean;
  /** Sessions can survive only if this is false (see `keepsSessions`). */
  readonly revokeSessions?: boolean | undefined;
}

/** Changes a password after verifying the old one. */
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
  if (!(await ports.selfServiceFor(context, seen)).mayChangePassword) throw apiError('E0000035');
  const policy = await ports.passwordPolicyFor(context.orgId, seen);
  const state = await findPasswordState(ports.db, context.orgId, seen.id, policy.age.historyCount);
  const proof = { user: seen, state, policy, action: 'changePassword', field: 'oldPassword' } as const;
  await provePassword(ports, context, grant, { ...proof, password: change.oldPassword });
  await assertAcceptable(ports, context, policy, change.newPassword, seen);
  if (change.strict) assertOldEnough(policy, seen, context.now);
  await assertNotReused(ports, context, policy, state, change.newPassword);
  const password = await hashFor(ports, context, change.newPassword);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, seen.id);
    assertVersion(context, userVersion(user));
    const refusal = refusalOf(lifecycleUserOf(user), 'changePassword');
    if (refusal !== null) throw refusal;
    const now = await findPasswordState(tx, context.orgId, seen.id, policy.age.historyCount);
    if (now.ordinal !== state.ordinal) throw changedMeanwhile();
    const { revokeSessions } = change;
    return storeOwnPassword(tx, record, context, user, { password, action: 'changePassword', policy, revokeSessions });
  });
}
