import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../../kernel/errors/operator-error.ts';
import { packageFile } from '../package-folder.ts';
import { distribute, isCitus } from './citus/distribute.ts';
import { failureCode } from './connections/failures.ts';
import type { ConnectionSettings } from './servers/connection-settings.ts';
import { openClient } from './servers/primary-client.ts';
import { hasOlderNode } from './stores/nodes-store.ts';

export interface MigrationReport {
  applied: readonly string[];
  version: number;
}

interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
  /**
   * Whether the migration must run outside a transaction (`create index concurrently`). Its text must then be
   * idempotent.
   */
  concurrent: boolean;
  /** Whether the migration waits until no process of an older build runs (ADR 0070). */
  deferred: boolean;
}

const MIGRATIONS_DIRECTORY = packageFile('migrations');

const IDLE_MILLISECONDS = 60_000;
/** The key of the advisory lock, which must be the same in all processes of all versions. */
const MIGRATION_LOCK = '7449355575226105203';
const LOCK_NOT_AVAILABLE = '55P03';
const MAXIMUM_ATTEMPTS = 20;
/**
 * The form of the name of a migration after which older builds must refuse to start. The migration removes something
 * that they use, or lets newer builds write rows that older builds cannot read.
 */
const CONTRACTS = /\.contract\.(?:concurrent\.)?sql$/;
/** The form of the name of a migration after which this build writes rows in a form that older builds cannot read. */
const DEFERRED = /\.deferred\.contract\.sql$/;

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{4})_/.exec(name)?.[1]);
    if (!Number.isInteger(version)) throw new Error(`migration ${name} is not named NNNN_name.sql`);
    if (version !== migrations.length + 1) throw new Error(`migration ${name} leaves a gap in the numbering`);
    const text = await readFile(join(directory, name), 'utf8');
    const checksum = createHash('sha256').update(text).digest('hex');
    migrations.push({
      version,
      name,
      text,
      checksum,
      concurrent: name.endsWith('.concurrent.sql'),
      deferred: DEFERRED.test(name),
    });
  }
  return migrations;
}

export interface KnownMigrations {
  readonly version: number;
  /** The versions that wait until no process of an older build runs. */
  readonly deferred: readonly number[];
}

export async function knownMigrations(directory: string = MIGRATIONS_DIRECTORY): Promise<KnownMigrations> {
  const migrations = await readMigrations(directory);
  const deferred = migrations.filter((migration) => migration.deferred).map(({ version }) => version);
  return { version: migrations.length, deferred };
}

const NOTE_APPLIED =
  'insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, clock_timestamp())';

async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function distributeOnCitus(client: pg.Client, hasAll: boolean): Promise<void> {
  if (await isCitus(client)) await inTransaction(client, () => distribute(client, hasAll));
}

async function applyOnce(client: pg.Client, migration: Migration): Promise<void> {
  const note = [migration.version, migration.name, migration.checksum];
  if (migration.concurrent) {
    await client.query(migration.text);
    await client.query(NOTE_APPLIED, note);
    return;
  }
  await inTransaction(client, async () => {
    await client.query("set local lock_timeout = '2s'");
    await client.query(migration.text);
    await client.query(NOTE_APPLIED, note);
  });
}

/**
 * Within a transaction, each attempt waits at most 2 s for a lock, so that requests do not queue behind the migration
 * for long.
 */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(client, migration);
    } catch (error) {
      if (failureCode(error) !== LOCK_NOT_AVAILABLE || tries >= MAXIMUM_ATTEMPTS) throw error;
      await delay(250 * Math.random() + 50 * tries);
    }
  }
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

async function readApplied(client: pg.Client): Promise<Map<number, Applied>> {
  await client.query(`create table if not exists schema_migrations (
    version    integer not null,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null,
    constraint schema_migrations_pkey primary key (version)
  )`);
  const { rows } = await client.query<Applied>(
    'select version, name, checksum from schema_migrations order by version',
  );
  return new Map(rows.map((row) => [row.version, row]));
}

/** This error is thrown when this build cannot use the schema. */
export class MigrationError extends OperatorError {}

function refuseContracted(applied: ReadonlyMap<number, Applied>, known: number): void {
  for (const { version, name } of applied.values()) {
    if (version <= known || !CONTRACTS.test(name)) continue;
    throw new MigrationError(
      `The database has schema version ${version} (${name}), this build knows ${known}: start a newer version.`,
    );
  }
}

/**
 * Updates the schema to this build's version, under an advisory lock. Never returns to an earlier version. A new
 * installation gets the deferred migrations at once. In any other, `applyDeferred` applies them later.
 */
export async function migrate(
  connection: ConnectionSettings,
  directory: string = MIGRATIONS_DIRECTORY,
): Promise<MigrationReport> {
  const migrations = await readMigrations(directory);
  return asMigrator(connection, async (client) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await readApplied(client);
    refuseContracted(applied, migrations.length);
    const isNew = applied.size === 0;
    const done: Migration[] = [];
    for (const migration of migrations) {
      if (isAsApplied(migration, applied) || (migration.deferred && !isNew)) continue;
      await apply(client, migration);
      done.push(migration);
    }
    const versions = [...applied.keys(), ...done.map(({ version }) => version)];
    const hasAll = migrations.every(({ version }) => versions.includes(version));
    await distributeOnCitus(client, hasAll);
    return { applied: done.map(({ name }) => name), version: Math.max(0, ...versions) };
  });
}

function isAsApplied({ checksum, name, version }: Migration, applied: ReadonlyMap<number, Applied>): boolean {
  const recorded = applied.get(version)?.checksum;
  if (recorded !== undefined && recorded !== checksum) {
    throw new MigrationError(
      `The migration ${name} was changed after it had been applied: start the version that applied it.`,
    );
  }
  return recorded !== undefined;
}

async function asMigrator<Result>(
  connection: ConnectionSettings,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openClient(connection, {
    application_name: 'gatehouse-migrations',
    // A paused process must not hold the locks of a migration for ever.
    settings: { idle_in_transaction_session_timeout: String(IDLE_MILLISECONDS) },
  });
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Applies the deferred migrations that have not been applied, in order. Stops at the first one that is unknown to a
 * process seen in the last minute (`nodes`), or whose locks are not free. A process of an older build that starts
 * meanwhile waits for the advisory lock, and then refuses the new schema.
 */
export async function applyDeferred(
  connection: ConnectionSettings,
  directory: string = MIGRATIONS_DIRECTORY,
): Promise<readonly string[]> {
  const deferred = (await readMigrations(directory)).filter((migration) => migration.deferred);
  if (deferred.length === 0) return [];
  return asMigrator(connection, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.locked !== true) return [];
    const applied = await readApplied(client);
    const done: string[] = [];
    for (const migration of deferred) {
      if (isAsApplied(migration, applied)) continue;
      if (await hasOlderNode(client, migration.version)) break;
      if (!(await applyIfFree(client, migration))) break;
      done.push(migration.name);
    }
    if (done.length > 0) await distributeOnCitus(client, done.length === deferred.length);
    return done;
  });
}

/** Returns false if a lock that the migration needs is not free. */
async function applyIfFree(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    await applyOnce(client, migration);
    return true;
  } catch (error) {
    if (failureCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
