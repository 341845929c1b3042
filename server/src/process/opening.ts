import type { Logger } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import {
  type Check,
  createInstallationMetrics,
  databaseChecks,
  type ManagementServer,
  startManagementServer,
} from '../platform/operations/index.ts';
import { createPool, migrate, readerOver } from '../platform/postgres/index.ts';
import type { Config } from '../settings/config.ts';
import { type OpenDatabase, openDatabase } from './database/database.ts';
import { embeddedLog } from './log.ts';
import type { Undo } from './stopping.ts';

export interface Running {
  readonly config: Config;
  readonly log: Logger;
  readonly undo: Undo;
}

/** The service loads its modules while the database is being opened. */
export interface Service {
  readonly checks: Readonly<Record<string, Check>>;
  readonly metrics: () => Promise<string>;
  /**
   * The promise rejects if the application can't be loaded, or if its first worker ends before it listens. It never
   * resolves.
   */
  readonly failed: Promise<never>;
  readonly start: (database: OpenDatabase) => Promise<string>;
}

const HEALTH_TIMEOUT_MILLISECONDS = 2_000;
const HEALTH_CONNECTIONS = 2;

interface Migrated {
  readonly connection: OpenDatabase['connection'];
  readonly schemaVersion: number;
}

export async function open({ config, log }: Running, onFailure: (error: Error) => void): Promise<OpenDatabase> {
  const database = await openDatabase(config, { log: embeddedLog(log), onFailure });
  const { workers } = database.sizes;
  if (workers < config.workers)
    log.info({ workers }, "fewer workers are started to fit the database's max_connections");
  return database;
}

export async function begin(running: Running, database: OpenDatabase, service: Service) {
  const { connection } = database;
  const { version: schemaVersion } = await migrate(connection);
  const management = await startManagement(running, { connection, schemaVersion }, service);
  return { management, greeting: await service.start(database) };
}

/** Health checks have their own connections, because an exhausted pool is no outage. */
async function startManagement(
  { config, log, undo }: Running,
  { connection, schemaVersion }: Migrated,
  service: Service,
): Promise<ManagementServer> {
  const pool = createPool({
    connection,
    maximumConnections: HEALTH_CONNECTIONS,
    applicationName: 'gatehouse-health',
    // A check that PostgreSQL ends can still tell why.
    statementTimeoutMilliseconds: HEALTH_TIMEOUT_MILLISECONDS - 500,
    acquireTimeoutMilliseconds: HEALTH_TIMEOUT_MILLISECONDS,
  });
  undo.push(() => pool.end());
  const db = readerOver(pool);
  const server = await startManagementServer({
    host: config.managementHost,
    port: config.managementPort,
    checks: { ...databaseChecks(db, schemaVersion), ...service.checks },
    metrics: [service.metrics, createInstallationMetrics(db, systemClock)],
    onError: (error) => log.error({ err: error }, 'the management port failed'),
  });
  undo.push(() => server.close());
  return server;
}
