import { once } from 'node:events';
import { Duplex } from 'node:stream';
import pg from 'pg';
import type { ConnectionSettings } from '../server/src/platform/postgres/index.ts';

// COPY is the cheapest way to move rows to and from PostgreSQL. The benchmarks load data with it, and compare the
// product's speed with that of COPY.

/** The members of `pg`'s connection that its type declarations leave out. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const canCopy = (connection: pg.Connection): connection is CopyConnection =>
  'sendCopyFromChunk' in connection && 'endCopyFrom' in connection;

/** Returns the network stream of a client. Throws if this version of `pg` has none. */
export const streamOf = (client: pg.Client): Duplex => {
  const connection: unknown = Reflect.get(client, 'connection');
  const stream: unknown = Reflect.get(Object(connection), 'stream');
  if (!(stream instanceof Duplex)) throw new Error('this version of pg has no stream');
  return stream;
};

class Copy {
  readonly ended: Promise<void>;
  readonly ready: Promise<CopyConnection>;
  readonly #text: string;
  readonly #received: (chunk: Buffer) => void;
  #start: (connection: CopyConnection) => void = () => undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(text: string, received: (chunk: Buffer) => void = () => undefined) {
    this.#text = text;
    this.#received = received;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ready = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.ended.catch(reject);
    });
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: pg.Connection): void {
    if (!canCopy(connection)) throw new Error('this version of pg has no COPY');
    this.#start(connection);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#received(chunk);
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

/** Opens a separate connection, because COPY cannot run on a pipelined one. */
export async function openCopyClient(connection: ConnectionSettings): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: 'gatehouse-bench-copy' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function copyIn(client: pg.Client, text: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
  const copy = new Copy(text);
  client.query(copy);
  const connection = await copy.ready;
  for await (const chunk of chunks) {
    connection.sendCopyFromChunk(chunk);
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
  }
  connection.endCopyFrom();
  await copy.ended;
}

/**
 * Makes the COPY statement that reads the bodies of an org. `org` becomes part of the SQL text, so it must be an id.
 */
export const copyOfLog = (org: string): string => {
  if (!/^\w+$/.test(org)) throw new Error(`${org} is no org`);
  return `copy (select body from bench_events where org_id = '${org}' order by position) to stdout`;
};

export interface CopyCount {
  readonly rows: number;
  readonly bytes: number;
}

/** Reads `copy ... to stdout` to its end, and passes each row to `received`. */
export async function copyOut(
  client: pg.Client,
  text: string,
  received: (chunk: Buffer) => void = () => undefined,
): Promise<CopyCount> {
  let rows = 0;
  let bytes = 0;
  const copy = new Copy(text, (chunk) => {
    rows += 1;
    bytes += chunk.length;
    received(chunk);
  });
  client.query(copy);
  await copy.ended;
  return { rows, bytes };
}
