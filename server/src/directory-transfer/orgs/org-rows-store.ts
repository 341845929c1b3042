import type { OrgId } from '../../kernel/words/ids.ts';
import type { TransferTable } from './transfer-tables.ts';

export type Ask = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

export interface TableShape {
  readonly table: TransferTable;
  /** The columns of `table.part`, or else all columns except generated columns. */
  readonly columns: readonly string[];
  /** The columns of the key (`part.key` or the primary key) with their types, without the column of the org. */
  readonly key: readonly { readonly name: string; readonly type: string }[];
}

const SHAPE = `select
    array(select a.attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' order by a.attnum) as columns,
    array(select json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
      from pg_constraint c cross join lateral unnest(c.conkey) with ordinality k (attnum, ord)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
      where c.conrelid = t.oid and c.contype = 'p' order by k.ord) as key
  from pg_class t where t.oid = $1::regclass`;

const orgColumn = ({ name }: TransferTable): string => (name === 'orgs' ? 'id' : 'org_id');

const asText = (name: string) => ({ name, type: 'text' });

const ownRows = ({ part }: TransferTable): string => (part === undefined ? '' : `and ${part.rows}`);

export async function shapeOf(ask: Ask, table: TransferTable): Promise<TableShape> {
  const [found] = await ask<Pick<TableShape, 'columns' | 'key'>>(SHAPE, [table.name]);
  if (found === undefined) throw new Error(`there is no table ${table.name}`);
  const { columns, key } = table.part === undefined ? found : { ...table.part, key: table.part.key.map(asText) };
  return { table, columns, key: key.filter(({ name }) => name !== orgColumn(table)) };
}

/** Deferred migrations do not count, because they may still be pending. */
export async function schemaVersion(ask: Ask): Promise<number> {
  const [row] = await ask<{ version: number }>(
    `select max(version)::integer as version from schema_migrations where name not like '%.deferred.contract.sql'`,
    [],
  );
  return row?.version ?? 0;
}

/** Tells whether the org is unknown or not active. */
export async function isClosedOrg(ask: Ask, orgId: OrgId): Promise<boolean> {
  const [row] = await ask<{ status: string }>('select o.status from orgs o where o.id = $1', [orgId]);
  return row?.status !== 'ACTIVE';
}

export interface Contents {
  /** Whether to export password hashes, recovery questions and answers, and API tokens. */
  readonly hashes: boolean;
  readonly secrets: boolean;
}

function expressionOf({ always, sealed, withoutHashes }: TransferTable, column: string, contents: Contents): string {
  const replaced = always?.[column] ?? (contents.hashes ? undefined : withoutHashes?.[column]);
  if (replaced !== undefined) return `${replaced} as ${column}`;
  if (sealed?.column === column && !contents.secrets) return `null as ${column}`;
  return `t.${column}`;
}

export const isExported = ({ onlyWithHashes, sealed }: TransferTable, contents: Contents): boolean =>
  (contents.hashes || onlyWithHashes !== true) && (contents.secrets || sealed?.without !== 'noRow');

const ROWS_PAGE = 1_000;

interface Page {
  readonly line: string;
  readonly place: readonly string[];
}

export async function* orgRows(
  ask: Ask,
  orgId: OrgId,
  { columns, key, table }: TableShape,
  contents: Contents,
): AsyncGenerator<readonly string[]> {
  const selected = columns.map((column) => expressionOf(table, column, contents)).join(', ');
  const names = key.map(({ name }) => `t.${name}`).join(', ');
  const beyond = key.map(({ type }, index) => `$${index + 2}::text::${type}`).join(', ');
  const order = key.length === 0 ? '' : `order by ${names}`;
  let place: readonly string[] | null = null;
  for (;;) {
    const after = place === null ? '' : `and (${names}) > (${beyond})`;
    const text = `select (select row_to_json(r)::text from (select ${selected}) r) as line,
        array[${key.map(({ name }) => `t.${name}::text`).join(', ')}]::text[] as place
      from ${table.name} t where t.${orgColumn(table)} = $1 ${ownRows(table)} ${after} ${order} limit ${ROWS_PAGE}`;
    const page: readonly Page[] = await ask<Page>(text, [orgId, ...(place ?? [])]);
    yield page.map(({ line }) => line);
    place = page.at(-1)?.place ?? null;
    if (page.length < ROWS_PAGE || place === null || key.length === 0) return;
  }
}

/** Returns the number of inserted rows. Skips rows of other orgs and rows outside of `table.part`. */
export async function insertRows(
  ask: Ask,
  orgId: OrgId,
  { columns, table }: TableShape,
  rows: readonly string[],
): Promise<number> {
  const names = columns.join(', ');
  const text = `with inserted as (
      insert into ${table.name} (${names})
      select ${columns.map((column) => `r.${column}`).join(', ')}
      from json_populate_recordset(null::${table.name}, $2::json) r where r.${orgColumn(table)} = $1 ${ownRows(table)}
      returning 1)
    select count(*)::integer as count from inserted`;
  const [row] = await ask<{ count: number }>(text, [orgId, `[${rows.join(',')}]`]);
  return row?.count ?? 0;
}

/** Tells whether a user's login, or the user's name in an OpenID Connect app, is also a client id. */
export async function hasSharedNames(ask: Ask, orgId: OrgId): Promise<boolean> {
  const text = `select 1 as found from client_ids c where c.org_id = $1 and (
      exists (select from users u where u.org_id = $1 and u.login_key = c.name_key)
      or exists (select from app_users n join apps a on a.org_id = n.org_id and a.id = n.app_id
        where n.org_id = $1 and n.user_name_key = c.name_key and a.sign_on_mode = 'OPENID_CONNECT')) limit 1`;
  return (await ask(text, [orgId])).length > 0;
}

export interface TakenOrg {
  readonly id: boolean;
  readonly subdomain: boolean;
  readonly domains: readonly string[];
}

export async function takenOrg(
  ask: Ask,
  orgId: OrgId,
  subdomain: string,
  domains: readonly string[],
): Promise<TakenOrg> {
  const text = `select exists (select from orgs o where o.id = $1) as id,
    exists (select from orgs o where o.subdomain = $2) as subdomain,
    array(select d.domain from org_domains d where d.domain = any($3::text[]) order by d.domain) as domains`;
  const [row] = await ask<TakenOrg>(text, [orgId, subdomain, domains]);
  return row ?? { id: true, subdomain: true, domains: [] };
}
