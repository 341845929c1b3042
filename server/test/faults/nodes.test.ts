import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNodes, type Nodes } from '../../src/app/background/nodes.ts';
import { applyDeferred, knownMigrations, MigrationError, migrate } from '../../src/platform/postgres/index.ts';
import { openEmptyDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestService } from '../support/service.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

let folder: string;
let newest: number;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-deferred-'));
  await cp(MIGRATIONS, folder, { recursive: true });
  newest = (await knownMigrations()).version + 1;
  const name = `${String(newest).padStart(4, '0')}_new_form.deferred.contract.sql`;
  await writeFile(join(folder, name), 'create table new_form (id integer primary key);\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const nodesOf = (directory: string = folder): Nodes =>
  createNodes({
    db: database.db,
    connection: database.connection,
    migrations: () => knownMigrations(directory),
    onApplied: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
const rows = async (): Promise<string[]> => {
  const text = 'select version from nodes order by version';
  return (await database.pool.query<{ version: string }>(text)).rows.map(({ version }) => version);
};
/** Makes every process look as if it had last reported `seconds` earlier. */
const elapse = (seconds: number) =>
  database.pool.query('update nodes set seen_at = seen_at - make_interval(secs => $1)', [seconds]);

test('every process records its build while it runs', async () => {
  const services = [await startTestService({ database }), await startTestService({ database })];
  for (const { application } of services) await application.nodes.beat();
  expect(await rows()).toEqual([String(newest - 1), String(newest - 1)]);
  await services[0]?.close();
  expect(await rows()).toHaveLength(1);
  await services[1]?.close();
  expect(await rows()).toEqual([]);
});

describe('a deferred migration', () => {
  test('is applied at once in a new installation', async () => {
    const empty = await openEmptyDatabase();
    try {
      const { applied, version } = await migrate(empty.connection, folder);
      expect([applied.at(-1), version]).toEqual([expect.stringContaining('_new_form.'), newest]);
    } finally {
      await empty.close();
    }
  });

  test('is left out of every other start, and its form is not written', async () => {
    expect(await migrate(database.connection, folder)).toEqual({ applied: [], version: newest - 1 });
    const nodes = nodesOf();
    await nodes.beat();
    expect(nodes.mayWrite(newest)).toBe(false);
  });

  test('waits until an older build that writes to `nodes` was not seen for a minute', async () => {
    await nodesOf(MIGRATIONS).beat();
    expect(await applyDeferred(database.connection, folder)).toEqual([]);
    await elapse(59);
    expect(await applyDeferred(database.connection, folder)).toEqual([]);
    await elapse(2);
    expect(await applyDeferred(database.connection, folder)).toHaveLength(1);
    expect(await applyDeferred(database.connection, folder)).toEqual([]);
  });

  test('waits for builds that do not write to `nodes`, which their connections reveal', async () => {
    const client = new pg.Client({ ...database.connection, application_name: 'gatehouse-relay' });
    await client.connect();
    const nodes = nodesOf();
    await nodes.beat();
    expect(await rows()).toEqual(['0', String(newest)]);
    expect(await applyDeferred(database.connection, folder)).toEqual([]);
    await client.end();
    await elapse(61);
    await nodes.beat();
    expect(await applyDeferred(database.connection, folder)).toHaveLength(1);
    await nodes.beat();
    expect(nodes.mayWrite(newest)).toBe(true);
  });

  test('keeps older builds from starting once it is applied', async () => {
    expect(await applyDeferred(database.connection, folder)).toHaveLength(1);
    await expect(migrate(database.connection)).rejects.toThrow(MigrationError);
    expect(await migrate(database.connection, folder)).toEqual({ applied: [], version: newest });
  });

  test('is applied by one of two processes', async () => {
    const both = await Promise.all([
      applyDeferred(database.connection, folder),
      applyDeferred(database.connection, folder),
    ]);
    expect(both.flat()).toHaveLength(1);
  });

  test('is not applied while another process migrates', async () => {
    const client = new pg.Client({ ...database.connection });
    await client.connect();
    await client.query('select pg_advisory_lock(7449355575226105203)');
    expect(await applyDeferred(database.connection, folder)).toEqual([]);
    await client.end();
  });
});
