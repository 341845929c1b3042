import { createServer, type ServerResponse } from 'node:http';
import { assess, type Check } from './readiness.ts';

export interface ManagementServerOptions {
  readonly host: string;
  readonly port: number;
  readonly checks: Readonly<Record<string, Check>>;
  readonly metrics: readonly (() => Promise<string>)[];
  readonly onError: (error: unknown) => void;
}

export interface ManagementServer {
  readonly port: number;
  /** Makes `/health/ready` return 503 from now on. */
  drain(): void;
  close(): Promise<void>;
}

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_TYPE = 'application/json';

interface Page {
  readonly status: number;
  readonly mediaType: string;
  readonly content: string;
}

const json = (status: number, body: unknown): Page => ({
  status,
  mediaType: JSON_TYPE,
  content: `${JSON.stringify(body)}\n`,
});

function send(response: ServerResponse, page: Page, withBody: boolean): void {
  response.writeHead(page.status, {
    'content-type': page.mediaType,
    'content-length': Buffer.byteLength(page.content),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(withBody ? page.content : undefined);
}

/** Starts the management port for probes and Prometheus. It serves plain HTTP and asks for no credentials. */
export async function startManagementServer(options: ManagementServerOptions): Promise<ManagementServer> {
  let isDraining = false;
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/health/live': async () => json(200, { status: 'live' }),
    '/health/ready': async () => {
      const { ready, checks } = await assess(options.checks);
      if (isDraining) return json(503, { status: 'unready', checks: { ...checks, process: 'stopping' } });
      return json(ready ? 200 : 503, { status: ready ? 'ready' : 'unready', checks });
    },
    '/metrics': async () => {
      const parts = await Promise.all(options.metrics.map((read) => read()));
      return { status: 200, mediaType: PROMETHEUS, content: parts.map((part) => `${part.trimEnd()}\n`).join('') };
    },
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    request.resume();
    if (page === undefined) return send(response, json(404, { error: 'not found' }), true);
    if (!isRead) return send(response, json(405, { error: 'GET and HEAD only' }), true);
    page()
      .catch((error: unknown) => {
        options.onError(error);
        return json(500, { error: 'internal error' });
      })
      .then((ready) => send(response, ready, request.method === 'GET'))
      .catch(options.onError);
    return undefined;
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  server.removeAllListeners('error').on('error', options.onError);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    drain: () => {
      isDraining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
