import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/index.ts';
import { type ConnectionSettings, migrate } from '../../src/platform/postgres/index.ts';
import { ensureBuild } from './build.ts';
import { givenServers, joinCitusNodes, using } from './given-servers.ts';
import { makeKeyPool } from './key-pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ConnectionSettings;
    /** All servers on which a database is created. With Citus these are the coordinator and its workers. */
    servers: ConnectionSettings[];
  }
}

export const TEMPLATE_DATABASE = 'gatehouse_template';

/** Most tests that need the build are in this Vitest project. */
const STARTS_PROCESSES = 'full';

/** The databases are in memory if possible, because a run creates many of them. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 8 * 1024 ** 3;

async function folderForDatabases(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null);
  return memory !== null && memory.bavail * memory.bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
}

/**
 * By default, pg_stat_statements tracks nothing. A test can change this for its own database through `settings` of
 * `openTestDatabase`.
 */
const STATISTICS = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'none' };

/** The servers on which the tests create databases. */
interface TestServers {
  readonly servers: readonly ConnectionSettings[];
  readonly stop: () => Promise<void>;
}

/** For speed, PostgreSQL does not wait for the disk. */
async function startServer(): Promise<TestServers> {
  const directory = await mkdtemp(join(await folderForDatabases(), 'gatehouse-test-'));
  // If the tests run as root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDirectory: join(directory, 'data'),
    outsideDirectory: join(directory, 'outside'),
    durability: 'off',
    maxConnections: 300,
    settings: STATISTICS,
    log: () => undefined,
  });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { servers: [{ ...postgres.connection }], stop };
}

/** Creates the template database. Nobody may connect to it later, because a database in use cannot be copied. */
async function createTemplate(servers: readonly ConnectionSettings[]): Promise<void> {
  for (const server of servers) {
    await using(server, async (client) => {
      await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
      await client.query(`create database ${TEMPLATE_DATABASE}`);
    });
  }
  await joinCitusNodes(servers, TEMPLATE_DATABASE);
  await migrate({ ...servers[0], database: TEMPLATE_DATABASE });
  for (const server of servers) {
    await using(server, async (client) => {
      await client.query(`alter database ${TEMPLATE_DATABASE} allow_connections false`);
      await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
        TEMPLATE_DATABASE,
      ]);
    });
  }
}

/** Prepares the template database and the key pool. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (project.name === STARTS_PROCESSES) await ensureBuild();
  const keys = makeKeyPool();
  const given = await givenServers();
  const { servers, stop } = given === null ? await startServer() : { servers: given, stop: () => Promise.resolve() };
  await createTemplate(servers);
  const [postgres] = servers;
  if (postgres === undefined) throw new Error('no server was started');
  project.provide('postgres', { ...postgres });
  project.provide('servers', [...servers]);
  project.provide('madeKeys', await keys);
  return stop;
}
