import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { Side } from './rules.ts';

export interface Definition {
  readonly primary: Side;
  readonly associated: Side;
  readonly revision: number;
}

export type NewDefinition = Omit<Definition, 'revision'>;

interface Row {
  readonly primaryName: string;
  readonly primaryTitle: string;
  readonly primaryDescription: string | null;
  readonly associatedName: string;
  readonly associatedTitle: string;
  readonly associatedDescription: string | null;
  readonly revision: number;
}

type NewRow = Omit<Row, 'revision'> & { readonly createdAt: Date };

const COLUMNS = columns<Row, NewRow>('linked_object_definitions', {
  primaryName: 'key',
  primaryTitle: 'fixed',
  primaryDescription: 'fixed',
  associatedName: 'fixed',
  associatedTitle: 'fixed',
  associatedDescription: 'fixed',
  createdAt: { is: 'fixed', reads: null },
  revision: 'read',
});
const SELECT = `select ${COLUMNS.select('d')}`;
const INSERT = COLUMNS.insert();

const definitionOf = (row: Row): Definition => ({
  primary: { name: row.primaryName, title: row.primaryTitle, description: row.primaryDescription },
  associated: { name: row.associatedName, title: row.associatedTitle, description: row.associatedDescription },
  revision: row.revision,
});

/** The list has no pages, so one response contains all definitions. */
export const MAXIMUM_DEFINITIONS = 200;

export async function findDefinition(db: Db, orgId: OrgId, name: string): Promise<Definition | undefined> {
  const text = `${SELECT} from linked_object_names n
    join linked_object_definitions d on d.org_id = n.org_id and d.primary_name = n.primary_name
    where n.org_id = $1 and n.name = $2`;
  const [row] = await prepared<Row>(db, 'linked_object_by_name', text, [orgId, name]);
  return row === undefined ? undefined : definitionOf(row);
}

/** Locks a definition by the name of either side. `key share` prevents its deletion; `update` prepares for it. */
export async function lockDefinition(
  tx: Tx,
  orgId: OrgId,
  name: string,
  mode: 'update' | 'key share',
): Promise<Definition | undefined> {
  const text = `${SELECT} from linked_object_names n
    join linked_object_definitions d on d.org_id = n.org_id and d.primary_name = n.primary_name
    where n.org_id = $1 and n.name = $2 for ${mode} of d`;
  const [row] = await run<Row>(tx, text, [orgId, name]);
  return row === undefined ? undefined : definitionOf(row);
}

export async function readDefinitions(db: Db, orgId: OrgId): Promise<Definition[]> {
  const text = `${SELECT} from linked_object_definitions d where d.org_id = $1
    order by d.primary_name limit ${MAXIMUM_DEFINITIONS}`;
  return (await run<Row>(db, text, [orgId])).map(definitionOf);
}

export async function findTakenNames(tx: Tx, orgId: OrgId, names: readonly string[]): Promise<ReadonlySet<string>> {
  const text = 'select name from linked_object_names where org_id = $1 and name = any($2::text[])';
  const rows = await prepared<{ name: string }>(tx, 'linked_object_names_taken', text, [orgId, names]);
  return new Set(rows.map(({ name }) => name));
}

export async function countDefinitions(tx: Tx, orgId: OrgId): Promise<number> {
  const text = `select count(*) as count from (
    select 1 from linked_object_definitions where org_id = $1 limit ${MAXIMUM_DEFINITIONS}) t`;
  const [row] = await prepared<{ count: number }>(tx, 'linked_object_count', text, [orgId]);
  return row?.count ?? 0;
}

export async function insertDefinition(
  tx: Tx,
  orgId: OrgId,
  definition: NewDefinition,
  now: Date,
): Promise<Definition> {
  const { associated, primary } = definition;
  const row: NewRow = {
    primaryName: primary.name,
    primaryTitle: primary.title,
    primaryDescription: primary.description,
    associatedName: associated.name,
    associatedTitle: associated.title,
    associatedDescription: associated.description,
    createdAt: now,
  };
  const text = `${INSERT.text} returning revision`;
  const values = INSERT.values(orgId, row);
  const [made] = await prepared<Pick<Definition, 'revision'>>(tx, 'linked_object_insert', text, values);
  const names = `insert into linked_object_names (org_id, name, primary_name)
    select $1, n.name, $2 from unnest($3::text[]) as n (name)`;
  await prepared(tx, 'linked_object_names_insert', names, [orgId, primary.name, [primary.name, associated.name]]);
  return { ...definition, revision: made?.revision ?? 0 };
}

/** Removes a definition with its names and links. */
export async function removeDefinition(tx: Tx, orgId: OrgId, primaryName: string): Promise<void> {
  const text = `delete from linked_object_definitions where ${COLUMNS.isKey}`;
  await prepared(tx, 'linked_object_delete', text, [orgId, primaryName]);
}

export async function findPrimary(
  db: Db,
  orgId: OrgId,
  primaryName: string,
  associatedId: string,
): Promise<string | null> {
  const text = `select primary_id as "primaryId" from linked_object_values
    where org_id = $1 and primary_name = $2 and associated_id = $3`;
  const [row] = await prepared<{ primaryId: string }>(db, 'linked_object_primary', text, [
    orgId,
    primaryName,
    associatedId,
  ]);
  return row?.primaryId ?? null;
}

export async function readAssociated(
  db: Db,
  orgId: OrgId,
  primaryName: string,
  primaryId: string,
  { backwards, key, rows }: KeysetRequest<string>,
): Promise<string[]> {
  const [beyond, direction] = backwards ? ['<', 'desc'] : ['>', 'asc'];
  const text = `select associated_id as id from linked_object_values
    where org_id = $1 and primary_name = $2 and primary_id = $3 ${key === null ? '' : `and associated_id ${beyond} $5`}
    order by associated_id ${direction} limit $4`;
  const values = [orgId, primaryName, primaryId, rows, ...(key === null ? [] : [key])];
  return (await run<{ id: string }>(db, text, values)).map(({ id }) => id);
}

/** Replaces the associated user's previous primary, if there is one. */
export async function storePrimary(
  tx: Tx,
  orgId: OrgId,
  primaryName: string,
  link: { readonly associatedId: string; readonly primaryId: string },
): Promise<void> {
  const text = `insert into linked_object_values (org_id, associated_id, primary_name, primary_id)
    values ($1, $2, $3, $4)
    on conflict (org_id, associated_id, primary_name) do update set primary_id = excluded.primary_id`;
  await prepared(tx, 'linked_object_link', text, [orgId, link.associatedId, primaryName, link.primaryId]);
}

export async function removePrimary(tx: Tx, orgId: OrgId, primaryName: string, associatedId: string): Promise<void> {
  const text = 'delete from linked_object_values where org_id = $1 and primary_name = $2 and associated_id = $3';
  await prepared(tx, 'linked_object_unlink', text, [orgId, primaryName, associatedId]);
}
