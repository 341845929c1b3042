import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { endRolesOfGroup } from '../../roles/index.ts';
import type { GroupsPorts } from '../ports.ts';
import { findGroupForDeletion, removeGroup } from '../store.ts';
import { groupChange, groupVersion } from '../wire.ts';
import { assertCovered, assertHoldsRolesOf, assertLeavesNobodyOut, assertOurs } from './guards.ts';

export async function deleteGroup(ports: GroupsPorts, context: Context, grant: Grant, groupId: string): Promise<void> {
  assertCovered(grant, groupId);
  await ports.work(context, async (tx, record) => {
    const group = await findGroupForDeletion(tx, context.orgId, groupId);
    if (group === undefined) throw notFound(groupId, 'UserGroup');
    assertOurs(group);
    assertVersion(context, groupVersion(group));
    await assertHoldsRolesOf(tx, context, groupId);
    assertLeavesNobodyOut(context, groupId);
    await ports.beforeDelete(tx, context, record, group);
    await endRolesOfGroup(tx, context, record, groupId);
    await removeGroup(tx, context.orgId, groupId);
    record({ eventType: 'group.lifecycle.delete', target: [groupChange([group, null])] });
  });
}
