import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { packageFile } from '../package-folder.ts';
import type { ConnectionSettings } from './connections/connection-settings.ts';
import { failureCode } from './connections/failures.ts';

export interface MigrationReport {
  /** The names of the files that this run applied, in order. */
  applied: readonly string[];
  /** The version of the schema after the run. */
  version: number;
}

interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
  /** Whether it must run outside a transaction (`create index concurrently`). Its text must then be idempotent. */
  concurrent: boolean;
}

const MIGRATIONS_DIRECTORY = packageFile('migrations');

/** The key of the advisory lock, which must be the same in all processes of all versions. */
const MIGRATION_LOCK = '7449355575226105203';
const LOCK_NOT_AVAILABLE = '55P03';
const MAXIMUM_ATTEMPTS = 20;
/** Matches a migration that removes something that older builds use, so that they must no longer start. */
const CONTRACTS = /\.contract\.(?:concurrent\.)?sql$/;

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{4})_/.exec(name)?.[1]);
    if (!Number.isInteger(version)) throw new Error(`migration ${name} is not named NNNN_name.sql`);
    if (version !== migrations.length + 1) throw new Error(`migration ${name} leaves a gap in the numbering`);
    const text = await readFile(join(directory, name), 'utf8');
    const checksum = createHash('sha256').update(text).digest('hex');
    migrations.push({ version, name, text, checksum, concurrent: name.endsWith('.concurrent.sql') });
  }
  return migrations;
}

const NOTE_APPLIED =
  'insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, clock_timestamp())';

async function applyOnce(client: pg.Client, migration: Migration): Promise<void> {
  const note = [migration.version, migration.name, migration.checksum];
  if (migration.concurrent) {
    await client.query(migration.text);
    await client.query(NOTE_APPLIED, note);
    return;
  }
  await client.query('begin');
  try {
    await client.query("set local lock_timeout = '2s'");
    await client.query(migration.text);
    await client.query(NOTE_APPLIED, note);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Applies a migration. It waits briefly for locks and then tries again, so that requests do not queue up for long. */
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

/** Thrown when this build cannot use the schema. */
export class MigrationError extends Error {}

/** Throws MigrationError if a newer build removed something from the schema. */
function refuseContracted(applied: ReadonlyMap<number, Applied>, known: number): void {
  for (const { version, name } of applied.values()) {
    if (version <= known || !CONTRACTS.test(name)) continue;
    throw new MigrationError(
      `The database has schema version ${version} (${name}), this build knows ${known}: start a newer version.`,
    );
  }
}

/**
 * Updates the schema to this version: forward only, under an advisory lock, over a separate connection. Throws
 * MigrationError if an applied file was edited, or if a newer build removed something (`NNNN_name.contract.sql`).
 */
export async function migrate(
  connection: ConnectionSettings,
  directory: string = MIGRATIONS_DIRECTORY,
): Promise<MigrationReport> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ ...connection, application_name: 'gatehouse-migrate' });
  // A lost connection rejects the running statement. Without a listener, the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await readApplied(client);
    refuseContracted(applied, migrations.length);
    const done: string[] = [];
    for (const migration of migrations) {
      const checksum = applied.get(migration.version)?.checksum;
      if (checksum === migration.checksum) continue;
      if (checksum !== undefined) {
        throw new MigrationError(
          `The migration ${migration.name} was changed after it had been applied: start the version that applied it.`,
        );
      }
      await apply(client, migration);
      done.push(migration.name);
    }
    return { applied: done, version: Math.max(migrations.length, ...applied.keys()) };
  } finally {
    await client.end().catch(() => undefined);
  }
}
