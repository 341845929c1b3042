import { InstallationError } from '../../installation/installation.ts';
import { readServerFacts, type ServerFacts } from '../../installation/installation-store.ts';
import { type Log, startEmbeddedPostgres } from '../../platform/postgres/embedded/index.ts';
import {
  areSessionsShared,
  type ConnectionSettings,
  FormerPrimaryError,
  failureCode,
  isCitus,
  openClient,
  serversOf,
} from '../../platform/postgres/index.ts';
import type { Config } from '../../settings/config.ts';
import { connectionShortage, connectionsNeeded, type Sizes, sizesFitting } from '../../settings/config.ts';
import { databaseNameOf } from '../../settings/database-name.ts';
import { serversIn, withFirstServer } from '../../settings/database-url.ts';
import { knownServerFile, withKnownServer } from './known-server.ts';

export interface OpenDatabase {
  readonly connection: ConnectionSettings;
  /** With these sizes, the connections of all workers fit the database's limit. */
  readonly sizes: Sizes;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  readonly log: Log;
  readonly onFailure?: (error: Error) => void;
}

const OLDEST_VERSION = 150_000;
const FEWEST_EMBEDDED_CONNECTIONS = 100;

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : (failureCode(cause) ?? 'no answer');

const remedyFor = (cause: unknown, dataDirectory: string): string =>
  cause instanceof FormerPrimaryError
    ? `. If you restored an earlier state on purpose, delete ${knownServerFile(dataDirectory)}`
    : '';

interface Facts extends ServerFacts {
  readonly areSessionsShared: boolean;
  /** Whether replicas are set for a Citus cluster. */
  readonly hasCitusReplicas: boolean;
}

async function readIsCitus(connection: ConnectionSettings): Promise<boolean> {
  const client = await openClient(connection, { application_name: 'gatehouse-check', query_timeout: 10_000 });
  try {
    return await isCitus(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readFacts(connection: ConnectionSettings, hasReplicas: boolean): Promise<Facts> {
  await serversOf(connection).search();
  return {
    ...(await readServerFacts(connection)),
    areSessionsShared: await areSessionsShared(connection),
    hasCitusReplicas: hasReplicas && (await readIsCitus(connection)),
  };
}

export async function openExternalDatabase(
  { dataDirectory, databaseReplicaUrl, sizing }: Pick<Config, 'dataDirectory' | 'databaseReplicaUrl' | 'sizing'>,
  databaseUrl: string,
): Promise<Pick<OpenDatabase, 'connection' | 'sizes'>> {
  const servers = serversIn(databaseUrl);
  const address: ConnectionSettings = {
    connectionString: withFirstServer(databaseUrl),
    ...(servers.length === 0 ? {} : { servers }),
  };
  const connection = await withKnownServer(address, dataDirectory);
  const name = databaseNameOf(databaseUrl);
  const facts = await readFacts(connection, databaseReplicaUrl !== null).catch((cause: unknown) => {
    const reason = `${reasonOf(cause)}${remedyFor(cause, dataDirectory)}`;
    throw new InstallationError(`The database ${name} (GATEHOUSE_DATABASE_URL) can't be used: ${reason}`, { cause });
  });
  if (facts.version < OLDEST_VERSION) {
    const version = `${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`;
    throw new InstallationError(`The database ${name} is PostgreSQL ${version}; Gatehouse needs 15 or later.`);
  }
  if (facts.areSessionsShared)
    throw new InstallationError(
      `The database ${name} is behind a pooler whose connections share sessions; Gatehouse needs session pooling ` +
        '(pool_mode = session in PgBouncer).',
    );
  if (facts.hasCitusReplicas)
    throw new InstallationError(
      `The database ${name} is a Citus cluster, for which GATEHOUSE_DATABASE_REPLICA_URL can't be used: ` +
        'it is not known how far the standbys of its workers are.',
    );
  const sizes = sizesFitting(sizing, facts.maximumConnections);
  const shortage = connectionShortage(sizes, facts.maximumConnections);
  if (shortage !== null) throw new InstallationError(`${shortage}.`);
  return { connection, sizes };
}

export async function openDatabase(config: Config, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    return { ...(await openExternalDatabase(config, config.databaseUrl)), close: async () => undefined };
  }
  const server = await startEmbeddedPostgres({
    dataDirectory: config.dataDirectory,
    log: options.log,
    maxConnections: Math.max(FEWEST_EMBEDDED_CONNECTIONS, connectionsNeeded(config)),
    ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
  });
  return { connection: server.connection, sizes: sizesFitting(config.sizing), close: () => server.stop() };
}
