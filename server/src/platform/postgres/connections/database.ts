import type { Kysely } from 'kysely';
import type { DB } from '../schema.generated.ts';

export type Database = DB;

/** The database outside of a unit of work, where each statement is a transaction of its own. */
export type Db = Kysely<Database>;

/** The database within one unit of work: a Kysely on a single connection. A store that takes `Db` also takes `Tx`. */
export type Tx = Kysely<Database>;
