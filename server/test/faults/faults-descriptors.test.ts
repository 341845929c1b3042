import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestClient, type TestClient } from '../support/client.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  newPlace,
  type Place,
  type Program,
  runServer,
  stopServer,
  withDescriptors,
} from '../support/server-process.ts';

// F23 (docs/faults.md): more connections arrive than the process may have open. The excess connections are refused, and
// existing clients keep working.

/** The limit on open files. Node needs many files while it loads the modules. */
const DESCRIPTORS = 1_024;
const FLOOD = 1_600;
const AT_ONCE = 8;

let database: TestDatabase;
let place: Place;
let server: Program;
let bootstrap: { apiToken: string; caFile: string };
const clients = new Set<{ close(): void }>();
const flood: Socket[] = [];
let isFlooding = false;

beforeAll(async () => {
  database = await openTestDatabase();
  const { host = '', port = 5432, user = '', database: name = '' } = database.connection;
  place = await newPlace({
    GATEHOUSE_DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
    GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  server = await runServer(place, {}, withDescriptors(DESCRIPTORS));
  bootstrap = JSON.parse(readFileSync(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as typeof bootstrap;
});
afterEach(() => {
  endFlood();
  for (const client of clients) client.close();
  clients.clear();
});
afterAll(async () => {
  await stopServer(server);
  await place.remove();
  await database.close();
});

function newClient(): TestClient {
  const ca = readFileSync(bootstrap.caFile, 'utf8');
  const headers = { authorization: `SSWS ${bootstrap.apiToken}` };
  const client = createTestClient({ port: place.port, hostname: 'localhost', ca, headers });
  clients.add(client);
  return client;
}

const many = async (send: () => Promise<{ status: number }>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: AT_ONCE }, send))).map(({ status }) => status);

const health = async (kind: 'live' | 'ready'): Promise<number> =>
  (await fetch(`http://127.0.0.1:${place.managementPort}/health/${kind}`, { headers: { connection: 'close' } })).status;

/** A connection that ends earlier was turned away, because the server waits longer for the first byte or handshake. */
const SHORTEST_STAY_MILLISECONDS = 5_000;

/** More connections at once could overflow the queue of the listener. The kernel then tries again for half a minute. */
const CONNECTING_AT_ONCE = 100;

/** Replaces the connections that end after their full stay, and counts those that were turned away. */
function openFlood(send: (socket: Socket) => void): () => number {
  let turnedAway = 0;
  let connecting = 0;
  let left = FLOOD;
  isFlooding = true;
  const open = (): void => {
    connecting += 1;
    let connectedAt: number | null = null;
    const settle = (): void => {
      if (connectedAt !== null) return;
      connectedAt = performance.now();
      connecting -= 1;
      openMore();
    };
    const socket = connect(place.port, '127.0.0.1', () => {
      settle();
      send(socket);
    });
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => {
      settle();
      if (performance.now() - (connectedAt ?? 0) < SHORTEST_STAY_MILLISECONDS) {
        turnedAway += 1;
        return;
      }
      left += 1;
      openMore();
    });
    flood.push(socket);
  };
  const openMore = (): void => {
    if (!isFlooding) return;
    const count = Math.min(left, CONNECTING_AT_ONCE - connecting);
    left -= count;
    for (let opened = 0; opened < count; opened += 1) open();
  };
  openMore();
  return () => turnedAway;
}

function endFlood(): void {
  isFlooding = false;
  for (const socket of flood.splice(0)) socket.destroy();
}

/** Tries to connect up to three times, because a connection that ends just then makes room for the new one. */
async function isTurnedAway(): Promise<boolean> {
  const refusals = [/ECONNRESET/, /socket/, /hang up/];
  for (let tries = 0; tries < 3; tries += 1) {
    const error = await newClient()
      .get('/api/v1/users/me')
      .then(
        () => null,
        (reason: unknown) => String(reason),
      );
    if (error !== null) return refusals.some((refusal) => refusal.test(error));
  }
  return false;
}

it.each<[string, (socket: Socket) => void]>([
  ['say nothing', () => undefined],
  ['stop within the handshake', (socket) => socket.write(Buffer.from([0x16, 3, 1]))],
])('turns away connections that %s and are too many; the rest is served', async (_, send) => {
  const client = newClient();
  const allServed = Array.from({ length: AT_ONCE }, () => 200);
  // This client connected before the flood.
  expect(await many(() => client.get('/.well-known/svc-organization'))).toEqual(allServed);
  const turnedAway = openFlood(send);
  await expect.poll(turnedAway).toBeGreaterThan(FLOOD - DESCRIPTORS);
  expect(turnedAway()).toBeLessThan(FLOOD);
  expect(await isTurnedAway()).toBe(true);
  // Each of these requests needs a database connection.
  expect(await many(() => client.get('/api/v1/logs?limit=1'))).toEqual(allServed);
  expect(await many(() => client.get('/api/v1/users?limit=1'))).toEqual(allServed);
  expect((await client.post('/api/v1/authn', { body: { username: 'nobody', password: 'x' } })).status).toBe(401);
  expect([await health('live'), await health('ready')]).toEqual([200, 200]);
  endFlood();
  const once = async () =>
    (
      await newClient()
        .get('/api/v1/users/me')
        .catch(() => ({ status: 0 }))
    ).status;
  await expect.poll(once).toBe(200);
  expect(server.process.exitCode).toBeNull();
});
