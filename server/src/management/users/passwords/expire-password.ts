import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { eventOf, movedTo } from '../lifecycle/change-status.ts';
import { nextStatus, refusalOf } from '../lifecycle/lifecycle.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange, passwordChange } from '../records/change-details.ts';
import { getUser } from '../records/get-user.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import type { UserRow } from '../records/user-row.ts';
import { updateUser } from '../store.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { hashFor, keepsSessions, ownerOf, providerAfter } from './password-changes.ts';
import { storePassword } from './password-store.ts';
import { generateTempPassword } from './temp-password.ts';

/** Expires the password, so that the user must change it at the next sign-in. */
export async function expirePassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
): Promise<UserRow> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    const status = nextStatus(lifecycleUserOf(user), 'expirePassword') ?? user.status;
    const after = movedTo(user, status, context);
    const changed = after === user ? user : await updateUser(tx, context.orgId, user, after);
    record({ eventType: eventOf('expirePassword'), target: [accountChange([user, changed])] });
    return changed;
  });
}

/** Sets an expired temporary password. Only the result of this function contains it. */
export async function expirePasswordWithTempPassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  options: { readonly revokeSessions?: boolean | undefined },
): Promise<{ tempPassword: string }> {
  const seen = await getUser(ports, context, grant, idOrLogin);
  // An early refusal saves hashing a password. The status is checked again under the lock.
  const early = refusalOf(lifecycleUserOf(seen), 'expirePasswordWithTempPassword');
  if (early !== null) throw early;
  const policy = await ports.passwordPolicyFor(context.orgId, seen);
  const tempPassword = generateTempPassword(policy, ownerOf(seen));
  const password = await hashFor(ports, context, tempPassword);
  await ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, seen.id);
    assertVersion(context, userVersion(user));
    const status = nextStatus(lifecycleUserOf(user), 'expirePasswordWithTempPassword') ?? user.status;
    await storePassword(tx, context.orgId, user.id, password, context.now, {
      historyCount: policy.age.historyCount,
      keepsSessions: keepsSessions(user, options.revokeSessions),
    });
    const now = wholeSecond(context.now);
    const dates = { passwordChangedAt: now, lastUpdatedAt: now };
    const after = { ...movedTo(user, status, context), ...providerAfter(user), ...dates };
    const changed = await updateUser(tx, context.orgId, user, after);
    record({ eventType: eventOf('expirePasswordWithTempPassword'), target: [passwordChange([user, changed])] });
  });
  return { tempPassword };
}
