import { type ConnectionSettings, createPool, type Pool, readerOver } from '../../src/platform/postgres/index.ts';
import type { TestDatabase } from './database.ts';

/** The databases that a test opens on the servers of a pair. Their statements and connections fail after 2 s. */
export interface PairDatabases {
  readonly newPool: (connection: ConnectionSettings) => Pool;
  readonly databaseOf: (connection: ConnectionSettings) => TestDatabase;
  readonly close: () => Promise<void>;
}

export function openPairDatabases(): PairDatabases {
  const pools: Pool[] = [];
  const newPool = (connection: ConnectionSettings): Pool => {
    const pool = createPool({
      connection,
      maximumConnections: 4,
      applicationName: 'test',
      statementTimeoutMilliseconds: 2_000,
      acquireTimeoutMilliseconds: 2_000,
    });
    pools.push(pool);
    return pool;
  };
  return {
    newPool,
    databaseOf: (connection) => {
      const pool = newPool(connection);
      const db = readerOver(pool);
      return { connection, pool, db, kysely: db, close: () => Promise.resolve() };
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
