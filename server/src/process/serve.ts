import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Application, createApplication } from '../app/application.ts';
import { firstOrgOf } from '../installation/first-org.ts';
import { firstOrgUrl, firstStart, firstStartText } from '../installation/first-start.ts';
import { openMasterKey } from '../installation/installation.ts';
import { systemClock } from '../kernel/clock.ts';
import { namespaceOf } from '../kernel/words/namespace.ts';
import { createGeography, type Geography } from '../platform/geography/index.ts';
import {
  type Check,
  collectWorkerMetrics,
  createInstallationMetrics,
  createMetrics,
  databaseChecks,
  type ManagementServer,
  offerMetrics,
  startManagementServer,
} from '../platform/operations/index.ts';
import { createPool, migrate, readerOver } from '../platform/postgres/index.ts';
import { type Config, formerNamesInUse, formerNameText, loadConfig, showsMails } from '../settings/config.ts';
import { mailsPageUrl } from '../sign-in/index.ts';
import { applicationOptions } from './application-options.ts';
import { keepRenewed, openCaFile, openCertificates } from './certificates.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { EXIT } from './exit-codes.ts';
import { createLog, embeddedLog } from './log.ts';
import { mostClients, openFilesLimit } from './open-files.ts';
import { aboutSetting } from './operator-errors.ts';
import { endWithSupervisor, isSupervised, reportReady } from './supervision/supervisor.ts';
import { createWorkers, onStop, reportListening, waitForStart } from './supervision/workers.ts';

/**
 * The parts of a process that other parts need. `undo` contains a step to stop each part that has started; the steps
 * run in reverse order.
 */
interface Running {
  readonly config: Config;
  readonly log: Logger;
  readonly database: OpenDatabase;
  readonly schemaVersion: number;
  readonly geography: Geography | undefined;
  readonly undo: (() => Promise<unknown>)[];
}

const GRACE_MILLISECONDS = 10_000;
const HEALTH_TIMEOUT_MILLISECONDS = 2_000;
const HEALTH_CONNECTIONS = 2;

/**
 * Starts the management port. Health checks have their own connections, so that an exhausted pool does not look like an
 * outage.
 */
async function startManagement(
  running: Running,
  checks: Readonly<Record<string, Check>>,
  processMetrics: () => Promise<string>,
): Promise<ManagementServer> {
  const { config, log, database, schemaVersion, undo } = running;
  const pool = createPool({
    connection: database.connection,
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
    checks: { ...databaseChecks(db, schemaVersion), ...checks },
    metrics: [processMetrics, createInstallationMetrics(db, systemClock)],
    onError: (error) => log.error({ err: error }, 'the management port failed'),
  });
  undo.push(() => server.close());
  return server;
}

/** Opens the public port, and adds to `undo` the step that closes it. */
async function openPort({ config, log, undo }: Pick<Running, 'config' | 'log' | 'undo'>, application: Application) {
  const isServed = async (host: string) => (await application.orgDirectory.resolve(host)) !== null;
  const certificates = await openCertificates(config, systemClock, isServed);
  const port = await application.listen({
    host: config.host,
    port: config.port,
    tls: certificates.tls,
    maximumConnections: mostClients(openFilesLimit(), config.databasePoolSize),
  });
  const endRenewal = keepRenewed(certificates, port.renew, log);
  undo.push(async () => {
    endRenewal();
    if (config.drainSeconds > 0) {
      port.drain();
      await delay(config.drainSeconds * 1_000);
    }
    await port.close(GRACE_MILLISECONDS);
  });
}

/** Throws if one of the ports can't be opened. The error contains the name of the port's setting. */
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

type Begin = (running: Running) => Promise<{ management: ManagementServer; greeting: string }>;

/**
 * Runs the first start, unless it was completed earlier. Returns the text to print once the service answers requests.
 */
async function makeFirstOrg({ config, database }: Running, application: Application) {
  const baseUrl = firstOrgUrl(config);
  const bootstrap = await firstStart({
    connection: database.connection,
    db: application.db,
    firstOrg: firstOrgOf(application, namespaceOf(config.namespace), baseUrl),
    dataDirectory: config.dataDirectory,
    baseUrl,
    caFile: await openCaFile(config, systemClock),
    namespace: config.namespace,
    mailsUrl: showsMails(config) ? mailsPageUrl(baseUrl, await openMasterKey(config)) : null,
  });
  return bootstrap === null ? `Gatehouse is ready: ${baseUrl}\n` : firstStartText(bootstrap);
}

const beginSingle: Begin = async (running) => {
  const { config, log, database, geography, undo } = running;
  const metrics = createMetrics();
  const { connection } = database;
  const application = createApplication(await applicationOptions({ config, connection, log, metrics, geography }));
  undo.push(() => application.stop());
  application.start();
  const greeting = await makeFirstOrg(running, application);
  let isListening = false;
  const checks = { listener: async () => (isListening ? null : 'is not listening') };
  const management = await startManagement(running, checks, () => metrics.registry.metrics());
  await openPort(running, application);
  isListening = true;
  return { management, greeting };
};

/** Runs the first start, then starts the management port and the workers. */
const beginPrimary: Begin = async (running) => {
  const { config, log, database, undo } = running;
  const { connection } = database;
  const application = createApplication(await applicationOptions({ config, connection, log }));
  let greeting: string;
  try {
    greeting = await makeFirstOrg(running, application);
  } finally {
    await application.stop();
  }
  const workers = createWorkers(config, { connection }, log);
  const checks = { workers: async () => (workers.listening() > 0 ? null : 'none listens') };
  const management = await startManagement(running, checks, collectWorkerMetrics());
  undo.push(() => workers.stop());
  await workers.start();
  return { management, greeting };
};

async function stopAll({ undo, log }: Pick<Running, 'undo' | 'log'>): Promise<boolean> {
  let isClean = true;
  for (const stop of undo.splice(0).reverse()) {
    await stop().catch((error: unknown) => {
      isClean = false;
      log.error({ err: error }, 'a component could not be stopped cleanly');
    });
  }
  return isClean;
}

/** Ends the process when an uncaught error occurs, because the state of the process is then unknown. */
function endOnFaults(log: Logger): void {
  const end = (error: unknown): void => {
    log.fatal({ err: error }, 'unhandled error');
    process.exit(EXIT.fault);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/**
 * Opens the geography data. Returns undefined in a primary, which only checks the data, because its workers open it
 * themselves. Throws GeographyError if a configured file can't be used.
 */
function openGeography(config: Config): Geography | undefined {
  const geography = createGeography(config);
  return config.workers === 1 ? geography : undefined;
}

/** Resolves at the first SIGTERM or SIGINT. Without a supervisor, a second signal ends the process at once. */
function stopSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping && !isSupervised()) process.exit(EXIT.failure);
      if (isStopping) return;
      isStopping = true;
      log.info({ signal }, 'stopping');
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/**
 * Runs the service until SIGTERM or SIGINT, and resolves when all parts have stopped cleanly. Rejects if a part can't
 * start or stop, or if the embedded PostgreSQL has ended for good.
 */
export async function serve(config: Config = loadConfig()): Promise<void> {
  const log = createLog(config.logLevel);
  endOnFaults(log);
  for (const renamed of formerNamesInUse()) log.warn(formerNameText(renamed));
  const stopped = stopSignal(log);
  endWithSupervisor(() => {
    log.error('the supervisor of this process has ended, so this process ends too');
    process.exit(EXIT.failure);
  });
  const undo: Running['undo'] = [];
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  // The code below handles the rejection of `lost`. Without this line, a rejection before that code runs would count as
  // unhandled and end the process.
  lost.catch(() => undefined);
  try {
    const geography = openGeography(config);
    await checkPorts(config);
    const database = await openDatabase(config, { log: embeddedLog(log), onFailure: (error) => lose(error) });
    undo.push(() => database.close());
    const { version: schemaVersion } = await migrate(database.connection);
    const begin = config.workers === 1 ? beginSingle : beginPrimary;
    const begun = await Promise.race([begin({ config, log, database, geography, schemaVersion, undo }), stopped, lost]);
    if (begun !== undefined) {
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

/** Runs a worker until the primary stops it or ends. A worker answers requests and runs the relay and the jobs. */
export async function serveAsWorker(config: Config = loadConfig()): Promise<void> {
  const log = createLog(config.logLevel);
  endOnFaults(log);
  const stopped = new Promise<void>((resolve) => onStop(resolve));
  const { connection } = await waitForStart();
  const geography = createGeography(config);
  const metrics = createMetrics();
  offerMetrics(metrics.registry);
  const undo: Running['undo'] = [];
  try {
    const application = createApplication(await applicationOptions({ config, connection, log, metrics, geography }));
    undo.push(() => application.stop());
    application.start();
    await openPort({ config, log, undo }, application);
    reportListening();
    await stopped;
  } finally {
    await stopAll({ undo, log });
  }
}
