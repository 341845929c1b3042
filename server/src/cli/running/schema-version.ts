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

/** Returns the absent migrations that this release needs. A deferred migration may be absent. */
export const neededVersions = (applied: readonly number[], known: KnownMigrations): readonly number[] =>
  absentVersions(applied, known).filter((version) => !known.deferred.includes(version));

/** Names the newest version if only newer ones are needed, and otherwise each migration that is needed. */
export function neededText(
  applied: readonly number[],
  needed: readonly number[],
  { subject, version }: { readonly subject: string; readonly version: number },
): string {
  const found = applied.at(-1) ?? 0;
  if (needed.every((one) => one > found)) return `${found}, but this ${subject} needs ${version}`;
  return `${found} without ${needed.join(', ')}, but this ${subject} needs ${needed.length === 1 ? 'it' : 'them'}`;
}

/**
 * Refuses a database without a migration that this release needs, as after an update while the old server still runs. A
 * deferred migration may be absent.
 */
export async function refuseOldSchema(db: Db): Promise<void> {
  const known = await knownMigrations();
  const applied = await appliedVersionsOf(db);
  const needed = neededVersions(applied, known);
  const version = needed.at(-1);
  if (version === undefined) return;
  throw new InstallationError(
    `The database has schema version ${neededText(applied, needed, { subject: 'command', version })}. ` +
      `Start this release, or run ${commandLine('migrate')}.`,
  );
}
