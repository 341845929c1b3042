import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { TestOrg, TestService } from './service.ts';

export interface RawAnswer {
  readonly status: number;
  /** All values of each header in the order received, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** The parsed body if it is JSON. The tests of these connections expect objects only. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** A connection on which tests can send bytes that no client library would send. */
export interface RawConnection {
  readonly send: (bytes: string | Buffer) => void;
  /** All final responses (status 200 or higher), once the connection has closed. */
  readonly closed: Promise<readonly RawAnswer[]>;
  /**
   * Resolves to all final responses so far, as soon as there are at least `count`. Rejects if the connection closes
   * first.
   */
  readonly answers: (count: number) => Promise<readonly RawAnswer[]>;
  readonly text: () => string;
  readonly destroy: () => void;
}

interface Target {
  readonly port: number;
  /** The trusted CA; null means plain HTTP. */
  readonly ca: string | null;
  readonly hostname: string;
}

function headersOf(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return headers;
}

function readAnswer(received: Buffer, from: number): { answer: RawAnswer; end: number } | null {
  const headEnd = received.indexOf('\r\n\r\n', from);
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = received.toString('latin1', from, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = headersOf(lines);
  const end = headEnd + 4 + Number(headers['content-length']?.[0] ?? 0);
  if (received.length < end) return null;
  const text = received.toString('utf8', headEnd + 4, end);
  const isJson = headers['content-type']?.[0]?.includes('json') === true;
  return {
    answer: { status, headers, text, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : undefined },
    end,
  };
}

function readAnswers(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let read = readAnswer(received, 0); read !== null; read = readAnswer(received, read.end)) {
    if (read.answer.status >= 200) answers.push(read.answer);
  }
  return answers;
}

function open({ ca, hostname, port }: Target): Socket {
  const host = '127.0.0.1';
  return ca === null ? connectPlain({ host, port }) : connectSecure({ host, port, ca, servername: hostname });
}

export function rawConnection(target: Target): RawConnection {
  const socket = open(target);
  const chunks: Buffer[] = [];
  const watchers = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const watcher of watchers) watcher();
  });
  // A server may reset the connection if it refuses a request early. The bytes received until then count.
  socket.on('error', () => undefined);
  const received = () => readAnswers(Buffer.concat(chunks));
  const closed = new Promise<readonly RawAnswer[]>((resolve) => {
    socket.once('close', () => resolve(received()));
  });
  return {
    send: (bytes) => void socket.write(bytes),
    closed,
    answers: (count) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (received().length >= count) resolve(received());
        };
        watchers.add(watch);
        void closed.then((all) => (all.length >= count ? resolve(all) : reject(new Error('closed too early'))));
        watch();
      }),
    text: () => Buffer.concat(chunks).toString('latin1'),
    destroy: () => void socket.destroy(),
  };
}

export const secureTarget = (service: TestService, org: TestOrg, port = service.port): Target => ({
  port,
  ca: service.ca,
  hostname: org.hostname,
});

/** Sends bytes over TLS. Resolves to all final responses when the connection has closed. */
export function exchange(service: TestService, org: TestOrg, bytes: string | Buffer): Promise<readonly RawAnswer[]> {
  const connection = rawConnection(secureTarget(service, org));
  connection.send(bytes);
  return connection.closed;
}

export const requestText = (org: TestOrg, line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, `Host: ${org.hostname}`, ...headers, '', body].join('\r\n');
