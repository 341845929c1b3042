import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { closeFront, createFront } from './front.ts';
import { parserFailure } from './parser-failure.ts';
import type { EdgePorts } from './ports.ts';
import type { AnyRoute } from './route.ts';
import { createEdgeServer } from './server.ts';

export interface PublicPortOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls: TlsOptions;
}

export interface PublicPort {
  readonly port: number;
  /** Certificates may be renewed while the port is open. */
  readonly renew: (tls: TlsOptions) => void;
  /** Accepts nothing more, lets what runs finish for so long, then closes the rest. */
  readonly close: (graceMilliseconds: number) => Promise<void>;
}

/** Slow clients are looked for this often; Node's own half minute would let them sit. */
const CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS = 1_000;
const MAXIMUM_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MILLISECONDS = 65_000;

const LIMITS = {
  connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MILLISECONDS,
  maxHeaderSize: MAXIMUM_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  // Two Content-Length, both framings, obs-fold, bare LF: refused by the parser, never guessed at.
  insecureHTTPParser: false,
} as const;

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
  const front = createFront({ secure, plain });
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(options.port, options.host, resolve);
  });
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
    close: async (graceMilliseconds) => {
      await closeFront(front, graceMilliseconds);
      await app.close();
    },
  };
}
