import type { OrgId } from '../../../kernel/words/ids.ts';
import { run, type Tx } from '../../../platform/postgres/index.ts';
import type { Pair } from '../links/effective-store.ts';

export interface Membership {
  readonly groupId: string;
  readonly userId: string;
}

const pairs = (alias: string): string => `unnest($2::text[], $3::text[]) as ${alias} (group_id, user_id)`;

const ASSIGNED_OR_EVERYONES = `exists (select from app_users d
      where d.org_id = $1 and d.app_id = g.app_id and d.user_id = u.id and d.scope = 'USER')
    or exists (select from app_groups o join groups e on e.org_id = o.org_id and e.id = o.group_id
      where o.org_id = $1 and o.app_id = g.app_id and e.type = 'BUILT_IN')`;

/**
 * Returns an SQL query for the apps that users gain or lose with the given memberships. It leaves out users who also
 * have the app in another way. The SQL condition `except` excludes memberships that do not count as another way.
 */
const changed = (except: string): string => `select distinct g.app_id as "appId", u.id as "userId" from ${pairs('p')}
  join app_groups g on g.group_id = p.group_id
  join users u on u.org_id = g.org_id and u.id = p.user_id
  where g.org_id = $1 and u.status <> 'DEPROVISIONED' and not (${ASSIGNED_OR_EVERYONES}
    or exists (select from app_groups o join group_members m on m.org_id = o.org_id and m.group_id = o.group_id
      where o.org_id = $1 and o.app_id = g.app_id and m.user_id = u.id ${except}))
  order by "userId", "appId"`;

/** The memberships that were just added do not count as another way to have an app. */
const GAINED = changed(`and not exists (select from ${pairs('same')}
  where same.group_id = m.group_id and same.user_id = m.user_id)`);

const LOST = changed('');

const columns = (memberships: readonly Membership[]): [string[], string[]] => [
  memberships.map(({ groupId }) => groupId),
  memberships.map(({ userId }) => userId),
];

/** Call this after inserting the memberships. */
export const gainedBy = (tx: Tx, orgId: OrgId, added: readonly Membership[]): Promise<Pair[]> =>
  run<Pair>(tx, GAINED, [orgId, ...columns(added)]);

/** Call this after deleting the memberships. */
export const lostBy = (tx: Tx, orgId: OrgId, removed: readonly Membership[]): Promise<Pair[]> =>
  run<Pair>(tx, LOST, [orgId, ...columns(removed)]);
