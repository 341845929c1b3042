import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { openCertificateAuthority } from '../../crypto/index.ts';
import { closeFront, createFront, type FrontOptions } from '../front.ts';

let credentials: { key: string; cert: string };
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pace-'));
  const authority = await openCertificateAuthority(folder, systemClock);
  const { privateKey, certificate } = authority.issue(['localhost', '127.0.0.1']);
  credentials = { key: privateKey, cert: certificate };
  await rm(folder, { recursive: true });
});

let fronts: Server[] = [];
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(fronts.map((front) => closeFront(front, 0)));
  fronts = [];
  sockets = [];
});

async function open(handler: http.RequestListener, options: Partial<FrontOptions> = {}): Promise<number> {
  const secure = https.createServer(credentials, handler);
  const plain = http.createServer(handler);
  const front = createFront({ secure, plain, ...options });
  fronts.push(front);
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return (front.address() as AddressInfo).port;
}

interface Client {
  readonly socket: Socket;
  readonly text: () => string;
  readonly closed: Promise<unknown>;
}

async function client(port: number, isSecure: boolean, reads = true): Promise<Client> {
  const socket = isSecure
    ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  sockets.push(socket);
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (reads) socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, isSecure ? 'secureConnect' : 'connect');
  return { socket, text: () => Buffer.concat(chunks).toString('latin1'), closed };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const many = (count: number): string => Array.from({ length: count }, (_, at) => get(`/${at}`)).join('');
const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

function holding() {
  const held: http.ServerResponse[] = [];
  const began: string[] = [];
  const handler: http.RequestListener = (request, response) => {
    began.push(request.url ?? '');
    held.push(response);
  };
  return { handler, held, began };
}

describe.each([
  ['TLS', true],
  ['plain HTTP', false],
])('requests that come in one go, over %s', (_, isSecure) => {
  test('are begun eight at a time, and all are answered, in order', async () => {
    const { began, handler, held } = holding();
    const port = await open(handler);
    const { socket, text } = await client(port, isSecure);
    socket.write(many(30));
    for (let answered = 0; answered < 30; answered += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(answered);
      await expect.poll(() => began.length).toBe(Math.min(30, answered + 8));
      held[answered]?.end(`<${answered}>`);
    }
    await expect.poll(() => text().match(/<\d+>/g)).toEqual(numbers(30).map((at) => `<${at}>`));
    expect(began).toEqual(numbers(30).map((at) => `/${at}`));
  });

  test('are counted where the bytes come in any portions', async () => {
    const port = await open((request, response) => response.end(`<${request.url}>`));
    for (const portion of [1, 3, 7, 33, 50]) {
      const { socket, text } = await client(port, isSecure);
      socket.setNoDelay(true);
      const bytes = many(20);
      for (let at = 0; at < bytes.length; at += portion) {
        await new Promise((resolve) => socket.write(bytes.slice(at, at + portion), resolve));
      }
      await expect.poll(() => text().match(/<[^>]+>/g)).toEqual(numbers(20).map((at) => `</${at}>`));
      socket.destroy();
    }
  });

  test('keep their bodies, of a length that is said or not, whatever is in them', async () => {
    const port = await open((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => setImmediate(() => response.end(`<${Buffer.concat(chunks).toString('latin1').length}>`)));
    });
    const { socket, text } = await client(port, isSecure);
    const body = '\r\n\r\nGET / HTTP/1.1\r\n\r\n'.repeat(5_000);
    const said = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const unsaid = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`;
    socket.write((said + unsaid + get('/')).repeat(6));
    const answers = Array.from({ length: 6 }, () => [`<${body.length}>`, `<${body.length}>`, '<0>']).flat();
    await expect.poll(() => text().match(/<\d+>/g), { timeout: 10_000 }).toEqual(answers);
  });

  test('are no further begun when nobody reads the answers, until somebody does', async () => {
    const { began, handler } = holding();
    const answer = Buffer.alloc(8_388_608, 'x');
    const port = await open((request, response) => {
      handler(request, response);
      response.end(answer);
    });
    const { socket } = await client(port, isSecure, false);
    socket.write(many(30));
    await expect.poll(() => began.length).toBeGreaterThan(0);
    // Other clients are served while this client reads nothing.
    const other = await client(port, isSecure);
    other.socket.write(get('/other'));
    await expect.poll(() => other.text().length).toBeGreaterThan(answer.length);
    expect(began.length).toBeLessThanOrEqual(9);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await expect.poll(() => bytes, { timeout: 20_000 }).toBeGreaterThan(30 * answer.length);
    expect(began.filter((url) => url !== '/other')).toEqual(numbers(30).map((at) => `/${at}`));
  }, 30_000);

  test('of one address are bounded together, go on by turns, and do not hold up other addresses', async () => {
    const { began, handler, held } = holding();
    let others = 0;
    const port = await open(handler, {
      // The last connection comes from another address.
      sharersOf: () => ((others += 1) <= 80 ? 'one' : 'other'),
    });
    const clients = await Promise.all(Array.from({ length: 80 }, () => client(port, isSecure)));
    for (const { socket } of clients) socket.write(many(16));
    await expect.poll(() => began.length).toBe(512);
    const { socket, text } = await client(port, isSecure);
    socket.write(get('/elsewhere'));
    await expect.poll(() => began.includes('/elsewhere')).toBe(true);
    expect(began).toHaveLength(513);
    for (let at = 0; at < 80 * 16 + 1; at += 1) {
      if (held.length <= at) await expect.poll(() => held.length).toBeGreaterThan(at);
      held[at]?.end('<done>');
    }
    await expect.poll(() => text()).toContain('<done>');
    await expect.poll(() => clients.map((one) => one.text().match(/<done>/g)?.length)).toEqual(clients.map(() => 16));
  }, 30_000);

  test('who stops to read is cut off, who reads slowly is not', async () => {
    const answer = Buffer.alloc(16_777_216, 'x');
    const port = await open((_request, response) => response.end(answer), { unreadTimeoutMilliseconds: 3_000 });
    const stopped = await client(port, isSecure, false);
    const slow = await client(port, isSecure, false);
    for (const { socket } of [stopped, slow]) socket.write(get('/'));
    let bytes = 0;
    const reading = setInterval(() => {
      const chunk: unknown = slow.socket.read();
      if (Buffer.isBuffer(chunk)) bytes += chunk.length;
    }, 3);
    await expect.poll(() => countOf(fronts[0])).toBe(2);
    await expect.poll(() => countOf(fronts[0]), { timeout: 10_000 }).toBe(1);
    clearInterval(reading);
    let rest = bytes;
    slow.socket.on('data', (chunk: Buffer) => {
      rest += chunk.length;
    });
    await expect.poll(() => rest, { timeout: 10_000 }).toBeGreaterThan(answer.length);
  }, 30_000);

  test('of those who read nothing at one address, who holds most is cut off at once when it is too much', async () => {
    const port = await open((request, response) => {
      response.end(Buffer.alloc(request.url === '/most' ? 33_554_432 : 25_165_824, 'x'));
    });
    const clients = await Promise.all(Array.from({ length: 3 }, () => client(port, isSecure, false)));
    for (const [at, { socket }] of clients.entries()) socket.write(get(at === 1 ? '/most' : '/'));
    await expect.poll(() => countOf(fronts[0])).toBe(3);
    await expect.poll(() => countOf(fronts[0]), { timeout: 5_000 }).toBe(2);
    for (const { socket } of clients) socket.resume();
    await clients[1]?.closed;
    expect(clients.map(({ socket }) => socket.destroyed)).toEqual([false, true, false]);
  }, 15_000);
});

const countOf = (front: Server | undefined) =>
  new Promise<number>((resolve, reject) => {
    front?.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
