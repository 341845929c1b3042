import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ConnectionSettings, migrate } from '../../src/platform/postgres/index.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';

// F3 (docs/faults.md): the migrating process dies at each of its steps. The test only breaks the connection, because
// the database sees no more than that.

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const NAME = `migration_fault_${process.pid}`;

const connection = (): ConnectionSettings => ({ ...inject('postgres'), database: NAME });

async function administer(text: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres') });
  await client.connect();
  await client.query(text);
  await client.end();
}

const emptyDatabase = async (template = 'template0'): Promise<void> => {
  await administer(`drop database if exists ${NAME} with (force)`);
  await administer(`create database ${NAME} template ${template}`);
};

async function inDatabase<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ ...connection() });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function shape(): Promise<string> {
  const [row] = await inDatabase<{ shape: string }>(`
    select string_agg(part, e'\\n' order by part) as shape from (
      select c.relname || '.' || a.attname || ' ' || a.atttypid::regtype as part
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
      union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace) as parts`);
  return row?.shape ?? '';
}

const appliedVersions = async (): Promise<number[]> => {
  const [row] = await inDatabase<{ known: boolean }>("select to_regclass('schema_migrations') is not null as known");
  if (row?.known !== true) return [];
  const rows = await inDatabase<{ version: number }>('select version from schema_migrations order by version');
  return rows.map(({ version }) => version);
};

/** The number of migrations in a run. It is small, because the test needs one run for each answer of the database. */
const STEPS = 3;
/** The name of a database that lacks only the last migrations. */
const NEARLY = `${NAME}_nearly`;

let names: string[];
/** The migrations that an existing installation applies when it starts, which are all but deferred ones. */
let steps: string[];
const directories: string[] = [];

const versionOf = (name: string): number => Number(name.slice(0, 4));

/** Makes a folder with the migrations up to a number of steps. It contains the deferred ones between them, too. */
async function first(count: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-older-'));
  directories.push(directory);
  for (const name of names.slice(0, 1 + names.indexOf(steps[count - 1] ?? '')))
    await cp(join(MIGRATIONS, name), join(directory, name));
  return directory;
}

beforeAll(async () => {
  names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  steps = names.filter((name) => !name.includes('.deferred.'));
  await administer(`drop database if exists ${NEARLY} with (force)`);
  await administer(`create database ${NEARLY} template template0`);
  await migrate({ ...inject('postgres'), database: NEARLY }, await first(steps.length - STEPS));
});
afterAll(async () => {
  for (const name of [NAME, NEARLY]) await administer(`drop database if exists ${name} with (force)`);
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

describe('a migration that is killed', () => {
  it.each([
    ['from nothing', () => ({ template: 'template0', count: STEPS })],
    ['to the newest', () => ({ template: NEARLY, count: steps.length })],
  ])(
    '%s leaves whole steps, from which the old version starts and the next start goes on',
    async (_, series) => {
      const { count, template } = series();
      const [older, newer] = [await first(count - 1), await first(count)];
      await emptyDatabase(template);
      await migrate(connection(), newer);
      const whole = await shape();
      let cuts = 0;
      const stoppedAfter = new Set<number>();
      for (let answer = 1; ; answer += 1) {
        await emptyDatabase(template);
        const proxy = await openDatabaseProxy(connection());
        proxy.cutAtAnswer(answer);
        const outcome = await migrate(proxy.connection, newer).then(
          () => 'finished',
          () => 'killed',
        );
        await proxy.close();
        // This call waits until PostgreSQL notices the lost connection and releases the advisory lock.
        const old = await migrate(connection(), older);
        const before = await appliedVersions();
        const isApplied = (name: string): boolean => before.includes(versionOf(name));
        const done = steps.filter(isApplied).length;
        expect(steps.map(isApplied)).toEqual(steps.map((_name, index) => index < done));
        expect(old.version).toBe(before.at(-1));
        stoppedAfter.add(done);
        const report = await migrate(connection(), newer);
        expect(report.applied).toEqual(steps.slice(done, count));
        expect(await shape()).toBe(whole);
        if (outcome === 'finished') break;
        cuts += 1;
      }
      expect(cuts).toBeGreaterThan(STEPS * 3);
      expect(stoppedAfter).toEqual(new Set([count - 1, count]));
    },
    120_000,
  );
});

describe('a schema that is newer than the build', () => {
  const withNewer = async (name: string): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-newer-'));
    await cp(MIGRATIONS, directory, { recursive: true });
    await writeFile(join(directory, name), 'create table newer (id integer);');
    return directory;
  };
  const next = (): string => String(names.length + 1).padStart(4, '0');

  it('serves the old version when it only adds', async () => {
    await emptyDatabase();
    const directory = await withNewer(`${next()}_newer.sql`);
    expect((await migrate(connection(), directory)).version).toBe(names.length + 1);
    expect(await migrate(connection())).toEqual({ applied: [], version: names.length + 1 });
    await rm(directory, { recursive: true });
  });

  it('refuses the old version when it took something away', async () => {
    await emptyDatabase();
    const directory = await withNewer(`${next()}_newer.contract.sql`);
    await migrate(connection(), directory);
    await expect(migrate(connection())).rejects.toThrow('start a newer version');
    await rm(directory, { recursive: true });
  });
});
