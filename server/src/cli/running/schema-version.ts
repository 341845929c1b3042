import { readSchemaVersion } from '../../platform/operations/index.ts';
import { type Db, failureCode } from '../../platform/postgres/index.ts';

const NO_TABLE = '42P01';

/** Returns the version of the schema, or 0 if no migration has ever run. */
export const schemaVersionOf = (db: Db): Promise<number> =>
  readSchemaVersion(db).catch((error: unknown) => {
    if (failureCode(error) === NO_TABLE) return 0;
    throw error;
  });
