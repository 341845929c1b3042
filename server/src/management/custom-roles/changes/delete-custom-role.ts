import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { CUSTOM_ROLES } from '../store.ts';
import { customRoleChange, customRoleVersion } from '../wire.ts';
import { lockCustomRole } from './lock-custom-role.ts';

/** Deletes a role with all its assignments. */
export function deleteCustomRole(work: Work, context: Context, idOrLabel: string): Promise<void> {
  return work(context, async (tx, record) => {
    const told = await lockCustomRole(tx, context, idOrLabel);
    assertVersion(context, customRoleVersion(told.role));
    await CUSTOM_ROLES.remove(tx, context.orgId, told.role.id);
    record({ eventType: 'iam.role.delete', target: [customRoleChange([told, null], context)] });
  });
}
