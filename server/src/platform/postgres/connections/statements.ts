import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { BoundKysely } from './dialect.ts';

/** SQL text with its parameters. With a `name`, it is a prepared statement (see `prepared`). */
export interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string;
}

/**
 * An item of a `from` clause with the current time of the database, as `clock.now`. An `update` reads the time from
 * there, because Citus refuses volatile functions elsewhere in it. It is the time before any wait for the row, so where
 * it voids something, the transaction must have locked the row before.
 */
export const CLOCK = '(select clock_timestamp() as now) as clock';

async function rowsOf<Row>(db: Kysely<Database>, config: pg.QueryConfig): Promise<Row[]> {
  if (!(db instanceof BoundKysely)) throw new Error('statements run on a transaction or on a pool');
  const { rows } = await db.execute(config);
  return rows as Row[];
}

/** Runs a named prepared statement. Use `run` for SQL whose plan depends on the values. */
export const prepared = <Row>(
  db: Kysely<Database>,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> => rowsOf<Row>(db, { name, text, values: [...values] });

export const run = <Row>(db: Kysely<Database>, text: string, values: readonly unknown[]): Promise<Row[]> =>
  rowsOf<Row>(db, { text, values: [...values] });
