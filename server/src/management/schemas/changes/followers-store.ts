import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { SchemaKind } from '../attributes/wire-attribute.ts';

/** The rows whose profiles follow a schema. Other slices own these rows. */
export type Followers =
  | { readonly kind: 'users'; readonly typeId: string }
  | { readonly kind: 'groups' }
  | { readonly kind: 'appUsers' | 'appGroups'; readonly appId: AppId };

interface Place {
  readonly table: string;
  readonly id: string;
  /** The column that is compared with $2 to find the rows that follow the schema. */
  readonly chosenBy: string;
  /** The table of the search index, and its column with the id of the indexed row. */
  readonly index?: readonly [table: string, owner: string];
}

const PLACES: Readonly<Record<Followers['kind'], Place>> = {
  users: { table: 'users', id: 'id', chosenBy: 'type_id', index: ['user_attribute_values', 'user_id'] },
  groups: { table: 'groups', id: 'id', chosenBy: 'type', index: ['group_attribute_values', 'group_id'] },
  appUsers: { table: 'app_users', id: 'user_id', chosenBy: 'app_id' },
  appGroups: { table: 'app_groups', id: 'group_id', chosenBy: 'app_id' },
};

function chosenOf(followers: Followers): string {
  if (followers.kind === 'users') return followers.typeId;
  return followers.kind === 'groups' ? 'NATIVE_GROUP' : followers.appId;
}

export interface SchemaOwner {
  readonly kind: SchemaKind;
  /** The id of the user type, app or identity provider, or GROUP_OWNER for groups. */
  readonly id: string;
}

export function followersOf({ id, kind }: SchemaOwner): readonly Followers[] {
  if (kind === 'USER') return [{ kind: 'users', typeId: id }];
  if (kind === 'GROUP') return [{ kind: 'groups' }];
  return [
    { kind: 'appUsers', appId: id },
    { kind: 'appGroups', appId: id },
  ];
}

export interface StoredValue {
  readonly id: string;
  readonly value: unknown;
}

export function readValues(
  tx: Tx,
  orgId: OrgId,
  followers: Followers,
  name: string,
  request: { readonly after: string; readonly limit: number },
): Promise<StoredValue[]> {
  const { chosenBy, id, table } = PLACES[followers.kind];
  const text = `select f.${id} as id, f.profile -> $3::text as value from ${table} f
    where f.org_id = $1 and f.${chosenBy} = $2 and f.profile ? $3::text and f.${id} > $4 order by f.${id} limit $5`;
  return run(tx, text, [orgId, chosenOf(followers), name, request.after, request.limit]);
}

/** Null, empty strings and empty arrays count as missing. */
export async function existsLacking(tx: Tx, orgId: OrgId, followers: Followers, name: string): Promise<boolean> {
  const { chosenBy, table } = PLACES[followers.kind];
  const text = `select 1 from ${table} f where f.org_id = $1 and f.${chosenBy} = $2
    and coalesce(f.profile -> $3::text, 'null') in ('null', '""', '[]') limit 1`;
  return (await run(tx, text, [orgId, chosenOf(followers), name])).length > 0;
}

export interface Purge {
  readonly name: string;
  readonly attributeId: number;
  readonly after: string;
  readonly limit: number;
}

/**
 * Removes an attribute from up to `limit` profiles whose ids follow `after`, in order of id, and from the search index.
 * Skips locked rows, because the transactions that locked them may be waiting for the schema. Returns the id of the
 * last changed row, or null if no row was changed.
 */
export async function purgeValues(tx: Tx, orgId: OrgId, followers: Followers, purge: Purge): Promise<string | null> {
  const { chosenBy, id, index, table } = PLACES[followers.kind];
  const unindexed =
    index === undefined
      ? ''
      : `, unindexed as (delete from ${index[0]} v using leaving l
          where v.org_id = $1 and v.${index[1]} = l.id and v.attribute_id = $6)`;
  const text = `with leaving as materialized (
      select f.${id} as id from ${table} f
      where f.org_id = $1 and f.${chosenBy} = $2 and f.profile ? $3::text and f.${id} > $4
      order by f.${id} limit $5 for update skip locked)${unindexed},
    purged as (
      update ${table} f set profile = f.profile - $3::text, revision = f.revision + 1 from leaving l
      where f.org_id = $1 and f.${id} = l.id and f.${chosenBy} = $2)
    select max(id) as last from leaving${index === undefined ? ' where $6::integer is not null' : ''}`;
  const values = [orgId, chosenOf(followers), purge.name, purge.after, purge.limit, purge.attributeId];
  const [row] = await run<{ last: string | null }>(tx, text, values);
  return row?.last ?? null;
}

/** Deletes up to `limit` index rows of a removed attribute, for profiles that have no value of the attribute. */
export async function purgeIndex(
  tx: Tx,
  orgId: OrgId,
  followers: Followers,
  { attributeId, limit, name }: Omit<Purge, 'after'>,
): Promise<number> {
  const { id, index, table } = PLACES[followers.kind];
  if (index === undefined) return 0;
  const [rows, owner] = index;
  const text = `with unheld as materialized (
      select o.value_key, o.${owner} as owner from ${rows} o
      where o.org_id = $1 and o.attribute_id = $2 and not exists (
        select 1 from ${table} f where f.org_id = $1 and f.${id} = o.${owner} and f.profile ? $3::text)
      limit $4),
    dropped as (
      delete from ${rows} v using unheld u
      where v.org_id = $1 and v.attribute_id = $2 and v.value_key = u.value_key and v.${owner} = u.owner returning 1)
    select count(*)::integer as dropped from dropped`;
  const [row] = await run<{ dropped: number }>(tx, text, [orgId, attributeId, name, limit]);
  return row?.dropped ?? 0;
}

export async function existsValue(tx: Tx, orgId: OrgId, followers: Followers, name: string): Promise<boolean> {
  const { chosenBy, table } = PLACES[followers.kind];
  const text = `select 1 from ${table} f where f.org_id = $1 and f.${chosenBy} = $2 and f.profile ? $3::text limit 1`;
  return (await run(tx, text, [orgId, chosenOf(followers), name])).length > 0;
}

/** Releases the values that users of a type have claimed for an attribute that is no longer unique. */
export async function dropUniqueValues(tx: Tx, orgId: OrgId, typeId: string, attributeId: number): Promise<void> {
  const text = `delete from user_unique_values q using users u
    where q.org_id = $1 and q.attribute_id = $2 and u.org_id = $1 and u.id = q.user_id and u.type_id = $3`;
  await prepared(tx, 'user_unique_values_drop', text, [orgId, attributeId, typeId]);
}

/** Returns the number of claims that failed because users share a value. */
export async function claimUniqueValues(tx: Tx, orgId: OrgId, typeId: string, attributeId: number): Promise<number> {
  const text = `with wanted as materialized (
      select v.value_key, v.user_id from user_attribute_values v
        join users u on u.org_id = v.org_id and u.id = v.user_id
      where v.org_id = $1 and v.attribute_id = $2 and u.type_id = $3),
    claimed as (
      insert into user_unique_values (org_id, attribute_id, value_key, user_id)
      select $1, $2, w.value_key, w.user_id from wanted w
      on conflict (org_id, attribute_id, value_key) do nothing returning 1)
    select ((select count(*) from wanted) - (select count(*) from claimed))::integer as clashes`;
  const [row] = await run<{ clashes: number }>(tx, text, [orgId, attributeId, typeId]);
  return row?.clashes ?? 0;
}
