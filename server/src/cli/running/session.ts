import { type Application, createApplication } from '../../app/application.ts';
import { poolSizesAround } from '../../app/pool-sizes.ts';
import { InstallationError } from '../../installation/installation.ts';
import { START_COMMAND } from '../../kernel/command-line.ts';
import { ownerOf } from '../../platform/postgres/embedded/index.ts';
import { type ConnectionSettings, createPool, type Db, readerOver } from '../../platform/postgres/index.ts';
import { applicationOptions } from '../../process/application-options.ts';
import { openDatabase, openExternalDatabase } from '../../process/database/database.ts';
import { createLog, embeddedLog } from '../../process/log.ts';
import { type Config, loadConfig } from '../../settings/config.ts';
import { findRunningCluster, hasCluster } from './running-cluster.ts';
import { appliedVersionsOf, refuseOldSchema } from './schema-version.ts';

export interface Connected {
  readonly config: Config;
  readonly connection: ConnectionSettings;
  readonly close: () => Promise<void>;
}

function noInstallation({ databaseUrl, dataDirectory }: Config): InstallationError {
  const [place, setting] =
    databaseUrl === null ? [dataDirectory, 'GATEHOUSE_DATA_DIR'] : ['this database', 'GATEHOUSE_DATABASE_URL'];
  const remedy = `Start one with ${START_COMMAND}, or set ${setting} to where yours is.`;
  return new InstallationError(`There is no installation in ${place}. ${remedy}`);
}

/** Finds or starts the database of the installation. Creates a missing cluster only if `mayMake` is true. */
export async function connect(
  config: Config = loadConfig(),
  { mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<Connected> {
  if (config.databaseUrl !== null) {
    const { connection } = await openExternalDatabase(config, config.databaseUrl);
    return { config, connection, close: async () => undefined };
  }
  const running = await findRunningCluster(config.dataDirectory);
  if (running !== null) return { config, connection: running, close: async () => undefined };
  const owner = await ownerOf(config.dataDirectory);
  if (owner !== null) {
    throw new InstallationError(`The server (pid ${owner}) is starting or stopping. Try again in a moment.`);
  }
  if (!mayMake && !(await hasCluster(config.dataDirectory))) throw noInstallation(config);
  const database = await openDatabase(config, { log: embeddedLog(createLog('warn')) });
  return { config, connection: database.connection, close: () => database.close() };
}

export async function withDb<Result>(connection: ConnectionSettings, use: (db: Db) => Promise<Result>) {
  const pool = createPool({
    connection,
    maximumConnections: 2,
    applicationName: 'gatehouse-command',
    statementTimeoutMilliseconds: 60_000,
  });
  try {
    return await use(readerOver(pool));
  } finally {
    await pool.end();
  }
}

async function refuseEmpty({ config, connection }: Connected): Promise<void> {
  if ((await withDb(connection, appliedVersionsOf)).length === 0) throw noInstallation(config);
}

const FEWEST_CONNECTIONS = 2;

/** Runs a command with an application whose background work is not started. */
export async function withApplication<Result>(
  use: (application: Application, config: Config) => Promise<Result>,
  requestConnections: number = FEWEST_CONNECTIONS,
): Promise<Result> {
  const connected = await connect();
  const { config, connection, close } = connected;
  try {
    await refuseEmpty(connected);
    const log = createLog('warn');
    const options = await applicationOptions({ config: { ...config, passwordHashWorkers: 1 }, connection, log });
    const application = createApplication({ ...options, poolSizes: poolSizesAround(requestConnections) });
    try {
      return await use(application, config);
    } finally {
      await application.stop();
    }
  } finally {
    await close();
  }
}

/** Works like `withApplication`, but first refuses a schema that this release cannot read the System Log from. */
export const withLog = <Result>(use: (application: Application, config: Config) => Promise<Result>): Promise<Result> =>
  withApplication(async (application, config) => {
    await refuseOldSchema(application.db);
    return use(application, config);
  });
