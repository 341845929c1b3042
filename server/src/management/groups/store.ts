import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import { type AttributeRow, textKey } from '../../search/index.ts';
import type { GroupRow } from './records/group-row.ts';

/** Columns in the spelling of GroupRow, so that a row needs no mapping. */
export const GROUP_COLUMNS = `g.id, g.type, g.profile, g.source_id as "sourceId", g.created_at as "createdAt",
  g.last_updated_at as "lastUpdatedAt", g.last_membership_updated_at as "lastMembershipUpdatedAt", g.revision`;

const BY_ID = `select ${GROUP_COLUMNS} from groups g where g.org_id = $1 and g.id = $2`;

export async function findGroup(db: Db, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(db, 'group_by_id', BY_ID, [orgId, id]);
  return row;
}

/** Finds which of these groups the org has, by id. */
export function findGroups(db: Db, orgId: OrgId, ids: readonly string[]): Promise<GroupRow[]> {
  const text = `select ${GROUP_COLUMNS} from groups g where g.org_id = $1 and g.id = any($2::text[]) order by g.id`;
  return run<GroupRow>(db, text, [orgId, ids]);
}

/** Keeps the group from being deleted until the transaction ends, without blocking readers or other changes. */
export async function lockGroup(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_key_share', `${BY_ID} for key share`, [orgId, id]);
  return row;
}

/** Locks the row for a change of its profile, without blocking changes of membership. */
export async function findGroupForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_update', `${BY_ID} for no key update`, [orgId, id]);
  return row;
}

/** Locks the row for its deletion: current changes of membership are waited for, later ones wait. */
export async function findGroupForDeletion(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_deletion', `${BY_ID} for update`, [orgId, id]);
  return row;
}

const columns = (rows: readonly AttributeRow[]): [number[], string[]] => [
  rows.map(({ attributeId }) => attributeId),
  rows.map((row) => row.valueKey),
];

/** Inserts the group and its search index in one statement. */
export async function insertGroup(
  tx: Tx,
  orgId: OrgId,
  group: Omit<GroupRow, 'revision'>,
  index: readonly AttributeRow[],
): Promise<void> {
  const text = `with inserted as (
      insert into groups (org_id, id, type, name, name_key, profile, source_id, created_at, last_updated_at,
        last_membership_updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10))
    insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
      select $1, a.attribute_id, a.value_key, $2
      from unnest($11::integer[], $12::text[]) as a (attribute_id, value_key)`;
  await prepared(tx, 'group_insert', text, [
    orgId,
    group.id,
    group.type,
    group.profile.name,
    textKey(group.profile.name),
    JSON.stringify(group.profile),
    group.sourceId,
    group.createdAt,
    group.lastUpdatedAt,
    group.lastMembershipUpdatedAt,
    ...columns(index),
  ]);
}

/** Writes the profile, raises the revision, and updates the search index by the difference only. */
export async function updateGroupProfile(
  tx: Tx,
  orgId: OrgId,
  group: GroupRow,
  index: { readonly removed: readonly AttributeRow[]; readonly added: readonly AttributeRow[] },
): Promise<GroupRow> {
  const text = `with updated as (
      update groups set name = $3, name_key = $4, profile = $5, last_updated_at = $6, revision = revision + 1
      where org_id = $1 and id = $2 returning revision),
    removed as (
      delete from group_attribute_values v using unnest($7::integer[], $8::text[]) as a (attribute_id, value_key)
      where v.org_id = $1 and v.group_id = $2 and v.attribute_id = a.attribute_id and v.value_key = a.value_key),
    added as (
      insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
      select $1, a.attribute_id, a.value_key, $2
      from unnest($9::integer[], $10::text[]) as a (attribute_id, value_key))
    select revision from updated`;
  const [row] = await prepared<{ revision: number }>(tx, 'group_update', text, [
    orgId,
    group.id,
    group.profile.name,
    textKey(group.profile.name),
    JSON.stringify(group.profile),
    group.lastUpdatedAt,
    ...columns(index.removed),
    ...columns(index.added),
  ]);
  return { ...group, revision: row?.revision ?? group.revision };
}

/** Removes a group and, by its foreign keys, its members, owners and search index. */
export async function removeGroup(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'group_delete', 'delete from groups where org_id = $1 and id = $2', [orgId, id]);
}
