import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

export interface Endpoint {
  readonly port: number;
  /** The name for the Host header and the certificate. */
  readonly hostname: string;
  /** The PEM of the CA to trust. Null means plain HTTP, as from a proxy that terminates TLS. */
  readonly ca: string | null;
}

export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * A keep-alive connection that sends one request at a time. Its code is minimal, because the time that it takes lowers
 * the measured rates.
 */
export interface Connection {
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const END_OF_HEAD = '\r\n\r\n';

class Incoming {
  #chunks: Buffer[] = [];
  #received = 0;
  /** The length of head and body together. */
  #expected = Number.POSITIVE_INFINITY;
  #head = '';
  #start = 0;

  take(chunk: Buffer): Answer | null {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#start === 0) this.#readHead();
    if (this.#received < this.#expected) return null;
    const [only = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const body = bytes.subarray(this.#start, this.#expected);
    return { status: Number(this.#head.slice(9, 12)), head: this.#head, body };
  }

  #readHead(): void {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) return;
    this.#head = bytes.toString('latin1', 0, end);
    this.#start = end + END_OF_HEAD.length;
    const none = this.#head.startsWith('HTTP/1.1 204') ? '0' : 'NaN';
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1] ?? none);
    if (Number.isNaN(length)) throw new Error(`an answer without a length: ${this.#head}`);
    this.#expected = this.#start + length;
  }
}

/** With many client addresses, the server's rate limit per address does not affect the figures. */
const addressOf = (index: number): string => `127.0.0.${2 + (index % 250)}`;

function openSocket(endpoint: Endpoint, index: number): Promise<Socket> {
  const { ca, hostname, port } = endpoint;
  const localAddress = process.platform === 'linux' ? { localAddress: addressOf(index) } : {};
  return new Promise((resolve, reject) => {
    const socket: Socket =
      ca === null
        ? connectPlain({ host: '127.0.0.1', port, ...localAddress }, () => resolve(socket))
        : connectSecure({ host: '127.0.0.1', port, ca, servername: hostname, ...localAddress }, () => resolve(socket));
    socket.once('error', reject);
    socket.setNoDelay(true);
  });
}

export async function openConnection(endpoint: Endpoint, index: number): Promise<Connection> {
  const socket = await openSocket(endpoint, index);
  let incoming = new Incoming();
  let waiting: Waiting | null = null;
  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = null;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    try {
      const answer = incoming.take(chunk);
      if (answer === null) return;
      const asked = waiting;
      incoming = new Incoming();
      waiting = null;
      asked?.resolve(answer);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

export function requestBytes(
  endpoint: Endpoint,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Buffer {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${endpoint.hostname}:${endpoint.port}`,
    'Accept: application/json',
    'User-Agent: gatehouse-bench/1.0',
    ...(endpoint.ca === null ? ['X-Forwarded-Proto: https'] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const hasPayload = body !== undefined || method === 'POST' || method === 'PUT';
  if (body !== undefined) lines.push('Content-Type: application/json');
  if (hasPayload) lines.push(`Content-Length: ${Buffer.byteLength(payload)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${payload}`);
}

export function formRequestBytes(endpoint: Endpoint, path: string, form: Readonly<Record<string, string>>): Buffer {
  const body = new URLSearchParams(form).toString();
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${endpoint.hostname}:${endpoint.port}`,
    'Accept: application/json',
    'Content-Type: application/x-www-form-urlencoded',
    ...(endpoint.ca === null ? ['X-Forwarded-Proto: https'] : []),
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
