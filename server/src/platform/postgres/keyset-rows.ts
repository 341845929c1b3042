import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connections/database.ts';

/** The part of a list that a page shows. See `KeysetRequest` of `platform/http`. */
interface PageRequest {
  readonly key: string | number | null;
  readonly backwards: boolean;
  readonly rows: number;
}

/**
 * Reads the rows of a page in the order of `column`: those after `key` or, if `backwards`, those before it in
 * descending order. If `key` is null, the page begins at the first or the last row. `list` is a `select` that ends with
 * a condition.
 */
export async function keysetRows<Row>(
  db: Db,
  list: RawBuilder<unknown>,
  column: string,
  { backwards, key, rows }: PageRequest,
): Promise<Row[]> {
  const order = sql.raw(column);
  const beyond = key === null ? sql`` : sql`and ${order} ${sql.raw(backwards ? '<' : '>')} ${key}`;
  const direction = sql.raw(backwards ? 'desc' : 'asc');
  const page = await sql<Row>`${list} ${beyond} order by ${order} ${direction} limit ${rows}`.execute(db);
  return page.rows;
}
