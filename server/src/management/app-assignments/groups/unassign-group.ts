import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { groupAssignmentTargets } from '../events/change-details.ts';
import { recordGroupAccessChange } from '../events/record-group-access-change.ts';
import { removeOwnOfGroupAlone } from '../links/effective-store.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { appGroupVersion } from '../users/versions.ts';
import { type AppGroupPlace, lockGroupAssignment } from './assign-group.ts';
import { removeGroupAssignment } from './group-store.ts';

/** Takes an app from a group and from the members who have it only through this group. */
export function unassignGroup(
  ports: Pick<AppAssignmentsPorts, 'work'>,
  context: Context,
  grant: Grant,
  place: AppGroupPlace,
): Promise<void> {
  return ports.work(context, async (tx, record) => {
    const { app, before, group } = await lockGroupAssignment(tx, context, grant, place);
    if (before === undefined) throw notFound(place.groupId, 'ApplicationGroupAssignment');
    assertVersion(context, appGroupVersion(before));
    const target = groupAssignmentTargets([before, null], group, app);
    await recordGroupAccessChange(tx, context, record, 'lost', { app, group, target });
    await removeOwnOfGroupAlone(tx, context.orgId, place);
    await removeGroupAssignment(tx, context.orgId, place.appId, place.groupId);
  });
}
