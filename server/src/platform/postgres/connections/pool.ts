import type { Kysely } from 'kysely';
import pg from 'pg';
import type { ConnectionSettings } from '../servers/connection-settings.ts';
import { PrimaryClient, type PrimaryConfig } from '../servers/primary-client.ts';
import { ReplicaClient, SessionClient } from '../servers/session-client.ts';
import { AnswerWatch } from '../watch/answer-watch.ts';
import type { StallWatch } from '../watch/stall-watch.ts';
import type { Database, Db } from './database.ts';
import { BoundKysely } from './dialect.ts';
import { asApiError } from './failures.ts';
import { gatheringSocket } from './gathering-socket.ts';
import { Packet, sendPacket, sendQuery, withStackOfSender } from './packet.ts';

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
  /** The longest time that a transaction may wait for its next statement, a minute by default. */
  idleInTransactionMilliseconds?: number;
  /** Whether the pool is for reads only, whose transactions never wait for a standby. */
  isReadOnly?: boolean;
  onError?: (error: Error) => void;
  /** The watch closes the connections of the pool while the database does not respond. */
  watch?: StallWatch;
}

/** JIT compilation is off, because most statements are short. */
const sessionSettings = ({ idleInTransactionMilliseconds = 60_000, statementTimeoutMilliseconds }: PoolOptions) => ({
  jit: 'off',
  timezone: 'UTC',
  // A statement after a lock must see what was committed before the lock, whatever the database's default is.
  default_transaction_isolation: 'read committed',
  lock_timeout: '3000',
  idle_in_transaction_session_timeout: String(idleInTransactionMilliseconds),
  statement_timeout: String(statementTimeoutMilliseconds),
});

const NETWORK_PATIENCE_MILLISECONDS = 1_000;

/** Throws an error if the server must not be used, so that the pool does not keep the connection. */
async function refuseOthers(client: pg.ClientBase): Promise<void> {
  if (client instanceof SessionClient) await client.refuseOthers();
}

/**
 * Creates a pool that connects only to the primary, or to a replica if the settings are those of one. With
 * `pipeline`, a packet need not wait for earlier results.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { watch } = options;
  const config: pg.PoolConfig & PrimaryConfig & { pipeline: boolean } = {
    ...options.connection,
    Client: options.connection.isReplica === true ? ReplicaClient : PrimaryClient,
    standbys: options.isReadOnly === true ? undefined : watch?.standbys,
    // oxlint-disable-next-line typescript/no-misused-promises -- `pg-pool` awaits the hook, which its types do not say
    onConnect: refuseOthers,
    pipeline: true,
    stream: () => watch?.guard(gatheringSocket()) ?? gatheringSocket(),
    max: options.maximumConnections,
    application_name: options.applicationName,
    settings: sessionSettings(options),
    // A server ends its own slow statements. This time-out is for a server that does not respond.
    answers: new AnswerWatch(options.statementTimeoutMilliseconds + NETWORK_PATIENCE_MILLISECONDS),
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

/** A Kysely whose reads go to a pool. */
class PoolReader extends BoundKysely {
  readonly pool: pg.Pool;
  /** Makes the error that the caller gets. */
  readonly failed: (error: unknown) => unknown;

  constructor(pool: pg.Pool, failed: PoolReader['failed']) {
    super((config) =>
      sendQuery(pool, config).catch((error: unknown) => {
        throw failed(error);
      }),
    );
    this.pool = pool;
    this.failed = failed;
  }
}

export const readerOver = (pool: pg.Pool): Kysely<Database> => new PoolReader(pool, (error) => error);

/** If the database is unavailable, a query fails with 503, as in a unit of work. */
export const requestReaderOver = (pool: pg.Pool): Kysely<Database> =>
  new PoolReader(pool, (error) => asApiError(error, {}));

/**
 * Sends the reads that `start` starts at once in one packet, which PostgreSQL runs in one transaction. The reads of a
 * unit of work share its packets in any case.
 */
export async function readTogether<Result>(db: Db, start: (together: Db) => Promise<Result>): Promise<Result> {
  if (!(db instanceof PoolReader)) return start(db);
  const packet = new Packet();
  let isSent = false;
  const together = new BoundKysely(async (config) => {
    if (isSent) throw new Error('the packet has been sent');
    return packet.add(config);
  });
  const result = start(together);
  isSent = true;
  // If the packet cannot be sent, the results have the failure too, and nothing else would await them.
  result.catch(() => undefined);
  try {
    await sendPacket(db.pool, packet);
    return await result;
  } catch (error) {
    packet.refuse(error);
    throw db.failed(withStackOfSender(error));
  }
}
