import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record, Target } from '../../../system-log/index.ts';
import type { GroupRow } from '../../groups/index.ts';
import type { AssignableApp } from '../links/app-store.ts';
import { usersByGroupAlone } from '../links/effective-store.ts';
import { type AccessChange, recordAccessChanges } from './record-access-changes.ts';

/** If more members than this are affected, none of them gets an event (ADR 0029). */
const MEMBERS_TOLD_ONE_BY_ONE = 1_000;

const EVENTS = {
  gained: 'group.application_assignment.add',
  lost: 'group.application_assignment.remove',
} as const;

interface ToldGroup {
  readonly app: AssignableApp;
  readonly group: GroupRow;
  readonly target: readonly Target[];
}

/**
 * Records that a group gained or lost an app. Also records the effect on each affected member, unless too many are
 * affected.
 */
export async function recordGroupAccessChange(
  tx: Tx,
  context: Context,
  record: Record,
  change: AccessChange,
  { app, group, target }: ToldGroup,
  atMost = MEMBERS_TOLD_ONE_BY_ONE,
): Promise<void> {
  const given = { appId: app.id, groupId: group.id, isBuiltIn: group.type === 'BUILT_IN' };
  const most = Math.min(atMost, MEMBERS_TOLD_ONE_BY_ONE);
  const userIds = await usersByGroupAlone(tx, context.orgId, { ...given, atMost: most + 1 });
  const isMany = userIds.length > most;
  const usersChanged = isMany ? `more than ${most}` : String(userIds.length);
  record({ eventType: EVENTS[change], target, debugData: { usersChanged } });
  if (isMany) return;
  const pairs = userIds.map((userId) => ({ appId: app.id, userId }));
  await recordAccessChanges(tx, context, record, change, pairs);
}
