import { type Db, type Pool, prepared, run, sendQuery } from '../../platform/postgres/index.ts';

export interface LogConnection {
  /** The longest time for all statements of a query, if that is less than the query's own limit (ADR 0089). */
  readonly patienceMilliseconds?: number;
  /** Runs a statement. A statement with a name is prepared, so that later executions can reuse a plan. */
  query(text: string, values?: readonly unknown[], name?: string): Promise<LogResult>;
}

export interface LogResult {
  readonly rows: readonly unknown[];
  readonly command: string;
}

export interface Connections {
  withConnection<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result>;
}

/** Makes a connection from a database, so that a store can be used in a unit of work too. */
export const connectionOn = (db: Db): LogConnection => ({
  query: async (text, values = [], name) => ({
    rows: await (name === undefined ? run(db, text, values) : prepared(db, name, text, values)),
    command: '',
  }),
});

export type PoolLike = Pick<Pool, 'connect'>;

export async function rowsOf<Row>(
  connection: LogConnection,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
): Promise<readonly Row[]> {
  return (await connection.query(text, values, name)).rows as readonly Row[];
}

/**
 * Runs `use` between BEGIN and COMMIT. Rolls back if `open` returns false, if `use` returns null, or if either throws.
 * Throws if PostgreSQL answers COMMIT with ROLLBACK. BEGIN is sent together with the statement of `open`, which must
 * not write to a table: if BEGIN failed, the write would be committed on its own. COMMIT is sent together with a
 * statement that `use` passes to `last` instead of waiting for it.
 */
export async function inTransaction<Result>(
  connection: LogConnection,
  open: (connection: LogConnection) => Promise<boolean>,
  use: (last: (statement: Promise<unknown>) => void) => Promise<Result | null>,
): Promise<Result | null> {
  const begun = connection.query('begin');
  const sent: Promise<unknown>[] = [];
  // Unless an earlier statement fails, each one is awaited below. Until then, its failure must not count as unhandled.
  const keep = (statement: Promise<unknown>): void => {
    statement.catch(() => undefined);
    sent.push(statement);
  };
  keep(begun);
  try {
    const [isOpen] = await Promise.all([open(connection), begun]);
    const result = isOpen ? await use(keep) : null;
    const end = connection.query(result === null ? 'rollback' : 'commit');
    keep(end);
    await Promise.all(sent);
    if (result !== null && (await end).command !== 'COMMIT') {
      throw new Error('the transaction was rolled back at commit');
    }
    return result;
  } catch (error) {
    // The first error is more informative than the error of a rollback on a lost connection.
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function beginSnapshot(connection: LogConnection): Promise<boolean> {
  await connection.query('set transaction isolation level repeatable read, read only');
  return true;
}

/** Runs the statements of a reader on one snapshot, because the sealer moves events between two statements. */
export async function inSnapshot<Result>(connection: LogConnection, use: () => Promise<Result>): Promise<Result> {
  const found = await inTransaction(connection, beginSnapshot, async () => ({ result: await use() }));
  if (found === null) throw new Error('the snapshot did not begin');
  return found.result;
}

/** Makes `Connections` from a pool. If `use` throws, the connection is closed, because its state is unknown. */
export const connectionsOver = (pool: PoolLike): Connections => ({
  async withConnection(use) {
    const client = await pool.connect();
    let broken = true;
    try {
      const result = await use({
        query: (text, values, name) =>
          sendQuery(client, { text, values: [...(values ?? [])], ...(name === undefined ? {} : { name }) }),
      });
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  },
});

/**
 * Makes connections of which at most one is in use at a time. Background work that shares the relay's pool thus leaves
 * a connection to the relay.
 */
export function oneAtATime(connections: Connections): Connections {
  let last: Promise<unknown> = Promise.resolve();
  return {
    withConnection: (use) => {
      const result = last.then(() => connections.withConnection(use));
      last = result.catch(() => undefined);
      return result;
    },
  };
}
