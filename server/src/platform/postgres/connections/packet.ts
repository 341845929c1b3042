import pg from 'pg';
import { noteAnswer, noteCommit, refuseWithoutStandbys, takeUnconfirmed } from '../servers/standbys.ts';
import { noteAnswered, notePacket } from '../watch/answer-watch.ts';

// A packet sends statements by the extended query protocol, with two differences from `pg`. Its statements leave in
// one write and end with one Sync, so PostgreSQL skips everything after a statement that fails. PostgreSQL describes
// the columns of a prepared statement only once per connection, because they cannot change. If a change to a table
// affects them, PostgreSQL refuses the statement (0A000).

declare module 'pg' {
  interface Connection {
    /** The texts of prepared statements that PostgreSQL has parsed, by name. */
    readonly parsedStatements: Record<string, string | undefined>;
    /** The texts of prepared statements that PostgreSQL has not parsed yet, by name. */
    readonly submittedNamedStatements: Record<string, string | undefined>;
  }
  interface Query {
    name?: string | undefined;
    text: string;
    callback?: (error: Error | null) => void;
  }
}

const utils: { readonly prepareValue: (value: unknown) => string | Buffer | null } = Reflect.get(pg, 'utils');

type Row = Record<string, unknown>;

export interface StatementResult {
  /** The first word of the command tag, such as `INSERT`. */
  readonly command: string;
  /** The number of rows that were returned or changed. It is null for a command that does neither. */
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

interface Field {
  readonly name: string;
  readonly dataTypeID: Parameters<typeof pg.types.getTypeParser>[0];
}

/** The columns of a result, and a row whose members are all null. */
interface Columns {
  readonly fields: readonly Field[];
  readonly parsers: readonly ((text: string) => unknown)[];
  readonly empty: Row;
}

const NO_COLUMNS: Columns = { fields: [], parsers: [], empty: {} };

const knownColumns = new WeakMap<pg.Connection, Map<string, Columns>>();

function columnsOf(connection: pg.Connection): Map<string, Columns> {
  const present = knownColumns.get(connection);
  if (present !== undefined) return present;
  const made = new Map<string, Columns>();
  knownColumns.set(connection, made);
  return made;
}

const parsed = ({ empty, fields, parsers }: Columns, values: readonly (string | null)[]): Row => {
  const row = { ...empty };
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    const name = fields[index]?.name;
    if (value !== null && value !== undefined && name !== undefined) row[name] = parsers[index]?.(value);
  }
  return row;
};

interface Sent {
  readonly config: pg.QueryConfig;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
  /** Whether this packet contains the statement's text, so that PostgreSQL parses it. */
  isParsed: boolean;
  columns: Columns | undefined;
  readonly rows: Row[];
  unread: { readonly error: unknown } | null;
}

const failureOf = (error: Error | null): Sent['unread'] => (error === null ? null : { error });

/** Returns the command and the number of rows of a tag such as `INSERT 0 1`, `SELECT 5` or `COMMIT`. */
function readTag(tag: string): { readonly command: string; readonly rowCount: number | null } {
  const first = tag.indexOf(' ');
  if (first === -1) return { command: tag, rowCount: null };
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return { command: tag.slice(0, first), rowCount: Number.isInteger(count) ? count : null };
}

/** Statements that leave together. `pg` queues the packet as it queues a query. */
export class Packet extends pg.Query {
  readonly #statements: Sent[] = [];
  #current = 0;
  #commits = false;
  #isUnanswered = false;

  constructor() {
    super({ text: '' });
  }

  /** If a statement or the connection fails, all statements that have no result yet fail with the same error. */
  add(config: pg.QueryConfig): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.#statements.push({ config, resolve, reject, isParsed: false, columns: undefined, rows: [], unread: null });
    });
  }

  /**
   * Sends the packet. Returns an error, and sends nothing, if a value cannot be sent or a name already has another
   * text.
   */
  override submit = (connection: pg.Connection): Error | null => {
    const chunks: Buffer[] = [];
    const added = { _send: { value: (chunk: Buffer) => chunks.push(chunk) } };
    const collecting: pg.Connection = Object.create(connection, added);
    try {
      refuseWithoutStandbys(connection, () => this.#statements.map(({ config }) => config.text));
      const known = columnsOf(connection);
      for (const sent of this.#statements) this.#write(sent, collecting, known);
    } catch (error) {
      this.#forget(connection, 0);
      this.#current = this.#statements.length;
      this.refuse(error);
      return error instanceof Error ? error : new Error(String(error));
    }
    collecting.sync();
    this.#name();
    this.#commits = this.#statements.some(({ config }) => config.text === 'commit');
    if (this.#commits) noteCommit(connection);
    this.#isUnanswered = true;
    notePacket(connection);
    if (connection.stream.writable) connection.stream.write(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    return null;
  };

  #write(sent: Sent, connection: pg.Connection, columns: ReadonlyMap<string, Columns>): void {
    const { name = '', text, values } = sent.config;
    const known =
      name === '' ? undefined : (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]);
    if (known !== undefined && known !== text) throw new Error(`two statements have the name ${name}`);
    if (known === undefined) {
      connection.parse({ name, text, types: [] }, true);
      if (name !== '') connection.submittedNamedStatements[name] = text;
      sent.isParsed = true;
    }
    connection.bind({ statement: name, values: values ?? [], valueMapper: utils.prepareValue }, true);
    sent.columns = name === '' ? undefined : columns.get(name);
    if (sent.columns === undefined) connection.describe({ type: 'P', name: '' }, true);
    connection.execute(null, true);
  }

  /** Names the statement whose answer comes next, because `pg` notes under this name that it was parsed. */
  #name(): void {
    const config = this.#statements[this.#current]?.config;
    this.name = config?.name;
    this.text = config?.text ?? '';
  }

  /**
   * Forgets that the statements from index `from` on were sent to be parsed, because PostgreSQL may have skipped them.
   */
  #forget(connection: pg.Connection, from: number): void {
    for (const { config, isParsed } of this.#statements.slice(from)) {
      if (isParsed && config.name !== undefined) delete connection.submittedNamedStatements[config.name];
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const sent = this.#statements[this.#current];
    if (sent === undefined) return;
    const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, 'text'));
    sent.columns = { fields, parsers, empty: Object.fromEntries(fields.map(({ name }) => [name, null])) };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const sent = this.#statements[this.#current];
    if (sent?.columns === undefined) return;
    try {
      sent.rows.push(parsed(sent.columns, fields));
    } catch (error) {
      // Thrown here, the error would end the process.
      sent.unread = { error };
    }
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: pg.Connection): void {
    const sent = this.#statements[this.#current];
    if (sent === undefined) return;
    const { columns = NO_COLUMNS, config, rows } = sent;
    if (config.name !== undefined) columnsOf(connection).set(config.name, columns);
    this.#current += 1;
    this.#name();
    const failure = sent.unread ?? failureOf(takeUnconfirmed(connection));
    if (failure === null) sent.resolve({ ...readTag(text), rows });
    else sent.reject(failure.error);
  }

  handleEmptyQuery(connection: pg.Connection): void {
    this.handleCommandComplete({ text: '' }, connection);
  }

  #answered(connection: pg.Connection): void {
    if (!this.#isUnanswered) return;
    this.#isUnanswered = false;
    noteAnswered(connection);
    if (this.#commits) noteAnswer(connection);
  }

  /**
   * PostgreSQL skips the statements after a failed one. They fail with the same error, so that a caller sees the cause
   * whichever it awaits first.
   */
  handleError(error: Error, connection: pg.Connection): void {
    this.#answered(connection);
    this.#forget(connection, this.#current);
    for (const { reject } of this.#statements.slice(this.#current)) reject(error);
    this.#current = this.#statements.length;
    this.callback?.(error);
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#statements) reject(error);
  }

  /** A statement outside a transaction is committed by the packet's Sync. */
  handleReadyForQuery(connection: pg.Connection): void {
    this.#answered(connection);
    this.callback?.(takeUnconfirmed(connection));
  }
}

/**
 * Replaces the stack of an error, as `pg` does: it then shows who sent the statement instead of how the response was
 * read.
 */
export function withStackOfSender(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withStackOfSender);
  return error;
}

export type Runner = Pick<pg.Pool, 'query'>;

/** Resolves when PostgreSQL has answered the packet's Sync. */
export function sendPacket(runner: Runner, packet: Packet): Promise<void> {
  const query: pg.QueryConfig = packet;
  return new Promise((resolve, reject) => {
    runner.query(query, (error: Error | null | undefined) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Runs a statement. With a name, it is a prepared statement, which must return the same columns at each execution.
 */
export async function sendQuery(runner: Runner, config: pg.QueryConfig): Promise<StatementResult> {
  const packet = new Packet();
  const result = packet.add(config);
  // If `sendPacket` throws, nothing awaits `result`, and its rejection would count as unhandled.
  result.catch(() => undefined);
  try {
    await sendPacket(runner, packet);
    return await result;
  } catch (error) {
    throw withStackOfSender(error);
  }
}
