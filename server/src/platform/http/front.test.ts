import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { openCertificateAuthority } from '../crypto/index.ts';
import { closeFront, createFront, type FrontOptions } from './front.ts';

let credentials: { key: string; cert: string };
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'front-'));
  const authority = await openCertificateAuthority(folder, systemClock);
  const { privateKey, certificate } = authority.issue(['localhost', '127.0.0.1']);
  credentials = { key: privateKey, cert: certificate };
  await rm(folder, { recursive: true });
});

let fronts: Server[] = [];
afterEach(async () => {
  await Promise.all(fronts.map((front) => closeFront(front, 0)));
  fronts = [];
});

type Handler = http.RequestListener;
const echo =
  (name: string): Handler =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end(`${name}:${Buffer.concat(chunks).length}`));
  };

async function open(options: Partial<FrontOptions> = {}, handler?: Handler): Promise<{ front: Server; port: number }> {
  // By default, Node checks for slow requests only every 30 s.
  const checks = { connectionsCheckingInterval: 20 };
  const secure = https.createServer({ ...credentials, ...checks }, handler ?? echo('secure'));
  const plain = http.createServer(checks, handler ?? echo('plain'));
  const front = createFront({ secure, plain, ...options });
  fronts.push(front);
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return { front, port: (front.address() as AddressInfo).port };
}

const request = (client: typeof http | typeof https, port: number, body: Buffer, agent?: http.Agent | https.Agent) =>
  new Promise<string>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method: 'POST', rejectUnauthorized: false, ...(agent && { agent }) };
    const sent = client.request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

const countOf = (front: Server) =>
  new Promise<number>((resolve, reject) => {
    front.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

describe('createFront', () => {
  test('speaks TLS and plain HTTP on one port, with large bodies', async () => {
    const { port } = await open();
    const body = Buffer.alloc(600_000, 0x16);
    expect(await request(https, port, body)).toBe('secure:600000');
    expect(await request(http, port, body)).toBe('plain:600000');
    expect(await Promise.all([1, 2, 3].map(() => request(https, port, Buffer.alloc(3))))).toEqual(
      Array.from({ length: 3 }, () => 'secure:3'),
    );
  });

  test('keeps connections alive on both', async () => {
    const { front, port } = await open();
    const plainAgent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const secureAgent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round += 1) {
      await request(http, port, Buffer.alloc(1), plainAgent);
      await request(https, port, Buffer.alloc(1), secureAgent);
    }
    expect(await countOf(front)).toBe(2);
    plainAgent.destroy();
    secureAgent.destroy();
  });

  test('a request that comes byte by byte is whole', async () => {
    const { port } = await open();
    const socket = await connectTo(port);
    socket.setNoDelay(true);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    for (const character of 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n') {
      await new Promise((resolve) => socket.write(character, resolve));
    }
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*plain:0/);
  });

  test('turns away who comes when it is full, and takes others when there is room again', async () => {
    const { port } = await open({ maximumConnections: 2 });
    const [first] = [await connectTo(port), await connectTo(port)];
    await once(await connectTo(port), 'close');
    const gone = once(first, 'close');
    first.destroy();
    await gone;
    await expect.poll(() => request(http, port, Buffer.alloc(1)).catch(() => 'refused')).toBe('plain:1');
  });

  test('answers what is neither as the plain server does', async () => {
    const { port } = await open();
    const socket = await connectTo(port);
    const answer = once(socket, 'data');
    socket.write(Buffer.from([0, 1, 2, 3]));
    expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 400/);
  });

  test.each<[string, Partial<FrontOptions>, (socket: Socket) => void]>([
    ['a silent connection', { firstByteTimeoutMilliseconds: 50 }, () => undefined],
    [
      'a handshake that stops',
      { handshakeTimeoutMilliseconds: 50 },
      (socket) => socket.write(Buffer.from([0x16, 3, 1])),
    ],
    ['slow headers', { headersTimeoutMilliseconds: 50 }, (socket) => socket.write('GET / HTTP/1.1\r\nA: ')],
    [
      'a slow body',
      { headersTimeoutMilliseconds: 50, requestTimeoutMilliseconds: 50 },
      (socket) => socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'),
    ],
    ['a client that leaves at once', {}, (socket) => socket.end()],
    ['a client that resets', {}, (socket) => socket.resetAndDestroy()],
    ['a reset within the handshake', {}, (socket) => socket.write(Buffer.from([0x16]), () => socket.resetAndDestroy())],
  ])('cuts off %s, and goes on serving', async (_, options, act) => {
    const { front, port } = await open(options);
    const accepted = once(front, 'connection');
    const socket = await connectTo(port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const [inside] = (await accepted) as [Socket];
    const closedInside = new Promise<void>((resolve) => {
      if (inside.closed) resolve();
      else inside.once('close', () => resolve());
    });
    act(socket);
    await closed;
    await closedInside;
    expect(await request(https, port, Buffer.alloc(1))).toBe('secure:1');
  });

  test('slow headers within TLS are cut off too', async () => {
    const { port } = await open({ headersTimeoutMilliseconds: 50 });
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => undefined);
    socket.resume();
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\n');
    await once(socket, 'close');
    expect(await request(http, port, Buffer.alloc(1))).toBe('plain:1');
  });

  test('the time for the handshake is no limit of the connection', async () => {
    let arrived: (response: http.ServerResponse) => void = () => undefined;
    const arrival = new Promise<http.ServerResponse>((resolve) => {
      arrived = resolve;
    });
    const { port } = await open({ handshakeTimeoutMilliseconds: 100 }, (_, response) => arrived(response));
    const answer = request(https, port, Buffer.alloc(0));
    const response = await arrival;
    // This connection is opened later and never completes its handshake. When the front cuts it off, the same time has
    // passed for the first connection too.
    const stopped = await connectTo(port);
    stopped.write(Buffer.from([0x16]));
    await once(stopped, 'close');
    response.end('late');
    expect(await answer).toBe('late');
  });
});

describe('closeFront', () => {
  test('lets a request be answered, closes idle and silent connections, and resolves', async () => {
    let answer: () => void = () => undefined;
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { front, port } = await open({}, (incoming, response) => {
      if (incoming.headers['content-length'] === '1') {
        response.end('first');
        return;
      }
      answer = () => response.end('answered');
      arrived();
    });
    const idleAgent = new https.Agent({ keepAlive: true });
    await request(https, port, Buffer.alloc(1), idleAgent);
    const silent = await connectTo(port);
    const busyAgent = new https.Agent({ keepAlive: true });
    const busy = request(https, port, Buffer.alloc(2), busyAgent);
    await arrival;
    const closed = closeFront(front, 60_000);
    await once(silent, 'close');
    answer();
    expect(await busy).toBe('answered');
    await closed;
    expect(await countOf(front)).toBe(0);
    await expect(request(http, port, Buffer.alloc(1))).rejects.toThrow('ECONNREFUSED');
  });

  test.each([
    ['TLS', https],
    ['plain HTTP', http],
  ])(
    'answers what was sent on a kept connection before it, or while that was under way, over %s',
    async (_, client) => {
      const { front, port } = await open();
      const agents = Array.from({ length: 4 }, () => new client.Agent({ keepAlive: true, maxSockets: 1 }));
      for (const agent of agents) await request(client, port, Buffer.alloc(1), agent);
      // The server cannot have read these requests yet, because both sides run on this thread.
      const before = agents.slice(0, 2).map((agent) => request(client, port, Buffer.alloc(2), agent));
      const closed = closeFront(front, 60_000);
      const during = agents.slice(2).map((agent) => request(client, port, Buffer.alloc(3), agent));
      const name = client === https ? 'secure' : 'plain';
      expect(await Promise.all([...before, ...during])).toEqual([2, 2, 3, 3].map((length) => `${name}:${length}`));
      // Each response closed its connection, so closing the front has nothing to wait for.
      await closed;
      await expect(request(client, port, Buffer.alloc(1))).rejects.toThrow('ECONNREFUSED');
    },
  );

  test('cuts off what outlasts the grace', async () => {
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { front, port } = await open({}, () => arrived());
    const busy = request(https, port, Buffer.alloc(1));
    const refused = expect(busy).rejects.toThrow();
    await arrival;
    await closeFront(front, 10);
    await refused;
  });

  test('refuses a server that is no front', async () => {
    await expect(closeFront(http.createServer(), 0)).rejects.toThrow('not a front');
  });
});
