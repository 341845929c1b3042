import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import type { StatementResult } from './packet.ts';

/** SQL text with its parameters. With a `name`, it is a prepared statement (see `prepared`). */
export interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string;
}

type Execute = (config: pg.QueryConfig) => Promise<StatementResult>;

/** The functions that run the queries of each Kysely. Hand-written SQL is passed to them directly. */
const executes = new WeakMap<Kysely<Database>, Execute>();

export function bindStatements(db: Kysely<Database>, execute: Execute): void {
  executes.set(db, execute);
}

async function rowsOf<Row>(db: Kysely<Database>, config: pg.QueryConfig): Promise<Row[]> {
  const execute = executes.get(db);
  if (execute === undefined) throw new Error('statements run on a transaction or on a pool');
  const { rows } = await execute(config);
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
