import type { Kysely } from 'kysely';
import type { DB } from '../schema.generated.ts';

export type Database = DB;

/** The database for reads outside of a transaction. */
export type Db = Kysely<Database>;

/** The database within one unit of work: a Kysely on a single connection. The same stores can use `Db` and `Tx`. */
export type Tx = Kysely<Database>;
