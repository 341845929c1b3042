import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import { type AttributeRow, textKey } from '../../search/index.ts';
import type { GroupRow } from './records/group-row.ts';

interface GroupNames {
  readonly name: string;
  readonly nameKey: string;
}

const GROUPS = columns<GroupRow, Omit<GroupRow, 'revision'> & GroupNames>('groups', {
  id: 'key',
  type: 'fixed',
  name: { is: 'changes', reads: null },
  nameKey: { is: 'changes', reads: null },
  profile: 'json',
  sourceId: 'fixed',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  lastMembershipUpdatedAt: 'fixed',
  revision: 'revision',
});

export const GROUP_COLUMNS = GROUPS.select('g');

const withNames = <Row extends Pick<GroupRow, 'profile'>>(group: Row): Row & GroupNames => {
  const { name } = group.profile;
  return { ...group, name, nameKey: textKey(name) };
};

const BY_ID = `select ${GROUP_COLUMNS} from groups g where g.org_id = $1 and g.id = $2`;

export async function findGroup(db: Db, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(db, 'group_by_id', BY_ID, [orgId, id]);
  return row;
}

export function findGroups(db: Db, orgId: OrgId, ids: readonly string[]): Promise<GroupRow[]> {
  const text = `select ${GROUP_COLUMNS} from groups g where g.org_id = $1 and g.id = any($2::text[]) order by g.id`;
  return run<GroupRow>(db, text, [orgId, ids]);
}

/** Prevents the deletion of the group until the transaction ends. */
export async function lockGroup(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_key_share', `${BY_ID} for key share`, [orgId, id]);
  return row;
}

/** Locks the row for a change to its profile. */
export async function findGroupForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_update', `${BY_ID} for no key update`, [orgId, id]);
  return row;
}

/** Locks the row for its deletion, after waiting for transactions that change its members. */
export async function findGroupForDeletion(tx: Tx, orgId: OrgId, id: string): Promise<GroupRow | undefined> {
  const [row] = await prepared<GroupRow>(tx, 'group_for_deletion', `${BY_ID} for update`, [orgId, id]);
  return row;
}

const arraysOf = (rows: readonly AttributeRow[]): [number[], string[]] => [
  rows.map(({ attributeId }) => attributeId),
  rows.map((row) => row.valueKey),
];

const INSERT = GROUPS.insert();
const INSERT_GROUP = `with inserted as (${INSERT.text})
  insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
    select $1, a.attribute_id, a.value_key, $2
    from unnest(${INSERT.places.free(0)}::integer[], ${INSERT.places.free(1)}::text[]) as a (attribute_id, value_key)`;

export async function insertGroup(
  tx: Tx,
  orgId: OrgId,
  group: Omit<GroupRow, 'revision'>,
  index: readonly AttributeRow[],
): Promise<void> {
  const values = [...INSERT.values(orgId, withNames(group)), ...arraysOf(index)];
  await prepared(tx, 'group_insert', INSERT_GROUP, values);
}

const UPDATE = GROUPS.update();
const { free } = UPDATE.places;
const UPDATE_GROUP = `with updated as (${UPDATE.text} returning revision),
  removed as (
    delete from group_attribute_values v using unnest(${free(0)}::integer[], ${free(1)}::text[])
      as a (attribute_id, value_key)
    where v.org_id = $1 and v.group_id = $2 and v.attribute_id = a.attribute_id and v.value_key = a.value_key),
  added as (
    insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
    select $1, a.attribute_id, a.value_key, $2
    from unnest(${free(2)}::integer[], ${free(3)}::text[]) as a (attribute_id, value_key))
  select revision from updated`;

export async function updateGroupProfile(
  tx: Tx,
  orgId: OrgId,
  group: GroupRow,
  index: { readonly removed: readonly AttributeRow[]; readonly added: readonly AttributeRow[] },
): Promise<GroupRow> {
  const values = [...UPDATE.values(orgId, withNames(group)), ...arraysOf(index.removed), ...arraysOf(index.added)];
  const [row] = await prepared<{ revision: number }>(tx, 'group_update', UPDATE_GROUP, values);
  return { ...group, revision: row?.revision ?? group.revision };
}

/** Foreign keys also remove the rows that refer to the group, such as memberships and the search index. */
export async function removeGroup(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'group_delete', 'delete from groups where org_id = $1 and id = $2', [orgId, id]);
}
