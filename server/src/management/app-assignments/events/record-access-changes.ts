import type { Context } from '../../../kernel/context.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { findUsersByIds, type UserRow } from '../../users/index.ts';
import { type AssignableApp, findAssignableApps } from '../links/app-store.ts';
import { type Pair, pairsOfUsers } from '../links/effective-store.ts';
import { findOwnAssignmentsOfUsers } from '../users/user-store.ts';
import { assignmentTargets, type RecordedAssignment } from './change-details.ts';

const EVENTS = {
  gained: 'application.user_membership.add',
  lost: 'application.user_membership.remove',
} as const;

export type AccessChange = keyof typeof EVENTS;

export function recordAccessChange(
  context: Context,
  record: Record,
  change: AccessChange,
  { app, user }: { readonly app: AssignableApp; readonly user: UserRow },
): void {
  const told = { app, user, own: null, scope: 'GROUP' } as const;
  const target = assignmentTargets(context.orgId, change === 'gained' ? [null, told] : [told, null]);
  record({ eventType: EVENTS[change], target });
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

export async function recordAccessChanges(
  tx: Tx,
  context: Context,
  record: Record,
  change: AccessChange,
  pairs: readonly Pair[],
): Promise<void> {
  for (const pair of await found(tx, context.orgId, pairs)) recordAccessChange(context, record, change, pair);
}

/** Leaves out pairs whose user or app does not exist. */
async function found(tx: Tx, orgId: OrgId, pairs: readonly Pair[]): Promise<{ app: AssignableApp; user: UserRow }[]> {
  if (pairs.length === 0) return [];
  const apps = await findAssignableApps(tx, orgId, distinct(pairs.map(({ appId }) => appId)));
  const users = await findUsersByIds(tx, orgId, distinct(pairs.map(({ userId }) => userId)));
  const appById = new Map(apps.map((app) => [app.id, app]));
  const userById = new Map(users.map((user) => [user.id, user]));
  return pairs.flatMap(({ appId, userId }) => {
    const app = appById.get(appId);
    const user = userById.get(userId);
    return app === undefined || user === undefined ? [] : [{ app, user }];
  });
}

export async function recordedAssignmentsOf(
  tx: Tx,
  orgId: OrgId,
  userIds: readonly string[],
): Promise<RecordedAssignment[]> {
  const pairs = await found(tx, orgId, await pairsOfUsers(tx, orgId, userIds));
  const owns = pairs.length === 0 ? [] : await findOwnAssignmentsOfUsers(tx, orgId, userIds);
  const ownByPair = new Map(owns.map((own) => [`${own.appId} ${own.userId}`, own]));
  const live = pairs.filter(({ user }) => user.status !== 'DEPROVISIONED');
  return live.map(({ app, user }) => {
    const own = ownByPair.get(`${app.id} ${user.id}`) ?? null;
    return { app, user, own, scope: own?.scope ?? 'GROUP' };
  });
}
