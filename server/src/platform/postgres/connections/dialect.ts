import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import type { StatementResult } from './packet.ts';

type Execute = (config: pg.QueryConfig) => Promise<StatementResult>;

class PortConnection implements DatabaseConnection {
  readonly #execute: Execute;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#execute({ text: query.sql, values: [...query.parameters] });
    return {
      rows: result.rows as Row[],
      numAffectedRows: BigInt(result.rowCount ?? 0),
    };
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not used: every read is bounded');
  }
}

class PortDriver implements Driver {
  readonly #connection: PortConnection;

  constructor(execute: Execute) {
    this.#connection = new PortConnection(execute);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new Error('unitOfWork owns every transaction');
  }
  async commitTransaction(): Promise<void> {
    throw new Error('unitOfWork owns every transaction');
  }
  async rollbackTransaction(): Promise<void> {
    throw new Error('unitOfWork owns every transaction');
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

// All instances share the adapter and the compiler, because each unit of work has a Kysely of its own.
const ADAPTER = new PostgresAdapter();
const COMPILER = new PostgresQueryCompiler();

/**
 * A Kysely that runs its queries and hand-written SQL by one function. A subclass holds further values of a transaction
 * as members, never in a `WeakMap`: V8's collector of young objects keeps the values of a `WeakMap` alive although
 * their keys are garbage.
 */
export class BoundKysely extends Kysely<Database> {
  readonly execute: Execute;

  constructor(execute: Execute) {
    super({
      dialect: {
        createAdapter: () => ADAPTER,
        createDriver: () => new PortDriver(execute),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => COMPILER,
      },
    });
    this.execute = execute;
  }
}
