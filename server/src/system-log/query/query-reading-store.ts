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

/** A reading runs the statements of one query in one transaction, within one time limit. */
export interface Reading {
  /** Sends all statements at once. Throws the first failure. After a failure, nothing more can be read. */
  run(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]>;
  /** Works like `run`, but sends `commit` right after the statements, so nothing can be read afterward. */
  runLast(...builders: readonly RawBuilder<unknown>[]): Promise<readonly LogResult[]>;
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

class TimedReading implements Reading {
  readonly #connection: LogConnection;
  readonly #deadline: number;
  #state: 'new' | 'open' | 'over' = 'new';

  constructor(connection: LogConnection, timeoutMilliseconds: number) {
    this.#connection = connection;
    this.#deadline = performance.now() + timeoutMilliseconds;
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
    const left = Math.max(1, Math.ceil(this.#deadline - performance.now()));
    const before = [
      ...(this.#state === 'new' ? ['begin read only'] : []),
      ...(builders.length === 0 ? [] : [`set local statement_timeout = ${left}`]),
    ];
    this.#state = after.length === 0 ? 'open' : 'over';
    const results = await allOf([
      ...before.map((text) => this.#connection.query(text)),
      ...builders.map((builder) => {
        const { parameters, sql: text } = builder.compile(compiler);
        return this.#connection.query(text, parameters);
      }),
      ...after.map((text) => this.#connection.query(text)),
    ]);
    return results.slice(before.length, before.length + builders.length);
  }
}

export const withReading = <Result>(source: LogSource, use: (reading: Reading) => Promise<Result>): Promise<Result> =>
  source.connections.withConnection(async (connection) => {
    const reading = new TimedReading(connection, source.timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS);
    const result = await use(reading);
    await reading.end();
    return result;
  });
