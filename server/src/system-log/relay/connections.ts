/** One connection of a pool, for transactions and settings that hold for one connection only. */
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

/** The part of a `pg` pool that the relay needs. */
export interface PoolLike {
  connect(): Promise<PooledClient>;
}

/** Rows of a statement, as the caller knows them from its SQL. */
export async function rowsOf<Row>(
  connection: LogConnection,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await connection.query(text, values)).rows as readonly Row[];
}

/** Runs `use` between BEGIN and COMMIT; `null` rolls back. A commit that became a rollback is an error. */
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
    // The first error is more informative than that of a rollback over a lost connection.
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Lends the clients of a pool. One that failed is closed instead of returned, because its state is unknown. */
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
