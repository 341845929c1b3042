import { sql } from 'kysely';
import { valueKey } from '../../../kernel/texts/text.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, keysetRows, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';

export interface GroupAssignment {
  readonly appId: AppId;
  readonly groupId: string;
  /** The group with the lowest number takes precedence. */
  readonly priority: number;
  readonly profile: AppProfile;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const GROUPS = columns<GroupAssignment>('app_groups', {
  appId: 'key',
  groupId: 'key',
  priority: 'changes',
  profile: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const COLUMNS = GROUPS.select('g');
const INSERT = GROUPS.insert();
const UPDATE = GROUPS.update();

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

/** Locks the group's memberships until the transaction ends. */
export async function lockMembership(tx: Tx, orgId: OrgId, groupId: string): Promise<void> {
  const text = 'select id from groups where org_id = $1 and id = $2 for update';
  await prepared(tx, 'app_group_membership_lock', text, [orgId, groupId]);
}

export async function takenPriorities(tx: Tx, orgId: OrgId, appId: AppId, but: string): Promise<number[]> {
  const text = 'select priority from app_groups where org_id = $1 and app_id = $2 and group_id <> $3';
  const rows = await prepared<{ priority: number }>(tx, 'app_group_priorities', text, [orgId, appId, but]);
  return rows.map(({ priority }) => priority);
}

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
  const text = `${INSERT.text} returning revision`;
  const values = INSERT.values(orgId, assignment);
  const [row] = await prepared<{ revision: number }>(tx, 'app_group_insert', text, values);
  return { ...assignment, revision: row?.revision ?? assignment.revision };
}

export async function updateGroupAssignment(
  tx: Tx,
  orgId: OrgId,
  assignment: GroupAssignment,
): Promise<GroupAssignment> {
  const text = `${UPDATE.text} returning revision`;
  const values = UPDATE.values(orgId, assignment);
  const [row] = await prepared<{ revision: number }>(tx, 'app_group_update', text, values);
  return { ...assignment, revision: row?.revision ?? assignment.revision };
}

export async function removeGroupAssignment(tx: Tx, orgId: OrgId, appId: AppId, groupId: string): Promise<void> {
  const text = 'delete from app_groups where org_id = $1 and app_id = $2 and group_id = $3';
  await prepared(tx, 'app_group_delete', text, [orgId, appId, groupId]);
}

/** `q` is a prefix of the group's name. */
export function readGroupAssignments(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  q: string | null,
  request: KeysetRequest<number>,
): Promise<GroupAssignment[]> {
  const isNamed =
    q === null
      ? sql``
      : sql`and exists (select from groups named where named.org_id = ${orgId} and named.id = g.group_id
          and starts_with(named.name_key, ${valueKey(q)}))`;
  const list = sql`select ${sql.raw(COLUMNS)} from app_groups g
    where g.org_id = ${orgId} and g.app_id = ${appId} ${isNamed}`;
  return keysetRows<GroupAssignment>(db, list, 'g.priority', request);
}
