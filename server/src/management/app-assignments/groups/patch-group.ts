import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { type PatchOperation, patched } from '../profiles/profile-rules.ts';
import { appGroupVersion } from '../users/versions.ts';
import { type AppGroupPlace, lockGroupAssignment, settleGroupAssignment } from './assign-group.ts';
import type { GroupAssignment } from './group-store.ts';
import { readPriority } from './priority-rules.ts';

export function patchGroupAssignment(
  { work }: Pick<AppAssignmentsPorts, 'work'>,
  context: Context,
  grant: Grant,
  place: AppGroupPlace,
  operations: readonly PatchOperation[],
): Promise<GroupAssignment> {
  return work(context, async (tx, record) => {
    const locked = await lockGroupAssignment(tx, context, grant, place);
    if (locked.before === undefined) throw notFound(place.groupId, 'ApplicationGroupAssignment');
    assertVersion(context, appGroupVersion(locked.before));
    const { priority, profile } = patched(locked.before.profile, operations);
    const wanted = { priority: readPriority(priority), profile };
    return settleGroupAssignment(tx, context, record, locked, wanted);
  });
}
