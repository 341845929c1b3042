import { CompiledQuery, type Kysely, RawNode } from 'kysely';
import type { Database } from './database.ts';

/** SQL text with its parameters; `name` makes it a prepared statement (primary-key reads and writes only). */
export interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string;
}

interface NamedQuery extends CompiledQuery {
  readonly name?: string;
}

/** The name a compiled query was given by `prepared`, if any. */
export const nameOf = (query: CompiledQuery): string | undefined => (query as NamedQuery).name;

/**
 * Runs hand-written SQL as a named prepared statement on whatever `db` is bound to (a transaction or the pool).
 * Only for primary-key reads and writes: lists and searches must be planned with their values.
 */
export async function prepared<Row>(
  db: Kysely<Database>,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const query: NamedQuery = {
    ...CompiledQuery.raw(text, [...values]),
    query: RawNode.createWithSql(text),
    name,
  };
  const result = await db.executeQuery<Row>(query);
  return result.rows;
}

/** Runs hand-written SQL once, planned with its values. */
export async function run<Row>(db: Kysely<Database>, text: string, values: readonly unknown[]): Promise<Row[]> {
  const result = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return result.rows;
}
