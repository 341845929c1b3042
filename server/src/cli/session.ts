import { type Application, createApplication } from '../app.ts';
import { applicationOptions } from '../application-options.ts';
import { type Config, loadConfig } from '../config.ts';
import { openDatabase, openExternalDatabase } from '../database.ts';
import { InstallationError } from '../installation.ts';
import { createLog, embeddedLog } from '../log.ts';
import { ownerOf } from '../platform/postgres/embedded/index.ts';
import { type ConnectionSettings, createPool, type Db, readerOver } from '../platform/postgres/index.ts';
import { findRunningCluster } from './running-cluster.ts';
import { schemaVersionOf } from './schema-version.ts';

export interface Connected {
  readonly config: Config;
  readonly connection: ConnectionSettings;
  readonly close: () => Promise<void>;
}

/** The database: the external one, the cluster a server runs now, or ours, started for as long as the command takes. */
export async function connect(config: Config = loadConfig()): Promise<Connected> {
  if (config.databaseUrl !== null) {
    const connection = await openExternalDatabase(config, config.databaseUrl);
    return { config, connection, close: async () => undefined };
  }
  const running = await findRunningCluster(config.dataDirectory);
  if (running !== null) return { config, connection: running, close: async () => undefined };
  const owner = await ownerOf(config.dataDirectory);
  if (owner !== null) {
    throw new InstallationError(`The server (pid ${owner}) is starting or stopping. Try again in a moment.`);
  }
  const database = await openDatabase(config, { log: embeddedLog(createLog('warn')) });
  return { config, connection: database.connection, close: () => database.close() };
}

/** Reads with one connection. */
export async function withDb<Result>(connection: ConnectionSettings, use: (db: Db) => Promise<Result>) {
  const pool = createPool({
    connection,
    maximumConnections: 2,
    applicationName: 'gatehouse-cli',
    statementTimeoutMilliseconds: 60_000,
  });
  try {
    return await use(readerOver(pool));
  } finally {
    await pool.end();
  }
}

async function refuseEmpty(connection: ConnectionSettings): Promise<void> {
  if ((await withDb(connection, schemaVersionOf)) > 0) return;
  throw new InstallationError('There is no installation yet. Start one: gatehouse serve');
}

/** What a command needs that does one thing after the other. */
const FEWEST_CONNECTIONS = 2;

/**
 * Runs a command with the use cases of the service on its database. The loops of a server (relay, jobs) don't run here:
 * what the command changes is in the log as soon as a server runs.
 */
export async function withApplication<Result>(
  use: (application: Application, config: Config) => Promise<Result>,
  databasePoolSize: number = FEWEST_CONNECTIONS,
): Promise<Result> {
  const { config, connection, close } = await connect();
  try {
    await refuseEmpty(connection);
    const log = createLog('warn');
    const options = await applicationOptions({ config, connection, log });
    const application = createApplication({ ...options, databasePoolSize, passwordHashWorkers: 1 });
    try {
      return await use(application, config);
    } finally {
      await application.stop();
    }
  } finally {
    await close();
  }
}
