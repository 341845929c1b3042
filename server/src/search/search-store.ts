import { type RawBuilder, sql } from 'kysely';
import type { CheckedExpression } from '../filter/index.ts';
import type { OrgId } from '../kernel/words/ids.ts';
import type { Db } from '../platform/postgres/index.ts';
import { conjunctsOf, readsRow } from './plan.ts';
import type { KeyRange } from './scan/key-range.ts';
import { type Hashed, keyCondition, whereSql } from './scan/leaf-store.ts';
import type { SearchedTable } from './searched-table.ts';

/** The position after which a page starts. `key` is null in id order, and for a row without the sort attribute. */
export interface Place {
  readonly key: string | null;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: Place | null;
  readonly descending: boolean;
  /**
   * Whether the page is read backward. Rows without a sort key, which come last in either order, are then read first.
   */
  readonly backwards: boolean;
}

export type ScannedColumn<Row> = Row & { readonly id: string; readonly scanKey: string | null };

export interface SearchScope {
  readonly table: SearchedTable;
  readonly orgId: OrgId;
  readonly expression: CheckedExpression | null;
  /**
   * Conditions that every row must satisfy, for example because the caller's roles cover only some rows. They use the
   * table's alias.
   */
  readonly conditions: readonly RawBuilder<boolean>[];
  /** Leaves whose index rows are read into a hash table instead of being looked up for each row. */
  readonly hashed?: Hashed;
}

export interface Part {
  readonly range: KeyRange;
  readonly filter: CheckedExpression | null;
}

const direction = (request: PageRequest) => sql.raw(request.descending ? 'desc' : 'asc');
const beyond = (request: PageRequest) => sql.raw(request.descending ? '<' : '>');

export function wordsOf(table: SearchedTable) {
  const { alias, index, ownerColumn } = table;
  return {
    rows: sql.raw(`${table.table} ${alias}`),
    id: sql.raw(`${alias}.id`),
    orgId: sql.raw(`${alias}.org_id`),
    columns: sql.raw(table.columns),
    joined: sql.raw(table.joined),
    index: sql.raw(index),
    /** `of` is the alias of the index. */
    owner: (of: string) => sql.raw(`${of}.${ownerColumn}`),
  };
}

/** Makes a join with the table if there are `conditions`, so that the planner can start with rows that satisfy them. */
function joinedRows({ conditions, orgId, table }: SearchScope, id: RawBuilder<unknown>): RawBuilder<unknown> {
  if (conditions.length === 0) return sql``;
  const words = wordsOf(table);
  return sql`join ${words.rows} on ${words.orgId} = ${orgId} and ${words.id} = ${id}`;
}

/** Conjuncts that must read the row come last. */
function filterSql(scope: SearchScope, filter: CheckedExpression | null, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const { conditions, orgId, table } = scope;
  const conjuncts = filter === null ? [] : conjunctsOf(filter);
  const where = (part: CheckedExpression) => whereSql(table, orgId, part, id, scope.hashed);
  const parts = [...conditions, ...conjuncts.filter((part) => !readsRow(part)).map(where)];
  const ofRow = conjuncts.filter(readsRow).map(where);
  if (ofRow.length > 0) {
    const words = wordsOf(table);
    parts.push(sql<boolean>`exists (select from ${words.rows} where ${words.orgId} = ${orgId} and ${words.id} = ${id}
      and ${sql.join(ofRow, sql` and `)} offset 0)`);
  }
  return parts.length === 0 ? sql`` : sql`and ${sql.join(parts, sql` and `)}`;
}

async function rowsOf<Row>(
  db: Db,
  { table, orgId }: SearchScope,
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<ScannedColumn<Row>[]> {
  const words = wordsOf(table);
  const { rows } = await sql<ScannedColumn<Row>>`select ${words.columns}, page.walk_key as "scanKey" from (${page}) page
    join ${words.rows} on ${words.orgId} = ${orgId} and ${words.id} = page.id
    ${words.joined} order by ${order}`.execute(db);
  return rows;
}

function rowSql(
  { conditions, hashed, orgId, table }: SearchScope,
  filter: CheckedExpression | null,
): RawBuilder<unknown> {
  const words = wordsOf(table);
  const parts = [sql<boolean>`${words.orgId} = ${orgId}`, ...conditions];
  if (filter !== null) parts.push(whereSql(table, orgId, filter, words.id, hashed));
  return sql.join(parts, sql` and `);
}

const byId = (request: PageRequest) => sql`page.id ${direction(request)}`;

export function scanById<Row>(
  db: Db,
  scope: SearchScope,
  filter: CheckedExpression | null,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const { id, rows } = wordsOf(scope.table);
  const start = request.after === null ? sql`` : sql`and ${id} ${beyond(request)} ${request.after.id}`;
  const page = sql`select ${id} as id, null::text as walk_key from ${rows}
    where ${rowSql(scope, filter)} ${start}
    order by ${id} ${direction(request)} limit ${request.limit}`;
  return rowsOf(db, scope, page, byId(request));
}

/** Reads rows in the order of an index range that contains each row at most once (`handsOutOnce`). */
export function scanRange<Row>(
  db: Db,
  scope: SearchScope,
  part: Part,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const { index, owner } = wordsOf(scope.table);
  const id = owner('d');
  const place = request.after;
  const start =
    place === null ? sql`` : sql`and (d.value_key, ${id}) ${beyond(request)} (${place.key ?? ''}, ${place.id})`;
  const page = sql`select ${id} as id, d.value_key as walk_key
    from ${index} d ${joinedRows(scope, id)}
    where d.org_id = ${scope.orgId} and ${keyCondition(part.range, 'd')} ${start} ${filterSql(scope, part.filter, id)}
    order by d.value_key ${direction(request)}, ${id} ${direction(request)} limit ${request.limit}`;
  const order = sql`page.walk_key ${direction(request)}, page.id ${direction(request)}`;
  return rowsOf(db, scope, page, order);
}

/** Makes the query for the first ids of a range, in order of id or in order of the range's keys. */
function firstOf(scope: SearchScope, { filter, range }: Part, request: PageRequest, order: 'id' | 'key') {
  const { index, owner } = wordsOf(scope.table);
  const id = owner('d');
  const start = request.after === null ? sql`` : sql`and ${id} ${beyond(request)} ${request.after.id}`;
  const key = order === 'id' ? sql`` : sql`d.value_key,`;
  return sql`(select ${id} as id from ${index} d ${joinedRows(scope, id)}
    where d.org_id = ${scope.orgId} and ${keyCondition(range, 'd')} ${start} ${filterSql(scope, filter, id)}
    order by ${key} ${id} ${direction(request)} limit ${request.limit})`;
}

function scanFirsts<Row>(
  db: Db,
  scope: SearchScope,
  firsts: readonly RawBuilder<unknown>[],
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const page = sql`select f.id, null::text as walk_key from (${sql.join(firsts, sql` union `)}) f
    order by f.id ${direction(request)} limit ${request.limit}`;
  return rowsOf(db, scope, page, byId(request));
}

/** Every point returns its rows in order of id, so one page of each is enough. */
export const scanPoints = <Row>(
  db: Db,
  scope: SearchScope,
  points: readonly Part[],
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> =>
  scanFirsts(
    db,
    scope,
    points.map((point) => firstOf(scope, point, request, 'id')),
    request,
  );

/** Finds the first rows of each range, and returns up to `limit` of these rows in order of id. */
export function findByPrefix<Row>(
  db: Db,
  scope: SearchScope,
  ranges: readonly KeyRange[],
  limit: number,
): Promise<ScannedColumn<Row>[]> {
  const request: PageRequest = { limit, after: null, descending: false, backwards: false };
  const firsts = ranges.map((range) => firstOf(scope, { range, filter: null }, request, 'key'));
  return scanFirsts(db, scope, firsts, request);
}

export function idsInParts(scope: SearchScope, parts: readonly Part[]): RawBuilder<unknown> {
  const { index, owner } = wordsOf(scope.table);
  const id = owner('d');
  const found = parts.map(
    ({ filter, range }) => sql`select ${id} as id from ${index} d ${joinedRows(scope, id)}
      where d.org_id = ${scope.orgId} and ${keyCondition(range, 'd')} ${filterSql(scope, filter, id)}`,
  );
  return sql`select distinct f.id from (${sql.join(found, sql` union all `)} offset 0) f`;
}

/** Works like `idsInParts`, but conditions that apply to all rows appear only once in the statement. */
export function idsInManyParts(
  scope: SearchScope,
  parts: readonly Part[],
  others: CheckedExpression | null,
): RawBuilder<unknown> {
  const id = sql.raw('united.id');
  const ids = idsInParts({ ...scope, conditions: [] }, parts);
  return sql`select ${id} as id from (${ids} offset 0) united ${joinedRows(scope, id)}
    where true ${filterSql(scope, others, id)}`;
}

export const idsOfRows = (scope: SearchScope, filter: CheckedExpression | null): RawBuilder<unknown> => {
  const { id, rows } = wordsOf(scope.table);
  return sql`select ${id} as id from ${rows} where ${rowSql(scope, filter)}`;
};

/** `offset 0` keeps the planner from joining whole tables. */
export function sortFew<Row>(
  db: Db,
  scope: SearchScope,
  ids: RawBuilder<unknown>,
  sortAttributeId: number | null,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const { index, owner } = wordsOf(scope.table);
  const sorted = sortAttributeId !== null;
  const keys = sql`left join lateral (select k.value_key from ${index} k where k.org_id = ${scope.orgId}
    and ${owner('k')} = f.id and k.attribute_id = ${sortAttributeId} offset 0) k on true`;
  const place = request.after;
  const past = sql.raw(request.backwards ? '<' : '>');
  const start =
    place === null
      ? sql`true`
      : sql`(s.absent ${past} ${place.key === null} or (s.absent = ${place.key === null}
          and (s.key, s.id) ${beyond(request)} (${place.key ?? ''}, ${place.id})))`;
  const page = sql`select s.id, case when s.absent then null else s.key end as walk_key from (
      select f.id, ${sorted ? sql`k.value_key is null` : sql`true`} as absent,
        ${sorted ? sql`coalesce(k.value_key, '')` : sql`''`} as key
      from (${ids} offset 0) f ${sorted ? keys : sql``}) s
    where ${start}
    order by s.absent ${sql.raw(request.backwards ? 'desc' : 'asc')}, s.key ${direction(request)},
      s.id ${direction(request)} limit ${request.limit}`;
  const absentRows = sql.raw(request.backwards ? 'nulls first' : 'nulls last');
  return rowsOf(db, scope, page, sql`page.walk_key ${direction(request)} ${absentRows}, ${byId(request)}`);
}

export function scanAbsent<Row>(
  db: Db,
  scope: SearchScope,
  attributeId: number,
  filter: CheckedExpression | null,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const { id, index, orgId, owner } = wordsOf(scope.table);
  const absent = sql<boolean>`not exists (select from ${index} k
    where k.org_id = ${orgId} and ${owner('k')} = ${id} and k.attribute_id = ${attributeId})`;
  return scanById(db, { ...scope, conditions: [...scope.conditions, absent] }, filter, request);
}
