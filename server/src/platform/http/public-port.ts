import { createServer as createPlainServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { parserFailure } from './errors/parser-failure.ts';
import { closeFront, createFront, drainFront, type FrontOptions } from './front.ts';
import type { EdgePorts } from './ports.ts';
import { addressPrefix } from './request/client-address.ts';
import type { AnyRoute } from './route.ts';
import { createEdgeServer } from './server.ts';

export interface PublicPortOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls: TlsOptions;
  /** Clients that may be connected at one time. */
  readonly maximumConnections?: number | undefined;
  /** Time limits for slow clients, if the defaults do not fit. */
  readonly patience?: Omit<FrontOptions, 'secure' | 'plain' | 'maximumConnections'>;
}

export interface PublicPort {
  readonly port: number;
  /** Certificates may be renewed while the port is open. */
  readonly renew: (tls: TlsOptions) => void;
  /** Closes each connection with its next answer; new connections are still answered. */
  readonly drain: () => void;
  /** Accepts no more connections, gives running requests this long to finish, and then closes the rest. */
  readonly close: (graceMilliseconds: number) => Promise<void>;
}

/** The interval of the check for slow clients; Node's default of half a minute would let them stay too long. */
const CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS = 1_000;
const MAXIMUM_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MILLISECONDS = 65_000;

const LIMITS = {
  connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS,
  maxHeaderSize: MAXIMUM_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  // Two Content-Length, both framings, obs-fold, bare LF: refused by the parser, never guessed at.
  insecureHTTPParser: false,
  // Node's own answer to a missing Host has neither request id nor error object; admission refuses it with both.
  requireHostHeader: false,
} as const;

/** Node's own answers (417 to an unknown Expect, silence to CONNECT) have neither a request id nor an error object. */
function answerWhatNodeWouldAnswer(ports: Pick<EdgePorts, 'clock' | 'log' | 'namespace'>, server: HttpServer): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    parserFailure(ports, new Error('CONNECT is not for servers'), socket as Parameters<typeof parserFailure>[2]);
  });
}

/** Opens the public port: one TCP port that takes TLS and, from listed proxies only, plain HTTP. */
export async function openPublicPort(
  ports: Omit<EdgePorts, 'publicPort'> & { readonly publicPort: number | null },
  routes: readonly AnyRoute[],
  options: PublicPortOptions,
): Promise<PublicPort> {
  let handle: RequestListener | null = null;
  const early: Parameters<RequestListener>[] = [];
  const listener: RequestListener = (request, response) => {
    if (handle === null) early.push([request, response]);
    else handle(request, response);
  };
  const secure = createSecureServer({ ...LIMITS, ...options.tls }, listener);
  const plain = createPlainServer(LIMITS, listener);
  plain.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The type says Duplex; node:http only ever hands over sockets here.
    parserFailure(ports, error, socket as Parameters<typeof parserFailure>[2]);
  });
  for (const server of [secure, plain]) {
    // Already limited in bytes; beyond 2,000 Node would silently drop headers.
    server.maxHeadersCount = 0;
    answerWhatNodeWouldAnswer(ports, server);
  }
  const { maximumConnections } = options;
  // A trusted proxy forwards for many clients, and reads all of its own answers.
  const sharersOf = (address: string) => (ports.tlsProxies.matches(address) ? null : addressPrefix(address));
  const front = createFront({ secure, plain, maximumConnections, sharersOf, ...options.patience });
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(options.port, options.host, resolve);
  });
  // A connection that could not be accepted (no descriptor left) is the client's loss, not the end of the process.
  front.removeAllListeners('error').on('error', (error) => ports.log.warn({ err: error }, 'a connection was lost'));
  const { port } = front.address() as AddressInfo;
  let serve: RequestListener = () => undefined;
  // Links need the port, which is known only now; requests that came in the meantime wait in `early`.
  const app = createEdgeServer({ ...ports, publicPort: ports.publicPort ?? port }, routes, (handler) => {
    serve = handler;
    return secure;
  });
  await app.ready();
  handle = serve;
  for (const [request, response] of early) serve(request, response);
  return {
    port,
    renew: (tls) => secure.setSecureContext(tls),
    drain: () => drainFront(front),
    close: async (graceMilliseconds) => {
      await closeFront(front, graceMilliseconds);
      await app.close();
    },
  };
}
