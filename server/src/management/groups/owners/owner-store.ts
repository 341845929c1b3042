import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, keysetRows, prepared, type Tx } from '../../../platform/postgres/index.ts';

export const OWNER_TYPES = ['USER', 'GROUP'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];

export interface GroupOwner {
  readonly id: string;
  readonly type: OwnerType;
  readonly displayName: string;
  readonly assignedAt: Date;
}

const OWNER = `o.owner_id as id, o.owner_type as type, o.assigned_at as "assignedAt",
  coalesce(g.name, nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.login)
    as "displayName"`;
const FROM_OWNERS = `from group_owners o
  left join users u on u.org_id = o.org_id and u.id = o.owner_user_id
  left join groups g on g.org_id = o.org_id and g.id = o.owner_group_id`;

export async function findOwner(
  db: Db,
  orgId: OrgId,
  groupId: string,
  ownerId: string,
): Promise<GroupOwner | undefined> {
  const text = `select ${OWNER} ${FROM_OWNERS} where o.org_id = $1 and o.group_id = $2 and o.owner_id = $3`;
  const [row] = await prepared<GroupOwner>(db, 'group_owner', text, [orgId, groupId, ownerId]);
  return row;
}

export async function countOwners(tx: Tx, orgId: OrgId, groupId: string, maximum: number): Promise<number> {
  const text = `select count(*) as count from (
    select 1 from group_owners where org_id = $1 and group_id = $2 limit $3) o`;
  const [row] = await prepared<{ count: number }>(tx, 'group_owners_count', text, [orgId, groupId, maximum]);
  return row?.count ?? 0;
}

/** Returns false when the group had this owner already. */
export async function insertOwner(
  tx: Tx,
  orgId: OrgId,
  groupId: string,
  owner: Pick<GroupOwner, 'id' | 'type' | 'assignedAt'>,
): Promise<boolean> {
  const text = `insert into group_owners (org_id, group_id, owner_id, owner_type, assigned_at)
    values ($1, $2, $3, $4, $5) on conflict (org_id, group_id, owner_id) do nothing returning owner_id`;
  const values = [orgId, groupId, owner.id, owner.type, owner.assignedAt];
  return (await prepared(tx, 'group_owner_insert', text, values)).length > 0;
}

export async function removeOwner(tx: Tx, orgId: OrgId, groupId: string, ownerId: string): Promise<boolean> {
  const text = `delete from group_owners where org_id = $1 and group_id = $2 and owner_id = $3 returning owner_id`;
  return (await prepared(tx, 'group_owner_delete', text, [orgId, groupId, ownerId])).length > 0;
}

export function readOwners(
  db: Db,
  orgId: OrgId,
  groupId: string,
  types: readonly OwnerType[],
  request: KeysetRequest<string>,
): Promise<GroupOwner[]> {
  const list = sql`select ${sql.raw(OWNER)} ${sql.raw(FROM_OWNERS)}
    where o.org_id = ${orgId} and o.group_id = ${groupId} and o.owner_type = any(${types}::text[])`;
  return keysetRows<GroupOwner>(db, list, 'o.owner_id', request);
}
