import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import {
  type Check,
  createInstallationMetrics,
  createMetrics,
  databaseChecks,
  type ManagementServer,
  startManagementServer,
} from '../platform/operations/index.ts';
import { type ConnectionSettings, createPool, migrate, readerOver } from '../platform/postgres/index.ts';
import { type Config, formerNamesInUse, formerNameText } from '../settings/config.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { EXIT } from './exit-codes.ts';
import { createLog, embeddedLog } from './log.ts';
import { aboutSetting } from './operator-errors.ts';
import { endOnFaults, stopAll, stopSignal, type Undo } from './stopping.ts';
import { endWithSupervisor, reportReady } from './supervision/supervised.ts';
import { createWorkers } from './supervision/workers.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

/** The parts that a process starts first, and the steps that stop all its parts. */
interface Running {
  readonly config: Config;
  readonly log: Logger;
  readonly undo: Undo;
}

interface Opened {
  readonly connection: ConnectionSettings;
  readonly schemaVersion: number;
}

/** This process or its workers, which answer requests. It loads its modules while the database is being opened. */
interface Service {
  readonly checks: Readonly<Record<string, Check>>;
  readonly metrics: () => Promise<string>;
  /** Resolves with the text to print when requests are answered. */
  readonly start: (connection: ConnectionSettings) => Promise<string>;
}

const HEALTH_TIMEOUT_MILLISECONDS = 2_000;
const HEALTH_CONNECTIONS = 2;

/** Starts the management port. Health checks have their own connections, because an exhausted pool is no outage. */
async function startManagement(
  { config, log, undo }: Running,
  { connection, schemaVersion }: Opened,
  service: Service,
): Promise<ManagementServer> {
  const pool = createPool({
    connection,
    maximumConnections: HEALTH_CONNECTIONS,
    applicationName: 'gatehouse-health',
    statementTimeoutMilliseconds: HEALTH_TIMEOUT_MILLISECONDS,
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

/** Throws if one of the ports can't be opened. */
async function checkPorts({ host, managementHost, managementPort, port }: Config): Promise<void> {
  for (const { setting, ...wanted } of [
    { setting: 'GATEHOUSE_PORT', host, port },
    { setting: 'GATEHOUSE_MANAGEMENT_PORT', host: managementHost, port: managementPort },
  ]) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(aboutSetting(error, setting)));
      server.listen({ ...wanted, exclusive: true }, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Makes this process answer requests. It loads the application only here, because a primary does not need it. */
function inThisProcess(running: Running): Service {
  const loading = import('./serving/start-serving.ts');
  // `start` reports a failure. Until then, it must not count as unhandled.
  loading.catch(() => undefined);
  const metrics = createMetrics();
  let isListening = false;
  return {
    checks: { listener: async () => (isListening ? null : 'is not listening') },
    metrics: () => metrics.registry.metrics(),
    start: async (connection) => {
      const { startServing } = await loading;
      const greeting = await startServing({ ...running, connection, metrics, makesFirstOrg: true });
      isListening = true;
      return greeting;
    },
  };
}

/** Makes workers answer requests. */
function inWorkers({ config, log, undo }: Running): Service {
  const workers = createWorkers(config, log);
  undo.push(() => workers.stop());
  workers.prepare();
  return {
    checks: { workers: async () => (workers.listening() > 0 ? null : 'none listens') },
    metrics: () => workers.metrics(),
    start: (connection) => workers.start({ connection }),
  };
}

async function begin(running: Running, opened: Opened, service: Service) {
  const management = await startManagement(running, opened, service);
  return { management, greeting: await service.start(opened.connection) };
}

/**
 * Runs the service until SIGTERM or SIGINT, and resolves when all parts have stopped cleanly. Rejects if a part can't
 * start or stop, or if PostgreSQL is lost.
 */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  endOnFaults(log);
  for (const renamed of formerNamesInUse()) log.warn(formerNameText(renamed));
  const stopped = stopSignal(log);
  endWithSupervisor(() => {
    log.error('the supervisor of this process has ended, so this process ends too');
    process.exit(EXIT.failure);
  });
  const undo: Undo = [];
  const running: Running = { config, log, undo };
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  // The code below handles the rejection. Without this line, an earlier rejection would end the process as unhandled.
  lost.catch(() => undefined);
  let database: OpenDatabase | null = null;
  undo.push(async () => database?.close());
  try {
    await checkPorts(config);
    const service = config.workers === 1 ? inThisProcess(running) : inWorkers(running);
    database = await openDatabase(config, { log: embeddedLog(log), onFailure: (error) => lose(error) });
    const { connection } = database;
    const { version: schemaVersion } = await migrate(connection);
    const begun = await Promise.race([begin(running, { connection, schemaVersion }, service), stopped, lost]);
    if (begun !== undefined) {
      letYoungGenerationGrow();
      process.stdout.write(begun.greeting);
      reportReady();
      await Promise.race([stopped, lost]).finally(() => begun.management.drain());
    }
  } catch (error) {
    await stopAll({ undo, log });
    throw error;
  }
  if (!(await stopAll({ undo, log }))) throw new Error('Gatehouse was not stopped cleanly.');
}
