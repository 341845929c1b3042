import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionSettings } from '../../src/platform/postgres/index.ts';

/** A proxy through which tests delay, stop and break the connections between a service and its PostgreSQL. */
export interface DatabaseProxy {
  readonly connection: ConnectionSettings;
  readonly url: string;
  delayAnswers(milliseconds: number): void;
  /** Discards all traffic in both directions without closing connections, like a broken network. */
  silence(): void;
  /** Passes nothing on until `goOn`, but loses nothing. */
  standStill(): void;
  /**
   * Stands still at a chunk of data from the service, which is passed on before if `isSent` is true. The number 1 means
   * the next chunk. Resolves then. `goOn` cancels it.
   */
  standStillAt(count: number, isSent: boolean): Promise<void>;
  goOn(): void;
  /**
   * Withholds PostgreSQL's confirmation that it has committed the transaction whose statements contain the marker.
   * Resolves when the proxy has received the confirmation.
   */
  holdCommitOf(marker: string): Promise<void>;
  /**
   * Breaks all connections instead of passing on a chunk of data from the database. The number 1 means the next chunk.
   */
  cutAtAnswer(count: number): void;
  cut(): void;
  /** Breaks all connections and directs new ones to another server, as in a failover. */
  redirect(connection: ConnectionSettings): void;
  close(): Promise<void>;
}

/** The message CommandComplete with the tag COMMIT (PostgreSQL's protocol 3, message formats). */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

interface Held {
  readonly marker: Buffer;
  readonly held: () => void;
}

interface Stop {
  left: number;
  readonly isSent: boolean;
  readonly stopped: () => void;
}

interface State {
  target: ConnectionSettings;
  delayMilliseconds: number;
  isSilent: boolean;
  isStill: boolean;
  stop: Stop | null;
  /** Passes on the chunk at which the proxy stands still. */
  passOn: (() => void) | null;
  answersUntilCut: number;
  hold: Held | null;
  readonly sockets: Set<Socket>;
}

function target(connection: ConnectionSettings): Socket {
  const { host = '127.0.0.1', port = 5432 } = connection;
  return host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
}

const cutAll = (state: State): void => {
  for (const socket of state.sockets) socket.destroy();
};

function standStill(state: State): void {
  state.isStill = true;
  for (const socket of state.sockets) socket.pause();
}

/** Returns whether the chunk must wait until the proxy goes on. */
function stopsAt(state: State, passOn: () => void): boolean {
  const { stop } = state;
  if (stop === null) return false;
  stop.left -= 1;
  if (stop.left > 0) return false;
  state.stop = null;
  standStill(state);
  if (!stop.isSent) state.passOn = passOn;
  stop.stopped();
  return !stop.isSent;
}

function relay(state: State, client: Socket, database: Socket): void {
  let isMarked = false;
  let isHeld = false;
  let written = Promise.resolve();
  for (const socket of [client, database]) {
    state.sockets.add(socket);
    if (state.isStill) socket.pause();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      state.sockets.delete(socket);
      (socket === client ? database : client).destroy();
    });
  }
  client.on('data', (chunk: Buffer) => {
    if (state.isSilent) return;
    if (state.hold !== null && chunk.includes(state.hold.marker)) isMarked = true;
    if (!stopsAt(state, () => database.write(chunk))) database.write(chunk);
  });
  database.on('data', (chunk: Buffer) => {
    if (state.isSilent || isHeld) return;
    state.answersUntilCut -= 1;
    if (state.answersUntilCut === 0) {
      cutAll(state);
      return;
    }
    if (isMarked && state.hold !== null && chunk.includes(COMMITTED)) {
      isHeld = true;
      state.hold.held();
      state.hold = null;
      return;
    }
    const due = state.delayMilliseconds === 0 ? null : delay(state.delayMilliseconds);
    // Chunks are passed on one after the other, so a delayed chunk is never overtaken.
    written = written.then(async () => {
      await due;
      if (!client.destroyed) client.write(chunk);
    });
  });
}

/** Starts a proxy on one of this machine's addresses, by default loopback. */
export async function openDatabaseProxy(connection: ConnectionSettings, host = '127.0.0.1'): Promise<DatabaseProxy> {
  const state: State = {
    target: connection,
    delayMilliseconds: 0,
    isSilent: false,
    isStill: false,
    stop: null,
    passOn: null,
    answersUntilCut: Number.POSITIVE_INFINITY,
    hold: null,
    sockets: new Set(),
  };
  const server = createServer({ noDelay: true }, (client) => relay(state, client, target(state.target)));
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const { user = 'gatehouse', password, database = 'gatehouse' } = connection;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  return {
    connection: { ...connection, host, port: address.port },
    url: `postgresql://${user}${secret}@${host}:${address.port}/${database}`,
    delayAnswers: (milliseconds) => {
      state.delayMilliseconds = milliseconds;
    },
    silence: () => {
      state.isSilent = true;
    },
    standStill: () => standStill(state),
    standStillAt: (left, isSent) =>
      new Promise((stopped) => {
        state.stop = { left, isSent, stopped };
      }),
    goOn: () => {
      state.isStill = false;
      state.stop = null;
      state.passOn?.();
      state.passOn = null;
      for (const socket of state.sockets) socket.resume();
    },
    holdCommitOf: (marker) =>
      new Promise((resolve) => {
        state.hold = { marker: Buffer.from(marker), held: resolve };
      }),
    cutAtAnswer: (count) => {
      state.answersUntilCut = count;
    },
    cut: () => cutAll(state),
    redirect: (next) => {
      state.target = next;
      cutAll(state);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cutAll(state);
      await closed;
    },
  };
}
