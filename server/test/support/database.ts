import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { inject } from 'vitest';
import { type ConnectionSettings, createPool, type Database, readerOver } from '../../src/platform/postgres/index.ts';
import { using } from './given-servers.ts';
import { TEMPLATE_DATABASE } from './global-setup.ts';
import { undoSwitch } from './log-switch.ts';

export interface TestDatabase {
  readonly connection: ConnectionSettings;
  readonly pool: pg.Pool;
  readonly db: Kysely<Database>;
  readonly kysely: Kysely<Database>;
  close(): Promise<void>;
}

/** Runs a statement on each server, because a database of a Citus cluster is one database on each of its nodes. */
async function administer(text: string): Promise<void> {
  await Promise.all(inject('servers').map((server) => using(server, (client) => client.query(text))));
}

const MAXIMUM_DROPS = 5;

/** Whether an error is that of a database to which others are connected. */
const isInUse = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55006';

/** The background process of Citus opens connections of its own, also to a database that is about to be dropped. */
async function drop(name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await administer(`drop database if exists ${name} with (force)`);
    } catch (error) {
      if (!isInUse(error) || tries === MAXIMUM_DROPS) throw error;
    }
  }
}

export interface TestDatabaseOptions {
  readonly maximumConnections?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** The value false makes the database that of an upgraded installation, whose relay appends to `log_events`. */
  readonly isSwitched?: false;
}

/** Opens a new copy of the migrated template. `close` drops it. */
export const openTestDatabase = (options: TestDatabaseOptions = {}): Promise<TestDatabase> =>
  open(`template ${TEMPLATE_DATABASE} strategy file_copy`, options);

export const openEmptyDatabase = (): Promise<TestDatabase> => open('template template0', {});

async function open(source: string, options: TestDatabaseOptions): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`create database ${name} ${source}`);
  for (const [setting, value] of Object.entries(options.settings ?? {}))
    await administer(`alter database ${name} set ${setting} = '${value}'`);
  const connection = { ...inject('postgres'), database: name };
  const pool = createPool({
    connection,
    maximumConnections: options.maximumConnections ?? 12,
    applicationName: name,
    statementTimeoutMilliseconds: 30_000,
  });
  if (options.isSwitched === false) await undoSwitch({ connection, pool });
  const db = readerOver(pool);
  return {
    connection,
    pool,
    db,
    kysely: db,
    async close() {
      await pool.end();
      await drop(name);
    },
  };
}
