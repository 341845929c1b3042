import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange, userChange } from '../records/change-details.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import { removeUser } from '../store.ts';
import { userTarget, userVersion } from '../wire.ts';
import { applyStatusChange, eventOf } from './change-status.ts';
import { deletionOf } from './lifecycle.ts';
import { mailAdministrator } from './mail-administrator.ts';

/** Deletes a deactivated user, and deactivates any other user (contract section 4). */
export async function deleteUser(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  { sendEmail }: { readonly sendEmail: boolean },
): Promise<void> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  await ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    if (deletionOf(user.status) === 'deactivate') {
      const changed = await applyStatusChange(ports, tx, context, user, 'deactivate');
      record({ eventType: eventOf('deactivate'), target: [accountChange([user, changed])] });
      if (sendEmail) await mailAdministrator(ports, tx, context, 'deactivation', user);
      return;
    }
    await ports.assertNotLastSuperAdmin(tx, context.orgId, user.id);
    await ports.leaveGroups(tx, context, record, user);
    await removeUser(tx, context.orgId, user.id);
    record({ eventType: eventOf('delete'), target: [userChange([user, null])] });
    record({ eventType: 'user.lifecycle.delete.completed', target: [userTarget(user)] });
  });
}
