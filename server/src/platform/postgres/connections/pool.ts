import type { Kysely } from 'kysely';
import pg from 'pg';
import type { ConnectionSettings } from './connection-settings.ts';
import type { Database } from './database.ts';
import { kyselyOver } from './dialect.ts';
import { asApiError } from './failures.ts';
import { gatheringSocket } from './gathering-socket.ts';
import type { StallWatch } from './stall-watch.ts';

// int8 as number: counters, positions and revisions stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Connections of one process to one database. */
export type Pool = pg.Pool;

export interface PoolOptions {
  connection: ConnectionSettings;
  maximumConnections: number;
  applicationName: string;
  /** Ends statements that a caller no longer waits for. */
  statementTimeoutMilliseconds: number;
  /** Waits for a free connection at most this long, then answers 503. */
  acquireTimeoutMilliseconds?: number;
  onError?: (error: Error) => void;
  /** Closes its connections while the database does not answer. */
  watch?: StallWatch;
}

/** A generic plan turned a 5 ms keyword page into 90 ms, and JIT compiles longer than our statements run. */
const sessionOptions = (statementTimeoutMilliseconds: number): string =>
  [
    '-c jit=off',
    '-c timezone=UTC',
    '-c lock_timeout=3000',
    '-c idle_in_transaction_session_timeout=60000',
    `-c statement_timeout=${statementTimeoutMilliseconds}`,
  ].join(' ');

const NETWORK_PATIENCE_MILLISECONDS = 1_000;

/** PostgreSQL's code for a server that is not ready yet (57P03 cannot_connect_now), which may soon pass. */
const NOT_YET = '57P03';

/**
 * Reports with every connection whether the server is a standby (PostgreSQL 14 reports `in_hot_standby`). Nothing is
 * read from a standby: after a failover it may be arbitrarily late, and would admit users who have been blocked since.
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

/** Keeps connections that do not lead to a primary out of the pool. */
function refuseStandby(client: pg.ClientBase): void {
  if (client instanceof PrimaryClient && !client.isStandby) return;
  throw Object.assign(new Error('the database server is a standby'), { code: NOT_YET });
}

/**
 * The pool of one process, to the primary only. Connections are pipelined, so that BEGIN and COMMIT cost no round trip
 * of their own.
 */
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
    // A server ends its own slow statements; a server that does not answer needs this time-out.
    query_timeout: options.statementTimeoutMilliseconds + NETWORK_PATIENCE_MILLISECONDS,
    connectionTimeoutMillis: options.acquireTimeoutMilliseconds ?? 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  };
  const pool = new pg.Pool(config);
  // An idle connection that dies must not end the process; the next query gets a new one.
  pool.on('error', (error) => options.onError?.(error));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Autocommit statements over the pool. */
export const readerOver = (pool: pg.Pool): Kysely<Database> => kyselyOver((config) => pool.query(config));

/** A reader for requests: a database that cannot serve is a 503, as it is in a unit of work. */
export const requestReaderOver = (pool: pg.Pool): Kysely<Database> =>
  kyselyOver((config) =>
    pool.query(config).catch((error: unknown) => {
      throw asApiError(error, {});
    }),
  );
