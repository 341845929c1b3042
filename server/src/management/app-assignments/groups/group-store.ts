import { type RawBuilder, sql } from 'kysely';
import { valueKey } from '../../../kernel/texts/text.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';

/** An app's assignment to a group. */
export interface GroupAssignment {
  readonly appId: AppId;
  readonly groupId: string;
  /** Lower numbers take precedence. */
  readonly priority: number;
  readonly profile: AppProfile;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Rises with every change; a new row starts with a number that no former row had. */
  readonly revision: number;
}

/** Columns in the spelling of GroupAssignment, so that a row needs no mapping. */
const COLUMNS = `g.app_id as "appId", g.group_id as "groupId", g.priority, g.profile, g.created_at as "createdAt",
  g.last_updated_at as "lastUpdatedAt", g.revision`;

export async function findGroupAssignment(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  groupId: string,
): Promise<GroupAssignment | undefined> {
  const text = `select ${COLUMNS} from app_groups g where g.org_id = $1 and g.app_id = $2 and g.group_id = $3`;
  const [row] = await prepared<GroupAssignment>(db, 'app_group_by_id', text, [orgId, appId, groupId]);
  return row;
}

/** Prevents joining and leaving a group until the transaction ends; changes in progress are waited for. */
export async function lockMembership(tx: Tx, orgId: OrgId, groupId: string): Promise<void> {
  const text = 'select id from groups where org_id = $1 and id = $2 for update';
  await prepared(tx, 'app_group_membership_lock', text, [orgId, groupId]);
}

/** Finds the priorities of the app's other groups. */
export async function takenPriorities(tx: Tx, orgId: OrgId, appId: AppId, but: string): Promise<number[]> {
  const text = 'select priority from app_groups where org_id = $1 and app_id = $2 and group_id <> $3';
  const rows = await prepared<{ priority: number }>(tx, 'app_group_priorities', text, [orgId, appId, but]);
  return rows.map(({ priority }) => priority);
}

/** Shifts the groups from one priority to another up by one, and moves this one, if assigned, to its priority. */
export async function makeRoom(
  tx: Tx,
  orgId: OrgId,
  appId: AppId,
  run: { readonly from: number; readonly to: number },
  mover: { readonly groupId: string; readonly priority: number },
): Promise<void> {
  const text = `update app_groups
    set priority = case when group_id = $5 then $6 else priority + 1 end, revision = revision + 1
    where org_id = $1 and app_id = $2 and (group_id = $5 or priority between $3 and $4)`;
  await prepared(tx, 'app_group_make_room', text, [orgId, appId, run.from, run.to, mover.groupId, mover.priority]);
}

export async function insertGroupAssignment(
  tx: Tx,
  orgId: OrgId,
  assignment: GroupAssignment,
): Promise<GroupAssignment> {
  const text = `insert into app_groups
      (org_id, app_id, group_id, priority, profile, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7) returning revision`;
  const { appId, groupId, priority, profile, createdAt, lastUpdatedAt } = assignment;
  const values = [orgId, appId, groupId, priority, JSON.stringify(profile), createdAt, lastUpdatedAt];
  const [row] = await prepared<{ revision: number }>(tx, 'app_group_insert', text, values);
  return { ...assignment, revision: row?.revision ?? assignment.revision };
}

export async function updateGroupAssignment(
  tx: Tx,
  orgId: OrgId,
  assignment: GroupAssignment,
): Promise<GroupAssignment> {
  const text = `update app_groups set priority = $4, profile = $5, last_updated_at = $6, revision = revision + 1
    where org_id = $1 and app_id = $2 and group_id = $3 returning revision`;
  const { appId, groupId, priority, profile, lastUpdatedAt } = assignment;
  const [row] = await prepared<{ revision: number }>(tx, 'app_group_update', text, [
    orgId,
    appId,
    groupId,
    priority,
    JSON.stringify(profile),
    lastUpdatedAt,
  ]);
  return { ...assignment, revision: row?.revision ?? assignment.revision };
}

export async function removeGroupAssignment(tx: Tx, orgId: OrgId, appId: AppId, groupId: string): Promise<void> {
  const text = 'delete from app_groups where org_id = $1 and app_id = $2 and group_id = $3';
  await prepared(tx, 'app_group_delete', text, [orgId, appId, groupId]);
}

/** Reads assignments by priority, nearest to the key first. `q` is a prefix of the group's name, ignoring case. */
export async function readGroupAssignments(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  q: string | null,
  request: KeysetRequest<number>,
): Promise<GroupAssignment[]> {
  const conditions: RawBuilder<unknown>[] = [sql`g.org_id = ${orgId}`, sql`g.app_id = ${appId}`];
  if (q !== null) {
    conditions.push(sql`exists (select from groups named where named.org_id = ${orgId} and named.id = g.group_id
      and starts_with(named.name_key, ${valueKey(q)}))`);
  }
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`g.priority ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<GroupAssignment>`select ${sql.raw(COLUMNS)} from app_groups g
    where ${sql.join(conditions, sql` and `)} order by g.priority ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
