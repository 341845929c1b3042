import type { Kysely } from 'kysely';
import pg from 'pg';
import type { ConnectionSettings } from './connection-settings.ts';
import type { Database } from './database.ts';
import { kyselyOver } from './dialect.ts';
import { asApiError } from './failures.ts';
import { gatheringSocket } from './gathering-socket.ts';
import { sendQuery } from './packet.ts';
import type { StallWatch } from './stall-watch.ts';

// The driver returns int8 as a number, because counters, positions and revisions stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Pool = pg.Pool;

export interface PoolOptions {
  connection: ConnectionSettings;
  maximumConnections: number;
  applicationName: string;
  statementTimeoutMilliseconds: number;
  /** The longest time to wait for a connection, 5 s by default. */
  acquireTimeoutMilliseconds?: number;
  onError?: (error: Error) => void;
  /** The watch closes the connections of the pool while the database does not respond. */
  watch?: StallWatch;
}

/** JIT compilation is off, because most statements are short. */
const sessionOptions = (statementTimeoutMilliseconds: number): string =>
  [
    '-c jit=off',
    '-c timezone=UTC',
    // A statement after a lock must see what was committed before the lock, whatever the database's default is.
    '-c default_transaction_isolation=read\\ committed',
    '-c lock_timeout=3000',
    '-c idle_in_transaction_session_timeout=60000',
    `-c statement_timeout=${statementTimeoutMilliseconds}`,
  ].join(' ');

const NETWORK_PATIENCE_MILLISECONDS = 1_000;

/** PostgreSQL's code for a server that is not ready yet (cannot_connect_now). Requests that fail with it get 503. */
const NOT_YET = '57P03';

/**
 * This client records whether the server is a standby (`in_hot_standby` since PostgreSQL 14), whose data may be old.
 */
class PrimaryClient extends pg.Client {
  isStandby = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Readonly<Record<string, string>>) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on';
    });
  }
}

/** Throws an error unless the connection leads to a primary, so that the pool does not keep the connection. */
function refuseStandby(client: pg.ClientBase): void {
  if (client instanceof PrimaryClient && !client.isStandby) return;
  throw Object.assign(new Error('the database server is a standby'), { code: NOT_YET });
}

/** Creates a pool that connects only to the primary. With `pipeline`, a packet need not wait for earlier results. */
export function createPool(options: PoolOptions): pg.Pool {
  const { watch } = options;
  const config: pg.PoolConfig & { pipeline: boolean } = {
    ...options.connection,
    Client: PrimaryClient,
    onConnect: refuseStandby,
    pipeline: true,
    stream: () => watch?.guard(gatheringSocket()) ?? gatheringSocket(),
    max: options.maximumConnections,
    application_name: options.applicationName,
    options: sessionOptions(options.statementTimeoutMilliseconds),
    // A server ends its own slow statements. This time-out is for a server that does not respond.
    query_timeout: options.statementTimeoutMilliseconds + NETWORK_PATIENCE_MILLISECONDS,
    connectionTimeoutMillis: options.acquireTimeoutMilliseconds ?? 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  };
  const pool = new pg.Pool(config);
  // The loss of an idle connection must not end the process. The next query gets a new connection.
  pool.on('error', (error) => options.onError?.(error));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export const readerOver = (pool: pg.Pool): Kysely<Database> => kyselyOver((config) => sendQuery(pool, config));

/** If the database is unavailable, a query fails with 503, as in a unit of work. */
export const requestReaderOver = (pool: pg.Pool): Kysely<Database> =>
  kyselyOver((config) =>
    sendQuery(pool, config).catch((error: unknown) => {
      throw asApiError(error, {});
    }),
  );
