import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/index.ts';
import { type ConnectionSettings, migrate } from '../../src/platform/postgres/index.ts';
import { ensureBuild } from './build.ts';
import { makeKeyPool } from './key-pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ConnectionSettings;
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

/** Prepares the template database and the key pool. For speed, PostgreSQL does not wait for the disk. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (project.name === STARTS_PROCESSES) await ensureBuild();
  const keys = makeKeyPool();
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
  const connection: ConnectionSettings = { ...postgres.connection };
  const client = new pg.Client({ ...connection });
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate({ ...connection, database: TEMPLATE_DATABASE });
  project.provide('postgres', connection);
  project.provide('madeKeys', await keys);
  return async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
