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
  /** With 0, the operating system chooses the port. */
  readonly port: number;
  readonly tls: TlsOptions;
  readonly maximumConnections?: number | undefined;
  /** These options override the default time limits for slow clients, and the groups of clients that share limits. */
  readonly patience?: Omit<FrontOptions, 'secure' | 'plain' | 'maximumConnections'>;
}

export interface PublicPort {
  readonly port: number;
  readonly renew: (tls: TlsOptions) => void;
  /**
   * Closes each connection after the response to its next request, unless a further request has arrived. New
   * connections are still accepted.
   */
  readonly drain: () => void;
  /**
   * Stops accepting connections. Requests in progress get at most `graceMilliseconds` before their connections are
   * closed.
   */
  readonly close: (graceMilliseconds: number) => Promise<void>;
}

/** The interval of the check for slow clients. Node's default of 30 s would let them stay too long. */
const CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS = 1_000;
const MAXIMUM_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MILLISECONDS = 65_000;

const LIMITS = {
  connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS,
  maxHeaderSize: MAXIMUM_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  // The parser refuses two Content-Length headers, Content-Length with Transfer-Encoding, obs-fold and a bare LF.
  insecureHTTPParser: false,
  // `admit` refuses a missing Host, because Node's response would have neither a request id nor an error object.
  requireHostHeader: false,
} as const;

/**
 * Keeps Node from sending a bare 417 for an unknown Expect, and from closing the connection after CONNECT without a
 * response.
 */
function answerWhatNodeWouldAnswer(ports: Pick<EdgePorts, 'clock' | 'log' | 'namespace'>, server: HttpServer): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    parserFailure(ports, new Error('CONNECT is not for servers'), socket as Parameters<typeof parserFailure>[2]);
  });
}

/** Opens the public port: one TCP port that accepts TLS and, only from trusted proxies, plain HTTP. */
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
    // The type says Duplex, but node:http passes only sockets here.
    parserFailure(ports, error, socket as Parameters<typeof parserFailure>[2]);
  });
  for (const server of [secure, plain]) {
    // The headers are limited in bytes. With the default limit of 2,000 headers, Node would silently drop the rest.
    server.maxHeadersCount = 0;
    answerWhatNodeWouldAnswer(ports, server);
  }
  const { maximumConnections } = options;
  // A trusted proxy forwards requests for many clients, so each of its connections has limits of its own.
  const sharersOf = (address: string) => (ports.tlsProxies.matches(address) ? null : addressPrefix(address));
  const front = createFront({ secure, plain, maximumConnections, sharersOf, ...options.patience });
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(options.port, options.host, resolve);
  });
  // If a connection cannot be accepted (no file descriptor is left), the client loses it, but the process must not end.
  front.removeAllListeners('error').on('error', (error) => ports.log.warn({ err: error }, 'a connection was lost'));
  const { port } = front.address() as AddressInfo;
  let serve: RequestListener = () => undefined;
  // Links need the port, which may be known only now. Requests that arrived in the meantime wait in `early`.
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
