import { join } from 'node:path';
import { binaryHomes, provideBinaries, resolveBinaryPackage } from './cluster/binaries.ts';
import {
  locateCluster,
  openDataDirectory,
  readClusterPlace,
  shutDataDirectory,
  writeClusterPlace,
} from './cluster/cluster-place.ts';
import { clusterUser } from './cluster/cluster-user.ts';
import { exists } from './cluster/durable-files.ts';
import { initialiseCluster } from './cluster/initialise-cluster.ts';
import type { EmbeddedPostgresError, Log } from './embedded-error.ts';
import { type EmbeddedConnection, type Endpoint, openEndpoint } from './endpoint.ts';
import { clearLeftoverPostmaster } from './postmaster/leftover-postmaster.ts';
import { takeOwnerLock } from './postmaster/owner-lock.ts';
import { type Supervisor, superviseServer } from './postmaster/supervisor.ts';

export interface EmbeddedPostgresOptions {
  /** The data folder, which is created if it is missing. Only one process at a time may start a server on it. */
  readonly dataDirectory: string;
  readonly log: Log;
  readonly maxConnections?: number;
  /** `off` is for tests: committed changes survive the end of the process, but not always a failure of the machine. */
  readonly durability?: 'full' | 'off';
  readonly settings?: Readonly<Record<string, string>>;
  /** Under root, the folder for programs and clusters that PostgreSQL's user cannot reach in their usual places. */
  readonly outsideDirectory?: string;
  /** This is called when PostgreSQL runs again after an unexpected end. Earlier connections are broken. */
  readonly onRestart?: (restart: { pid: number; cause: string }) => void;
  /** This is called when PostgreSQL will not be started again. The process should end and report it. */
  readonly onFailure?: (error: EmbeddedPostgresError) => void;
}

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** The process id of the postmaster. It changes with each restart and is null while no postmaster runs. */
  readonly pid: number | null;
  readonly clusterDirectory: string;
  /** Performs a fast shutdown, which rolls back open transactions, and then releases the data folder. */
  stop(): Promise<void>;
}

const DEFAULT_OUTSIDE_DIRECTORY = '/var/lib/gatehouse';
const DEFAULT_MAX_CONNECTIONS = 100;

/** Settings on the server's command line take precedence over the cluster's configuration files. */
function serverSettings(endpoint: Endpoint, maxConnections: number, isDurable: boolean): Record<string, string> {
  return {
    ...endpoint.settings,
    max_connections: String(maxConnections),
    shared_buffers: isDurable ? '128MB' : '32MB',
    jit: 'off',
    // A plan that was made for an empty table reads a whole org to find one user. It is used until autovacuum analyses
    // the table, which must therefore happen soon.
    autovacuum_naptime: '10s',
    wal_compression: 'pglz',
    // The buffers have room for the WAL of several import batches.
    wal_buffers: '16MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '[%p] ',
    // Statements and details may contain personal data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // This is off so that each crash ends the server, and our count of crashes includes all of them.
    restart_after_crash: 'off',
    // Commits still wait until their data is handed to the operating system, so kill -9 loses no commit.
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
}

async function startUnderLock(dataDirectory: string, options: EmbeddedPostgresOptions) {
  const { log, durability = 'full', outsideDirectory = DEFAULT_OUTSIDE_DIRECTORY } = options;
  const recorded = await readClusterPlace(dataDirectory);
  const recordedCluster = recorded?.directory ?? join(dataDirectory, 'postgres');
  const user = clusterUser((await exists(recordedCluster)) ? recordedCluster : null);
  const place = await locateCluster(dataDirectory, user, outsideDirectory);
  await shutDataDirectory(place, user);
  const homes = binaryHomes(outsideDirectory, dataDirectory, user);
  const binaries = await provideBinaries(await resolveBinaryPackage(), user, homes, log);
  const endpoint = await openEndpoint(place.directory, dataDirectory, user);
  const isDurable = durability === 'full';
  let supervisor: Supervisor;
  try {
    await clearLeftoverPostmaster(place.directory, log);
    await initialiseCluster({ directory: place.directory, binaries, user, endpoint, isDurable });
    if (!place.initialised) await writeClusterPlace({ ...place, initialised: true });
    const maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
    const settings = { ...serverSettings(endpoint, maxConnections, isDurable), ...options.settings };
    const plan = { directory: place.directory, binaries, user, endpoint, settings, log };
    supervisor = await superviseServer(plan, options);
  } catch (error) {
    await endpoint.remove();
    throw error;
  }
  return { supervisor, endpoint, clusterDirectory: place.directory };
}

/**
 * Starts the PostgreSQL of the npm packages on the cluster of this data folder, and keeps it running until `stop` or
 * `onFailure` is called. The first start creates the cluster. Under root, PostgreSQL runs as another user (see
 * `clusterUser`).
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = await openDataDirectory(options.dataDirectory);
  const lock = await takeOwnerLock(dataDirectory);
  try {
    const { supervisor, endpoint, clusterDirectory } = await startUnderLock(dataDirectory, options);
    return {
      connection: endpoint.connection,
      clusterDirectory,
      get pid() {
        return supervisor.pid;
      },
      async stop() {
        await supervisor.stop();
        await endpoint.remove();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
