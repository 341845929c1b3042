import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import type { GroupRow } from '../../groups/index.ts';
import { groupAssignmentTargets } from '../events/change-details.ts';
import { recordGroupAccessChange } from '../events/record-group-access-change.ts';
import { findAssignableApps } from '../links/app-store.ts';
import { appsOfGroup, removeOwnOfGroupAlone } from '../links/effective-store.ts';
import { findGroupAssignment } from './group-store.ts';

/** The maximum number of events that one deletion records for members. */
const MEMBERS_TOLD_TOGETHER = 10_000;

/** Needs the lock on the group. Call this while the group still has its members. */
export async function endAssignmentsOfGroup(tx: Tx, context: Context, record: Record, group: GroupRow): Promise<void> {
  const { orgId } = context;
  const appIds = await appsOfGroup(tx, orgId, group.id);
  const atMost = Math.floor(MEMBERS_TOLD_TOGETHER / Math.max(1, appIds.length));
  for (const app of appIds.length === 0 ? [] : await findAssignableApps(tx, orgId, appIds)) {
    const assignment = await findGroupAssignment(tx, orgId, app.id, group.id);
    if (assignment === undefined) continue;
    const target = groupAssignmentTargets([assignment, null], group, app);
    await recordGroupAccessChange(tx, context, record, 'lost', { app, group, target }, atMost);
    await removeOwnOfGroupAlone(tx, orgId, { appId: app.id, groupId: group.id });
  }
}
