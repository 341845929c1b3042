import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AddressShares } from './limits/address-shares.ts';
import { ConnectionPace } from './limits/connection-pace.ts';

/** The first byte of a TLS record that carries a handshake (RFC 8446 5.1). */
const TLS_HANDSHAKE = 0x16;
/** The longest interval between two checks for clients that do not read their responses. */
const LONGEST_SWEEP_MILLISECONDS = 1_000;
/** The time that a stopping front waits for requests from clients that do not know of the stop yet. */
const LINGER_MILLISECONDS = 1_000;

export interface FrontOptions {
  readonly secure: HttpsServer;
  readonly plain: HttpServer;
  /** The maximum time from opening a connection to its first byte. */
  readonly firstByteTimeoutMilliseconds?: number;
  /** The maximum time from the first byte to the end of the TLS handshake. */
  readonly handshakeTimeoutMilliseconds?: number;
  /** The maximum time from a request's first byte to the end of its headers. */
  readonly headersTimeoutMilliseconds?: number;
  /** The maximum time from a request's first byte to the end of its body. */
  readonly requestTimeoutMilliseconds?: number;
  /** The maximum time during which a client may read none of the bytes that wait for it. */
  readonly unreadTimeoutMilliseconds?: number;
  /**
   * Returns the name of the group of clients with which an address shares limits. Returns null for a proxy: each of its
   * connections has its own limits.
   */
  readonly sharersOf?: (address: string) => string | null;
  /** Connections beyond this number are refused at once. */
  readonly maximumConnections?: number | undefined;
}

interface FrontState {
  readonly servers: readonly (HttpServer | HttpsServer)[];
  readonly sockets: Set<Socket>;
  /** Connections on which no byte has arrived yet. */
  readonly silent: Set<Socket>;
  /** Whether the process still answers requests, but asks clients to reconnect. */
  draining: boolean;
  closing: boolean;
}

const states = new WeakMap<Server, FrontState>();

const ignore = (): void => undefined;

/** Names an open connection. Its two sockets, the raw one and the TLS socket around it, get the same name. */
const connectionName = (socket: Socket): string =>
  [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join('|');

function destroyAfter(socket: Socket, milliseconds: number): NodeJS.Timeout {
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once('close', () => clearTimeout(timer));
  return timer;
}

/** Calls `found` once, with the first byte. The byte stays in the socket for the next reader. */
function peek(socket: Socket, found: (byte: number) => void): void {
  const onReadable = (): void => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk) || chunk[0] === undefined) return;
    socket.off('readable', onReadable);
    socket.off('end', onEnd);
    socket.unshift(chunk);
    found(chunk[0]);
  };
  // A client may leave without sending anything. Only this listener notices, because no server reads yet.
  const onEnd = (): void => void socket.destroy();
  socket.on('readable', onReadable);
  socket.on('end', onEnd);
}

function boundHandshakes(secure: HttpsServer, milliseconds: number): (socket: Socket) => void {
  const timers = new Map<string, NodeJS.Timeout>();
  secure.on('secureConnection', (socket) => clearTimeout(timers.get(connectionName(socket))));
  return (socket) => {
    const name = connectionName(socket);
    const timer = destroyAfter(socket, milliseconds);
    timers.set(name, timer);
    socket.once('close', () => {
      if (timers.get(name) === timer) timers.delete(name);
    });
  };
}

/**
 * Keeps each group of clients within its share of requests in progress, and cuts off clients that leave responses
 * unread.
 */
function paceConnections(
  options: FrontOptions,
  state: FrontState,
): { readonly pace: (socket: Socket) => void; readonly end: () => void } {
  const { sharersOf = (address) => address, unreadTimeoutMilliseconds = 30_000 } = options;
  const shares = new AddressShares();
  const paces = new WeakMap<Duplex, ConnectionPace>();
  for (const server of state.servers) {
    server.prependListener('request', (request, response) => {
      const pace = paces.get(request.socket);
      pace?.begin(request, response);
      if (state.draining) pace?.endWith(response);
      response.once('close', () => {
        if (state.closing) setImmediate(() => server.closeIdleConnections());
      });
    });
    server.prependListener('connect', (_request, socket) => {
      paces.get(socket)?.stop();
      if (server.listenerCount('connect') === 1) socket.destroy();
    });
  }
  const interval = Math.min(LONGEST_SWEEP_MILLISECONDS, unreadTimeoutMilliseconds / 4);
  const sweeper = setInterval(() => shares.sweep(performance.now(), unreadTimeoutMilliseconds), interval).unref();
  return {
    pace: (socket) => {
      const sharers = sharersOf(socket.remoteAddress ?? '') ?? connectionName(socket);
      paces.set(socket, new ConnectionPace(socket, shares.of(sharers)));
    },
    end: () => clearInterval(sweeper),
  };
}

/**
 * Creates one TCP server for TLS and plain HTTP. The first byte of a connection shows its protocol. The servers for the
 * two protocols do not listen: the front hands connections over to them, and cuts off slow clients.
 */
export function createFront(options: FrontOptions): Server {
  const { secure, plain } = options;
  const state: FrontState = {
    servers: [secure, plain],
    sockets: new Set(),
    silent: new Set(),
    draining: false,
    closing: false,
  };
  for (const server of state.servers) {
    server.headersTimeout = options.headersTimeoutMilliseconds ?? 15_000;
    server.requestTimeout = options.requestTimeoutMilliseconds ?? 60_000;
  }
  const { pace, end } = paceConnections(options, state);
  secure.on('secureConnection', pace);
  const boundHandshake = boundHandshakes(secure, options.handshakeTimeoutMilliseconds ?? 10_000);
  const { maximumConnections = Number.POSITIVE_INFINITY } = options;
  const front = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    // With `server.maxConnections`, a primary process would pass the connection around endlessly among full workers.
    if (state.sockets.size >= maximumConnections) {
      socket.destroy();
      return;
    }
    state.sockets.add(socket);
    state.silent.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => {
      state.sockets.delete(socket);
      state.silent.delete(socket);
    });
    const timer = destroyAfter(socket, options.firstByteTimeoutMilliseconds ?? 10_000);
    peek(socket, (byte) => {
      clearTimeout(timer);
      state.silent.delete(socket);
      const isSecure = byte === TLS_HANDSHAKE;
      // Node's servers use the same values when they listen themselves: half-open for HTTP, but not for TLS.
      socket.allowHalfOpen = !isSecure;
      if (isSecure) boundHandshake(socket);
      (isSecure ? secure : plain).emit('connection', socket);
      if (!isSecure) pace(socket);
    });
  });
  // Node starts its checks for slow clients when a server starts to listen, which neither of these servers does.
  front.once('listening', () => {
    for (const server of state.servers) server.emit('listening');
  });
  front.once('close', end);
  states.set(front, state);
  return front;
}

/**
 * Closes each connection with its next response, unless a further request has arrived. New connections are still
 * accepted.
 */
export function drainFront(front: Server): void {
  const state = states.get(front);
  if (state !== undefined) state.draining = true;
}

/** Lets the event loop read what clients have already sent, and take over connections that the system has accepted. */
async function takeUp(): Promise<void> {
  // The first turn may only finish a poll of the sockets that is in progress. The second one polls them again.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Stops accepting connections. Requests on open connections are still answered for a moment, because some may be on
 * their way. Then idle connections are closed at once, busy ones after their response, and the rest after the grace
 * period.
 */
export async function closeFront(front: Server, graceMilliseconds: number): Promise<void> {
  const state = states.get(front);
  if (state === undefined) throw new Error('not a front');
  state.draining = true;
  await takeUp();
  const closeIdle = async (): Promise<void> => {
    // A timer fires before the event loop reads sockets. Without this call, a request that has arrived could be lost.
    await takeUp();
    state.closing = true;
    for (const socket of state.silent) socket.destroy();
    for (const server of state.servers) server.closeIdleConnections();
  };
  const lingering = setTimeout(() => void closeIdle(), Math.min(LINGER_MILLISECONDS, graceMilliseconds));
  const cutting = setTimeout(() => {
    for (const socket of state.sockets) socket.destroy();
  }, graceMilliseconds);
  await new Promise<void>((resolve) => front.close(() => resolve()));
  clearTimeout(lingering);
  clearTimeout(cutting);
  // `close` stops Node's check for slow clients. Because these servers never listen, it reports an error, which is
  // ignored.
  for (const server of state.servers) server.close(ignore);
}
