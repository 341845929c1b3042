import { InstallationError } from '../installation/installation.ts';
import { readServerFacts } from '../installation/installation-store.ts';
import { type Log, startEmbeddedPostgres } from '../platform/postgres/embedded/index.ts';
import { type ConnectionSettings, failureCode } from '../platform/postgres/index.ts';
import type { Config } from '../settings/config.ts';
import { connectionShortage, connectionsNeeded, type Sizes, sizesFitting } from '../settings/config.ts';
import { databaseNameOf } from '../settings/database-name.ts';

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

export async function openExternalDatabase(
  { sizing }: Pick<Config, 'sizing'>,
  databaseUrl: string,
): Promise<Pick<OpenDatabase, 'connection' | 'sizes'>> {
  const connection: ConnectionSettings = { connectionString: databaseUrl };
  const name = databaseNameOf(databaseUrl);
  const facts = await readServerFacts(connection).catch((cause: unknown) => {
    const code = failureCode(cause);
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : (code ?? 'no answer');
    throw new InstallationError(`The database ${name} (GATEHOUSE_DATABASE_URL) can't be used: ${reason}`, { cause });
  });
  if (facts.version < OLDEST_VERSION) {
    const version = `${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`;
    throw new InstallationError(`The database ${name} is PostgreSQL ${version}; Gatehouse needs 15 or later.`);
  }
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
