import { InstallationError } from '../../installation/installation.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { readAppliedVersions } from '../../platform/operations/index.ts';
import { type Db, failureCode, type KnownMigrations, knownMigrations } from '../../platform/postgres/index.ts';

const NO_TABLE = '42P01';

/** Returns the versions of the applied migrations. There are none if no migration has ever run. */
export const appliedVersionsOf = (db: Db): Promise<readonly number[]> =>
  readAppliedVersions(db).catch((error: unknown) => {
    if (failureCode(error) === NO_TABLE) return [];
    throw error;
  });

/**
 * Returns the known migrations that have not been applied. A deferred migration may be absent although a later one has
 * been applied, so the newest version alone does not tell.
 */
export function absentVersions(applied: readonly number[], { version }: KnownMigrations): readonly number[] {
  const present = new Set(applied);
  return Array.from({ length: version }, (_, index) => index + 1).filter((one) => !present.has(one));
}

/**
 * Refuses a database without a migration that this release needs, as after an update while the old server still runs. A
 * deferred migration may be absent.
 */
export async function refuseOldSchema(db: Db): Promise<void> {
  const known = await knownMigrations();
  const applied = await appliedVersionsOf(db);
  const absent = absentVersions(applied, known).filter((version) => !known.deferred.includes(version));
  if (absent.length === 0) return;
  throw new InstallationError(
    `The database has schema version ${applied.at(-1) ?? 0}, but this command needs ${absent.at(-1)}. ` +
      `Start this release, or run ${commandLine('migrate')}.`,
  );
}
