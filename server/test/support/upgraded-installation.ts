import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { migrate } from '../../src/platform/postgres/index.ts';
import { openEmptyDatabase, type TestDatabase } from './database.ts';

export interface FilledTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** A JSON array of objects as PostgreSQL wrote it. JavaScript never parses the array, so that no digit is lost. */
  readonly rows: string;
}

/** An installation of a release, as stored by `tools/upgrade-fixture.ts`. */
export interface FilledInstallation {
  readonly version: string;
  readonly schema: number;
  readonly madeAt: string;
  readonly masterKey: string;
  readonly publicPort: number;
  readonly apiToken: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly tables: readonly FilledTable[];
  readonly sequences: readonly { readonly name: string; readonly value: string }[];
}

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
const FIXTURES = new URL('../upgrades/', import.meta.url);

export async function readFilledInstallation(version: string): Promise<FilledInstallation> {
  const packed = await readFile(new URL(`${version}.json.gz`, FIXTURES));
  return JSON.parse(gunzipSync(packed).toString('utf8')) as FilledInstallation;
}

/** Creates the schema of a release. Migrations never change, so the first of today's migrations create this schema. */
async function migrateTo(database: TestDatabase, schema: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-migrations-'));
  try {
    const names = (await readdir(MIGRATIONS)).filter((name) => Number(name.slice(0, 4)) <= schema);
    for (const name of names) await copyFile(join(MIGRATIONS, name), join(directory, name));
    await migrate(database.connection, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * This query builds statements that move times forward by the age of the fixture, so that its data has not expired. The
 * log keeps its times, because its hashes cover them.
 */
const SHIFT = `select format('update %I set %s', c.table_name,
    string_agg(format('%1$I = %1$I + $1::interval', c.column_name), ', ')) as statement
  from information_schema.columns c join pg_class t on t.oid = to_regclass(c.table_name) and t.relkind = 'r'
  where c.table_schema = 'public' and c.data_type = 'timestamp with time zone' and c.is_generated = 'NEVER'
    and not t.relispartition and c.table_name !~ '^log_' and c.table_name not in ('schema_migrations', 'orgs')
  group by c.table_name`;

async function load(client: pg.PoolClient, filled: FilledInstallation): Promise<void> {
  await client.query('begin');
  // Tables are filled in the order of their names, so foreign keys must not be checked meanwhile.
  await client.query("set local session_replication_role = 'replica'");
  await client.query("select log_ensure_partitions($1::timestamptz - interval '1 day', now() + interval '35 days')", [
    filled.madeAt,
  ]);
  for (const { columns, name, rows } of filled.tables) {
    await client.query(`delete from ${name}`);
    const list = columns.map((column) => `"${column}"`).join(', ');
    const text = `insert into ${name} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${name}, $1::json)`;
    await client.query(text, [rows]);
  }
  for (const { name, value } of filled.sequences) await client.query('select setval($1, $2::bigint)', [name, value]);
  const { rows } = await client.query<{ statement: string }>(SHIFT);
  const age = `${Math.max(0, Date.now() - Date.parse(filled.madeAt))} milliseconds`;
  for (const { statement } of rows) await client.query(statement, [age]);
  await client.query('commit');
}

/** Opens a database with the fixture's data and the schema of its release. */
export async function openFilledDatabase(filled: FilledInstallation): Promise<TestDatabase> {
  const database = await openEmptyDatabase();
  await migrateTo(database, filled.schema);
  const client = await database.pool.connect();
  try {
    await load(client, filled);
  } finally {
    client.release();
  }
  return database;
}
