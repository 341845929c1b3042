import type { Kysely } from 'kysely';
import type { DB } from '../schema.generated.ts';

export type Database = DB;

/** Reads outside a transaction. */
export type Db = Kysely<Database>;

/** Statements of one unit of work: a plain Kysely bound to the one connection, so that stores serve both alike. */
export type Tx = Kysely<Database>;
