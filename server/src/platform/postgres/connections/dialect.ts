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
import { bindStatements } from './statements.ts';

type Execute = (query: CompiledQuery) => Promise<StatementResult>;

class PortConnection implements DatabaseConnection {
  readonly #execute: Execute;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#execute(query);
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

export function kyselyOver(execute: (config: pg.QueryConfig) => Promise<StatementResult>): Kysely<Database> {
  const driver = new PortDriver(({ parameters, sql: text }) => execute({ text, values: [...parameters] }));
  const bound = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  bindStatements(bound, execute);
  return bound;
}
