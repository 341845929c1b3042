import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';

/** SQL text with its parameters; `name` makes it a prepared statement (primary-key reads and writes only). */
export interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string;
}

type Execute = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

/**
 * The function that each Kysely instance runs its queries with. Hand-written SQL calls it directly, since it needs none
 * of Kysely's processing.
 */
const executes = new WeakMap<Kysely<Database>, Execute>();

/** Sends hand-written SQL directly to the connection behind `db`. */
export function bindStatements(db: Kysely<Database>, execute: Execute): void {
  executes.set(db, execute);
}

async function rowsOf<Row>(db: Kysely<Database>, config: pg.QueryConfig): Promise<Row[]> {
  const execute = executes.get(db);
  if (execute === undefined) throw new Error('statements run on a transaction or on a pool');
  const { rows } = await execute(config);
  return rows;
}

/**
 * Runs hand-written SQL as a named prepared statement on whatever `db` is bound to (a transaction or the pool).
 * Only for primary-key reads and writes: lists and searches must be planned with their values.
 */
export const prepared = <Row>(
  db: Kysely<Database>,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> => rowsOf<Row>(db, { name, text, values: [...values] });

/** Runs hand-written SQL once, planned with its values. */
export const run = <Row>(db: Kysely<Database>, text: string, values: readonly unknown[]): Promise<Row[]> =>
  rowsOf<Row>(db, { text, values: [...values] });
