/** One connection of a pool. Transactions and settings apply only to this connection. */
export interface LogConnection {
  query(text: string, values?: readonly unknown[]): Promise<LogResult>;
}

export interface LogResult {
  readonly rows: readonly unknown[];
  readonly command: string;
}

/** Lends a connection for the duration of one function. */
export interface Connections {
  withConnection<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result>;
}

interface PooledClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; command: string }>;
  release(error?: Error | boolean): void;
}

/** The part of a `pg` pool that this module needs. */
export interface PoolLike {
  connect(): Promise<PooledClient>;
}

/** Runs a statement and returns its rows. */
export async function rowsOf<Row>(
  connection: LogConnection,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await connection.query(text, values)).rows as readonly Row[];
}

/** Runs `use` between BEGIN and COMMIT. Rolls back if `use` returns null or throws. Throws if COMMIT rolls back. */
export async function inTransaction<Result>(
  connection: LogConnection,
  use: () => Promise<Result | null>,
): Promise<Result | null> {
  await connection.query('begin');
  try {
    const result = await use();
    if (result === null) {
      await connection.query('rollback');
      return null;
    }
    const commit = await connection.query('commit');
    if (commit.command !== 'COMMIT') throw new Error('the transaction was rolled back at commit');
    return result;
  } catch (error) {
    // The first error is more informative than the error of a rollback on a lost connection.
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Makes `Connections` from a pool. A client that failed is closed, because its state is unknown. */
export const connectionsOver = (pool: PoolLike): Connections => ({
  async withConnection(use) {
    const client = await pool.connect();
    let broken = true;
    try {
      const result = await use({ query: (text, values) => client.query(text, [...(values ?? [])]) });
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  },
});
