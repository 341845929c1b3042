import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type { Connections, LogConnection, LogResult } from '../relay/connections.ts';

/** The default time after which queries are cancelled (specification 4.4). */
export const QUERY_TIMEOUT_MILLISECONDS = 30_000;

export interface LogSource {
  connections: Connections;
  /** The time limit for all statements of a query together. */
  timeoutMilliseconds?: number;
}

/**
 * A reading runs the statements of one query in one transaction, within one time limit. All statements see the same
 * snapshot, because the sealer moves events between two statements.
 */
export interface Reading {
  /** Sends all statements at once. Throws the first failure. After a failure, nothing more can be read. */
  run(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]>;
  /** Works like `run`, but sends `commit` right after the statements, so nothing can be read afterward. */
  runLast(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]>;
  /** The connection for readers of segments. Its statements have the same snapshot and time limit. */
  readonly connection: LogConnection;
  /** The result of the statement that was sent ahead with the first one. */
  readonly ahead: LogResult | null;
}

/** This error is thrown if the time limit of a query ends between two statements. */
export class QueryTimeoutError extends Error {}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;
}

/** This compiler converts builders to text, without a connection. */
const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

async function allOf(sent: readonly Promise<LogResult>[]): Promise<readonly LogResult[]> {
  const results: LogResult[] = [];
  for (const one of await Promise.allSettled(sent)) {
    if (one.status === 'rejected') throw one.reason;
    results.push(one.value);
  }
  return results;
}

/** PostgreSQL learns the time that is left again after this time, so a query may take so much longer. */
const LIMIT_AGAIN_MILLISECONDS = 100;

class TimedReading implements Reading {
  readonly #connection: LogConnection;
  readonly #deadline: number;
  /** When PostgreSQL learned how much time was left. */
  #limitedAt = Number.NEGATIVE_INFINITY;
  readonly #ahead: RawBuilder<unknown> | null;
  #state: 'new' | 'open' | 'over' = 'new';
  ahead: LogResult | null = null;

  constructor(connection: LogConnection, timeoutMilliseconds: number, ahead: RawBuilder<unknown> | null) {
    this.#connection = connection;
    this.#deadline = performance.now() + timeoutMilliseconds;
    this.#ahead = ahead;
  }

  get connection(): LogConnection {
    return {
      query: (text, values = [], name) => this.#query({ text, values, ...(name === undefined ? {} : { name }) }),
    };
  }

  async #query(statement: Statement): Promise<LogResult> {
    // Examining events takes time between the statements.
    if (performance.now() >= this.#deadline) throw new QueryTimeoutError();
    const [result] = await this.#sendAll([statement], []);
    if (result === undefined) throw new Error('a statement has no result');
    return result;
  }

  run(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]> {
    return this.#send(builders, []);
  }

  runLast(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]> {
    return this.#send(builders, ['commit']);
  }

  async end(): Promise<void> {
    if (this.#state === 'open') await this.#send([], ['commit']);
  }

  async #send(builders: readonly RawBuilder<unknown>[], after: readonly string[]): Promise<readonly LogResult[]> {
    const isFirst = this.#state === 'new';
    const all = isFirst && this.#ahead !== null ? [this.#ahead, ...builders] : builders;
    const statements = all.map((builder): Statement => {
      const { parameters, sql: text } = builder.compile(compiler);
      const statement = { text, values: parameters };
      return builder === this.#ahead ? { ...statement, name: 'log_query_ahead' } : statement;
    });
    const results = await this.#sendAll(statements, after);
    if (all.length === builders.length) return results;
    this.ahead = results[0] ?? null;
    return results.slice(1);
  }

  async #sendAll(statements: readonly Statement[], after: readonly string[]): Promise<readonly LogResult[]> {
    const now = performance.now();
    const before = this.#state === 'new' ? ['begin isolation level repeatable read, read only'] : [];
    if (statements.length > 0 && now - this.#limitedAt >= LIMIT_AGAIN_MILLISECONDS) {
      before.push(`set local statement_timeout = ${Math.max(1, Math.ceil(this.#deadline - now))}`);
      this.#limitedAt = now;
    }
    this.#state = after.length === 0 ? 'open' : 'over';
    const results = await allOf([
      ...before.map((text) => this.#connection.query(text)),
      ...statements.map(({ name, text, values }) => this.#connection.query(text, values, name)),
      ...after.map((text) => this.#connection.query(text)),
    ]);
    return results.slice(before.length, before.length + statements.length);
  }
}

/**
 * Runs a query. `ahead` is sent with the first statement, so that its result takes no round trip of its own. It is
 * prepared, so its text must always be the same.
 */
export const withReading = <Result>(
  source: LogSource,
  ahead: RawBuilder<unknown> | null,
  use: (reading: Reading) => Promise<Result>,
): Promise<Result> => {
  let deadline: number | null = null;
  return source.connections.withConnection(async (connection) => {
    const now = performance.now();
    // A query that is repeated at another server has only the time that is left.
    deadline ??= now + (source.timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS);
    const limit = Math.min(deadline - now, connection.patienceMilliseconds ?? Infinity);
    const reading = new TimedReading(connection, limit, ahead);
    const result = await use(reading);
    await reading.end();
    return result;
  });
};
