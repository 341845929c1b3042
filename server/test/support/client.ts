import { Agent, request } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body if it is JSON, otherwise its text; undefined if the body is empty. */
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- tests read bodies of every shape
  readonly text: string;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** A body that is sent unchanged, instead of `body` as JSON. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestClient {
  readonly get: (path: string, options?: RequestOptions) => Promise<TestResponse>;
  readonly post: (path: string, options?: RequestOptions) => Promise<TestResponse>;
  readonly put: (path: string, options?: RequestOptions) => Promise<TestResponse>;
  readonly del: (path: string, options?: RequestOptions) => Promise<TestResponse>;
  readonly send: (method: string, path: string, options?: RequestOptions) => Promise<TestResponse>;
}

export interface ClientOptions {
  readonly port: number;
  /** The org's host name, which the client sends in the Host header and as SNI. */
  readonly hostname: string;
  readonly ca: string;
  /** The IP address to connect to, by default this machine's loopback address. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onAnswer?: (method: string, path: string, response: TestResponse) => void;
  /**
   * If the server has closed a reused connection, the client calls this function and sends the request again. Because
   * the server may have closed every idle connection, the client repeats this until it opens a new one. Without this
   * function, the request fails.
   */
  readonly onRetry?: () => void;
}

function parse(contentType: string | undefined, text: string): unknown {
  if (text === '') return undefined;
  return contentType?.includes('json') === true ? (JSON.parse(text) as unknown) : text;
}

function payloadOf(options: RequestOptions): { payload: string | Buffer | null; headers: Record<string, string> } {
  if (options.raw !== undefined) {
    return { payload: options.raw, headers: { 'content-length': String(Buffer.byteLength(options.raw)) } };
  }
  if (options.body === undefined) return { payload: null, headers: { 'content-length': '0' } };
  const payload = JSON.stringify(options.body);
  return {
    payload,
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) },
  };
}

const contexts = new Map<string, SecureContext>();

/** Without this cache, every connection would parse the CA's certificate. */
function contextOf(ca: string): SecureContext {
  const context = contexts.get(ca) ?? createSecureContext({ ca });
  contexts.set(ca, context);
  return context;
}

/** Creates a client that uses real HTTPS and trusts only the given CA. */
export function createTestClient(options: ClientOptions): TestClient & { close(): void } {
  const agent = new Agent({ keepAlive: true, secureContext: contextOf(options.ca) });
  const { onRetry } = options;
  const sendOnce = (method: string, path: string, given: RequestOptions): Promise<TestResponse> =>
    new Promise((resolve, reject) => {
      const { payload, headers } = payloadOf(given);
      const takesBody = method !== 'GET' && method !== 'DELETE' && method !== 'OPTIONS';
      const outgoing = request(
        {
          agent,
          host: options.address ?? '127.0.0.1',
          port: options.port,
          servername: options.hostname,
          method,
          path,
          headers: {
            host: `${options.hostname}:${options.port}`,
            accept: 'application/json',
            ...options.headers,
            ...(takesBody || payload !== null ? headers : {}),
            ...given.headers,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const response: TestResponse = {
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body: parse(incoming.headers['content-type'], text),
              text,
            };
            try {
              options.onAnswer?.(method, path, response);
              resolve(response);
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.on('error', (error) => {
        const isClosed = outgoing.reusedSocket && Reflect.get(error, 'code') === 'ECONNRESET';
        if (onRetry === undefined || !isClosed) {
          reject(error);
          return;
        }
        onRetry();
        sendOnce(method, path, given).then(resolve, reject);
      });
      outgoing.end(payload ?? undefined);
    });
  const send = (method: string, path: string, given: RequestOptions = {}): Promise<TestResponse> =>
    sendOnce(method, path, given);
  return {
    send,
    get: (path, given) => send('GET', path, given),
    post: (path, given) => send('POST', path, given),
    put: (path, given) => send('PUT', path, given),
    del: (path, given) => send('DELETE', path, given),
    close: () => agent.destroy(),
  };
}
