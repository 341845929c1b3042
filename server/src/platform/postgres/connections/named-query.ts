import pg from 'pg';

// PostgreSQL describes the columns of a result before its rows. `pg` requests and reads this description for every
// execution, which takes a third of the time of a small query. The columns of a prepared statement cannot change: if a
// change of its tables affects them, PostgreSQL refuses the statement (0A000).

/** The part of a result in `pg` that follows from the description of its columns. */
interface Description {
  fields: pg.FieldDef[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

declare module 'pg' {
  /** The members that the type declarations of `pg` leave out. */
  interface Query {
    readonly name: string;
    readonly text: string;
    _result: Description;
    _accumulateRows: boolean;
    prepare(connection: pg.Connection): void;
    handleReadyForQuery(connection: pg.Connection): void;
  }
}

interface KnownStatements {
  /** The descriptions of the statements that this connection has executed, by name. */
  readonly descriptions: Map<string, Description>;
  /** A view of the connection that does not request descriptions. */
  readonly quiet: pg.Connection;
}

const knownStatements = new WeakMap<pg.Connection, KnownStatements>();

function statementsOf(connection: pg.Connection): KnownStatements {
  const present = knownStatements.get(connection);
  if (present !== undefined) return present;
  const quiet: pg.Connection = Object.create(connection, { describe: { value: () => undefined } });
  const known = { descriptions: new Map<string, Description>(), quiet };
  knownStatements.set(connection, known);
  return known;
}

/** An execution of a prepared statement. It requests the description only if the connection has not received it yet. */
class NamedQuery extends pg.Query {
  override prepare(connection: pg.Connection): void {
    const { descriptions, quiet } = statementsOf(connection);
    const description = descriptions.get(this.name);
    if (description === undefined) return super.prepare(connection);
    const { _parsers, _prebuiltEmptyResultObject, fields } = description;
    Object.assign(this._result, { _parsers, _prebuiltEmptyResultObject, fields });
    this._accumulateRows = true;
    return super.prepare(quiet);
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    const { descriptions } = statementsOf(connection);
    const { _parsers, _prebuiltEmptyResultObject, fields } = this._result;
    if (!descriptions.has(this.name)) descriptions.set(this.name, { _parsers, _prebuiltEmptyResultObject, fields });
    super.handleReadyForQuery(connection);
  }
}

/** A pool, or one of its connections. */
type Runner = Pick<pg.Pool, 'query'>;

/**
 * Runs a query. A query with a name runs as a prepared statement, which must return the same columns at each execution.
 */
export function sendQuery(runner: Runner, config: pg.QueryConfig): Promise<pg.QueryResult> {
  if (config.name === undefined) return runner.query(config);
  const query: pg.QueryConfig = new NamedQuery(config);
  const sent = new Promise<pg.QueryResult>((resolve, reject) => {
    runner.query(query, (error: Error | undefined, result: pg.QueryResult) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
  return sent.catch((error: Error) => {
    // As in `pg`, the stack shows who sent the query instead of how its response was read.
    Error.captureStackTrace(error);
    throw error;
  });
}
