import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pool } from '../../src/platform/postgres/index.ts';
import { replicasIn } from '../../src/process/database/log-replicas.ts';
import { connectionsOver, ReplicaReads } from '../../src/system-log/index.ts';
import { withReading } from '../../src/system-log/query/query-reading-store.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { countReads, openReplicaPair, type ReplicaPair, replicaUrlOf } from '../support/replicas.ts';
import { freePorts, gatehouse, newPlace } from '../support/server-process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import type { ServerPair } from '../support/standby.ts';

// F39 (docs/faults.md): the limits of reads from replicas, several replicas, and commands.

let opened: ReplicaPair;
let pair: ServerPair;
let proxy: DatabaseProxy;
let replica: Pool;
/** A node without replicas. */
let other: TestService;
const databases = openPairDatabases();

beforeAll(async () => {
  opened = await openReplicaPair(databases);
  ({ pair, proxy, replica } = opened);
  other = await startTestService({ database: databases.databaseOf(pair.primary()) });
});
afterAll(async () => {
  await other?.close();
  await opened?.close();
});

it('the commands of an operator read from the replica, too, and tell that it can be used', async () => {
  const org = await other.newOrg();
  const { id } = await org.createUser();
  await other.drained();
  const place = await newPlace({
    GATEHOUSE_DATABASE_URL: replicaUrlOf(pair.primary()),
    GATEHOUSE_DATABASE_REPLICA_URL: proxy.url,
    GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    GATEHOUSE_NAMESPACE: 'svc',
  });
  try {
    // PostgreSQL counts the sessions of a standby there.
    const sessions = 'select sessions from pg_stat_database where datname = current_database()';
    const count = async () => (await replica.query<{ sessions: number }>(sessions)).rows[0]?.sessions ?? 0;
    const before = await count();
    const found = await gatehouse(place, 'log', 'export', '--org', org.subdomain);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    await expect.poll(count).toBeGreaterThan(before);
    const { stdout } = await gatehouse(place, 'doctor', '--json');
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'Replicas',
      state: 'ok',
      detail: expect.stringMatching(/^127\.0\.0\.1:\d+\/gatehouse is \d+ bytes behind$/),
    });
  } finally {
    await place.remove();
  }
});

it('of several replicas, one that is away is left out', async () => {
  const { metrics, taken } = countReads();
  const [port] = await freePorts(1);
  const url = proxy.url.replace(/@[^/]+/, (address) => `@127.0.0.1:${port},${address.slice(1)}`);
  const database = databases.databaseOf(pair.primary());
  const node = await startTestService({ database, replicaUrl: url, metrics });
  try {
    for (let count = 0; count < 20; count += 1) await node.org.admin.get('/api/v1/logs');
    const reads = await taken();
    expect(reads['replica current']).toBeGreaterThan(reads['primary away'] ?? 0);
    expect(node.logged()).toContain(`"replica":"127.0.0.1:${port}"`);
  } finally {
    await node.close();
  }
});

/** Reads of the other node's org with a limit of 3 s, of which a replica gets one, over one connection to it. */
function readsInHaste() {
  const seen: string[] = [];
  const { connection, db, pool } = databases.databaseOf(pair.primary());
  const reads = new ReplicaReads({
    replicas: replicasIn(proxy.url),
    connection,
    db,
    connections: connectionsOver(pool),
    maximumConnections: 1,
    timeoutMilliseconds: 3_000,
    onRead: (server, reason) => seen.push(`${server} ${reason}`),
  });
  return { reads, seen, connections: reads.of(other.org.id) };
}

it('a query that takes too long at the replica is repeated in the time that is left', async () => {
  const { connections, reads, seen } = readsInHaste();
  const statement = sql`select case when pg_is_in_recovery() then pg_sleep(30) end,
    (select setting::integer from pg_settings where name = 'statement_timeout') as left`;
  const source = { connections, timeoutMilliseconds: 3_000 };
  const found = await withReading(source, null, (reading) => reading.run(statement));
  await reads.close();
  expect(seen).toEqual(['primary slow']);
  const [left = 0] = found.flatMap(({ rows }) => rows).map((row) => Number(Reflect.get(Object(row), 'left')));
  expect(left).toBeLessThanOrEqual(2_000);
  expect(left).toBeGreaterThan(0);
});

it('while all connections to the replica are in use, the primary is read', async () => {
  const { connections, reads, seen } = readsInHaste();
  try {
    // The outer read holds the only connection.
    await connections.withConnection(() => connections.withConnection(async () => undefined));
    await connections.withConnection(async () => undefined);
    expect(seen).toEqual(['primary busy', 'replica current', 'replica current']);
  } finally {
    await reads.close();
  }
});
