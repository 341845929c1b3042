import { type RawBuilder, sql } from 'kysely';
import type { CheckedExpression } from '../../filter/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type SearchScope, wordsOf } from '../search-store.ts';
import type { KeyRange } from './key-range.ts';
import { keyCondition, whereSql } from './leaf-store.ts';

export interface RowEstimate {
  readonly count: number;
  /**
   * The greatest id among the counted rows, or null if there are none. Ids do not depend on values, and the rows of a
   * single value are counted in order of id. If counting stops at the limit for two values, the one with the greater
   * `reach` is probably rarer.
   */
  readonly reach: string | null;
}

export async function probe(
  db: Db,
  { table, orgId }: SearchScope,
  keyRange: KeyRange,
  limit: number,
): Promise<RowEstimate> {
  const { index, owner } = wordsOf(table);
  const { rows } = await sql<RowEstimate>`select count(*)::integer as count, max(probed.id) as reach from (
    select ${owner('v')} as id from ${index} v where v.org_id = ${orgId} and ${keyCondition(keyRange, 'v')}
    order by v.value_key, ${owner('v')} limit ${limit}) probed`.execute(db);
  return rows[0] ?? { count: 0, reach: null };
}

export async function probeAll(
  db: Db,
  { table, orgId }: SearchScope,
  ranges: readonly KeyRange[],
  limit: number,
): Promise<readonly number[]> {
  const { index } = wordsOf(table);
  const counts = ranges.map(
    (range) => sql`(select count(*)::integer from (select from ${index} v
      where v.org_id = ${orgId} and ${keyCondition(range, 'v')} limit ${limit}) probed)`,
  );
  const { rows } = await sql<{ counts: readonly number[] }>`select array[${sql.join(counts)}] as counts`.execute(db);
  return rows[0]?.counts ?? [];
}

/** Counts rows that satisfy a condition on the row itself (`readsRow`), up to `limit`. */
export async function probeRows(
  db: Db,
  { table, orgId }: SearchScope,
  condition: CheckedExpression,
  limit: number,
): Promise<number> {
  const words = wordsOf(table);
  const { rows } = await sql<{ total: number }>`select count(*)::integer as total from (
    select 1 from ${words.rows} where ${words.orgId} = ${orgId} and ${whereSql(table, orgId, condition, words.id)}
    limit ${limit}) probed`.execute(db);
  return rows[0]?.total ?? 0;
}

const countsOf = (
  { orgId, table }: SearchScope,
  conditions: readonly CheckedExpression[],
  id: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql.join(
    conditions.map((condition) => sql`count(*) filter (where ${whereSql(table, orgId, condition, id)})::integer`),
  );

/**
 * Counts how many of the org's first `size` rows, in order of id, satisfy each condition. Most ids are random, so this
 * sample is nearly representative.
 */
export async function sample(
  db: Db,
  scope: SearchScope,
  conditions: readonly CheckedExpression[],
  size: number,
): Promise<readonly number[]> {
  const { id, orgId, rows: table } = wordsOf(scope.table);
  const { rows } = await sql<{ counts: readonly number[] }>`select array[${countsOf(scope, conditions, id)}] as counts
    from (select * from ${table} where ${orgId} = ${scope.orgId} order by ${id} limit ${size})
    ${sql.raw(scope.table.alias)}`.execute(db);
  return rows[0]?.counts ?? [];
}

/** Works like `sample`, but with the first rows of a range. Returns null if the range has fewer than `size` rows. */
export async function sampleRange(
  db: Db,
  scope: SearchScope,
  keyRange: KeyRange,
  conditions: readonly CheckedExpression[],
  size: number,
): Promise<readonly number[] | null> {
  const { index, owner } = wordsOf(scope.table);
  const counts = countsOf(scope, conditions, sql.raw('first.id'));
  const { rows } = await sql<{ seen: number; counts: readonly number[] }>`
    select count(*)::integer as seen, array[${counts}] as counts from (
      select ${owner('d')} as id from ${index} d where d.org_id = ${scope.orgId} and ${keyCondition(keyRange, 'd')}
      order by d.value_key, ${owner('d')} limit ${size}) first`.execute(db);
  const [found] = rows;
  return found === undefined || found.seen < size ? null : found.counts;
}
