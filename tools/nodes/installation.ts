import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../server/src/platform/postgres/embedded/index.ts';
import { createPool, type Pool } from '../../server/src/platform/postgres/index.ts';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import {
  type Bootstrap,
  freePorts,
  type Launch,
  LOOPBACK,
  type ProcessPlace,
  ServiceProcess,
} from '../crash/service-process.ts';

export interface Node {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly managementPort: number;
  readonly service: ServiceProcess;
}

export interface NodeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** By default, the nodes share a data folder. */
  readonly dataDirectory?: string;
  /** Where the process runs, by default on this machine's loopback address. */
  readonly place?: ProcessPlace;
}

export interface SharedInstallation {
  readonly directory: string;
  /** The data folder of the nodes that are not given one of their own. */
  readonly dataDirectory: string;
  readonly pool: Pool;
  /** The master key, in base64. */
  readonly masterKey: string;
  node(name: string, launch: Launch, options?: NodeOptions): Promise<Node>;
  bootstrap(): Promise<Bootstrap>;
  /** Returns a client that sends these headers, by default the API token of the first administrator. */
  client(
    port: number,
    headers?: Readonly<Record<string, string>>,
    onRetry?: () => void,
  ): Promise<TestClient & { close(): void }>;
  close(): Promise<void>;
}

const DATABASE = 'gatehouse';

/** The PostgreSQL of an installation. */
export interface SharedDatabase {
  readonly url: string;
  /** A pool of the tool itself. */
  readonly pool: Pool;
  close(): Promise<void>;
}

async function openEmbedded(directory: string): Promise<SharedDatabase> {
  const postgres = await startEmbeddedPostgres({
    dataDirectory: join(directory, 'database'),
    outsideDirectory: join(directory, 'outside'),
    maxConnections: 200,
    log: () => undefined,
  });
  const { connection } = postgres;
  const pool = createPool({
    connection,
    maximumConnections: 2,
    applicationName: 'tool',
    statementTimeoutMilliseconds: 60_000,
  });
  const url = new URL(`postgresql://${connection.user}@localhost/${DATABASE}`);
  url.searchParams.set('host', connection.host);
  url.port = String(connection.port);
  return {
    url: url.href,
    pool,
    close: async () => {
      await pool.end();
      await postgres.stop();
    },
  };
}

/** Creates the folder of an installation, whose nodes share a database: by default an embedded PostgreSQL. */
export async function openSharedInstallation(
  openDatabase: (directory: string) => Promise<SharedDatabase> = openEmbedded,
): Promise<SharedInstallation> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-nodes-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(directory, 0o755);
  const database = await openDatabase(directory);
  const dataDirectory = join(directory, 'data');
  const masterKey = randomBytes(32).toString('base64');
  const environment = {
    GATEHOUSE_DATABASE_URL: database.url,
    GATEHOUSE_MASTER_KEY: masterKey,
    GATEHOUSE_DATABASE_POOL_SIZE: '10',
    GATEHOUSE_PASSWORD_HASH_WORKERS: '1',
  };
  const bootstrap = async (): Promise<Bootstrap> =>
    JSON.parse(await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  return {
    directory,
    dataDirectory,
    pool: database.pool,
    masterKey,
    bootstrap,
    node: async (name, launch, options = {}) => {
      const { environment: more = {}, place = LOOPBACK } = options;
      const [port = 0, managementPort = 0] = await freePorts(2);
      const given = { ...environment, ...more };
      const service = new ServiceProcess({
        launch,
        dataDirectory: options.dataDirectory ?? dataDirectory,
        port,
        managementPort,
        environment: given,
        place,
      });
      return { name, port, managementPort, address: place.address, service };
    },
    client: async (port, headers, onRetry) => {
      const { apiToken, caFile } = await bootstrap();
      const ca = await readFile(caFile, 'utf8');
      return createTestClient({
        port,
        hostname: 'localhost',
        ca,
        headers: headers ?? { authorization: `SSWS ${apiToken}` },
        ...(onRetry === undefined ? {} : { onRetry }),
      });
    },
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
