import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Pool } from '../../src/platform/postgres/index.ts';
import { connectionsOver, exportPages, planExport } from '../../src/system-log/index.ts';
import { inTransaction } from '../../src/system-log/relay/connections.ts';
import { eraseEvent } from '../../src/system-log/sealing/erasure/erase-event.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { type CountedReads, countReads, openReplicaPair, type ReplicaPair } from '../support/replicas.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import type { ServerPair } from '../support/standby.ts';

// F39 (docs/faults.md): log readers read from a replica, which falls behind, hangs, is lost, or has what the primary
// does not show yet. Nobody notices.

let opened: ReplicaPair;
let pair: ServerPair;
let proxy: DatabaseProxy;
let primary: Pool;
let replica: Pool;
let counted: CountedReads;
/** The service has a replica. Another node, which writes most events, has none. */
let service: TestService;
let other: TestService;
const databases = openPairDatabases();

beforeAll(async () => {
  opened = await openReplicaPair(databases);
  ({ pair, proxy, replica } = opened);
  const database = databases.databaseOf(pair.primary());
  primary = database.pool;
  counted = countReads();
  other = await startTestService({ database });
  service = await startTestService({ database, replicaUrl: proxy.url, metrics: counted.metrics });
});
afterAll(async () => {
  await service?.close();
  await other?.close();
  await opened?.close();
});

const reader = () => service.org.client({ authorization: `SSWS ${other.org.adminToken}` }, other.org.hostname);

/** Returns what the service answers to a reader of the other node's org, and which server the events came from. */
async function read(query = 'limit=1000&sortOrder=DESCENDING') {
  await counted.taken();
  const response = await reader().get(`/api/v1/logs?${query}`);
  return { status: response.status, text: response.text, from: Object.keys(await counted.taken()) };
}

const WHOLE_LOG = { format: 'ndjson', proof: false, filter: null, since: null, until: null } as const;
const FROM_REPLICA = { status: 200, from: ['replica current'] };
const untilReplicaIsRead = () => expect.poll(read).toMatchObject(FROM_REPLICA);

beforeEach(untilReplicaIsRead);

async function createUser(): Promise<string> {
  const { id } = await other.org.createUser();
  await other.drained();
  return String(id);
}

it('pages come from the replica, and no connection for them is opened to the primary', async () => {
  const id = await createUser();
  await expect.poll(read).toMatchObject(FROM_REPLICA);
  const { text } = await read();
  expect(text).toContain(id);
  const names = `select application_name as name from pg_stat_activity where application_name like 'gatehouse-%'`;
  const namesAt = async (pool: Pool) => (await pool.query<{ name: string }>(names)).rows.map(({ name }) => name);
  expect(await namesAt(replica)).toContain('gatehouse-replica');
  expect(await namesAt(primary)).toContain('gatehouse-requests');
  expect(await namesAt(primary)).not.toContain('gatehouse-replica');
  const lag = await counted.metrics.registry.getSingleMetricAsString('gatehouse_log_replica_lag_bytes');
  expect(lag).toMatch(/\{replica="127\.0\.0\.1:\d+\/gatehouse"\} \d+$/m);
});

/** PostgreSQL only notes the request, and may replay another record before it pauses. */
async function pauseReplay(): Promise<void> {
  await replica.query('select pg_wal_replay_pause()');
  const state = async () => (await replica.query('select pg_get_wal_replay_pause_state() as state')).rows;
  await expect.poll(state).toEqual([{ state: 'paused' }]);
}

it('what another node has acknowledged is seen at once, although the replica stands still', async () => {
  await pauseReplay();
  try {
    const id = await createUser();
    const first = await read();
    expect(first).toMatchObject({ status: 200, from: ['primary behind'] });
    expect(first.text).toContain(id);
    // For a second, no other request waits for the replica.
    expect(await read('limit=1')).toMatchObject({ status: 200, from: ['primary paused'] });
  } finally {
    await replica.query('select pg_wal_replay_resume()');
  }
});

/** Returns the text of an export, as `gatehouse log export` reads it. */
async function exported(org: TestOrg): Promise<{ text: string; from: string[] }> {
  const { db, logReads, pool } = service.application;
  const request = { ...WHOLE_LOG, fromPosition: null, toPosition: null };
  const plan = await planExport({ connections: connectionsOver(pool), db }, org.id, request);
  await counted.taken();
  let text = '';
  for await (const page of exportPages(logReads.of(org.id), org.id, request, plan)) text += page.text;
  return { text, from: Object.keys(await counted.taken()) };
}

it('an export comes from the replica, but never what was erased and the replica still has', async () => {
  const org = await other.newOrg();
  const { id } = await org.createUser();
  await other.drained();
  await expect
    .poll(() => exported(org))
    .toMatchObject({ text: expect.stringContaining(id), from: ['replica current'] });
  const holding = `select position from log_unsealed where org_id = $1 and body like '%' || $2 || '%'`;
  const { rows } = await primary.query<{ position: number }>(holding, [org.id, id]);
  await pauseReplay();
  try {
    for (const { position } of rows)
      await connectionsOver(primary).withConnection((connection) =>
        inTransaction(
          connection,
          async () => true,
          () => eraseEvent(connection, org.id, position, new Date()),
        ),
      );
    const found = await exported(org);
    expect(found.from).toEqual(['primary behind']);
    expect(found.text).not.toContain(id);
    expect((await replica.query(holding, [org.id, id])).rowCount).toBe(rows.length);
  } finally {
    await replica.query('select pg_wal_replay_resume()');
  }
  await expect.poll(async () => (await exported(org)).from).toEqual(['replica current']);
  expect((await exported(org)).text).not.toContain(id);
});

async function commitsWaitFor(names: string): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '${names}'`);
  await primary.query('select pg_reload_conf()');
}

const endAt = async (pool: Pool): Promise<number> => {
  const text = 'select position from log_heads where org_id = $1';
  return (await pool.query<{ position: number }>(text, [other.org.id])).rows[0]?.position ?? 0;
};

it('an event whose commit waits is not shown, although the replica has it', async () => {
  // While the test holds the end of the log, no relay appends to it.
  const holder = await primary.connect();
  await holder.query('begin');
  await holder.query('select from log_heads where org_id = $1 for update', [other.org.id]);
  const { id } = await other.org.createUser();
  await commitsWaitFor('nobody');
  const waiting = `select from pg_stat_activity where wait_event = 'SyncRep'`;
  try {
    await expect.poll(async () => (await primary.query(waiting)).rowCount).toBeGreaterThan(0);
    await holder.query('rollback');
    const shown = await endAt(primary);
    await expect.poll(() => endAt(replica)).toBeGreaterThan(shown);
    const found = await read();
    expect(found).toMatchObject({ status: 200, from: ['primary unseen'] });
    expect(found.text).not.toContain(id);
  } finally {
    holder.release();
    await commitsWaitFor('*');
  }
  await expect.poll(() => service.application.stallWatch.state()).toBe('well');
  await untilReplicaIsRead();
  await expect.poll(async () => (await read()).text).toContain(id);
});

it('a query that the replica cancels is repeated at the primary', async () => {
  const reads = service.application.logReads.of(other.org.id);
  const servers: unknown[] = [];
  await counted.taken();
  const result = await reads.withConnection(async (connection) => {
    const { rows } = await connection.query('select pg_is_in_recovery() as "isStandby"');
    servers.push(...rows);
    await connection.query('begin isolation level repeatable read, read only');
    await connection.query('select from log_access');
    if (servers.length === 1) await primary.query('begin; lock table log_access in access exclusive mode; commit');
    // Only the primary answers this, because the lock ends the transaction at the replica.
    const { rows: sums } = await connection.query('select count(*) as sum from generate_series(1, $1::integer)', [
      servers.length === 1 ? 200_000_000 : 5,
    ]);
    await connection.query('commit');
    return sums;
  });
  expect(servers).toEqual([{ isStandby: true }, { isStandby: false }]);
  expect(result).toEqual([{ sum: 5 }]);
  expect(await counted.taken()).toEqual({ 'primary conflict': 1 });
});

it('while the replica hangs, is away and comes back, a poller gets every event once and no error', async () => {
  const seen: string[] = [];
  const created: string[] = [];
  let link = '/api/v1/logs?filter=eventType%20eq%20%22user.lifecycle.create%22&limit=5';
  let slowest = 0;
  const poll = async (): Promise<void> => {
    const begun = performance.now();
    const response = await reader().get(link);
    slowest = Math.max(slowest, performance.now() - begun);
    expect(response.status).toBe(200);
    const events: { target: { id: string }[] }[] = response.body;
    seen.push(...events.map(({ target }) => target[0]?.id ?? ''));
    const next = /<https:\/\/[^/>]+(\/[^>]+)>; rel="next"/.exec(String(response.headers['link']));
    link = next?.[1] ?? link;
  };
  const round = async (): Promise<void> => {
    created.push(await createUser());
    await poll();
  };
  await counted.taken();
  for (let count = 0; count < 5; count += 1) await round();
  proxy.standStill();
  for (let count = 0; count < 5; count += 1) await round();
  proxy.goOn();
  await untilReplicaIsRead();
  const names = 'select count(*) as count from pg_stat_activity';
  expect((await replica.query<{ count: number }>(names)).rows[0]?.count).toBeGreaterThan(0);
  await commitsWaitFor('');
  await pair.stopStandby();
  for (let count = 0; count < 5; count += 1) await round();
  await commitsWaitFor('*');
  await pair.startStandby();
  await untilReplicaIsRead();
  for (let count = 0; count < 5; count += 1) await round();
  await expect
    .poll(async () => {
      await poll();
      return seen.slice(-created.length);
    })
    .toEqual(created);
  expect(new Set(seen).size).toBe(seen.length);
  expect(slowest).toBeLessThan(6_000);
  expect(service.logged()).toContain('cannot be reached: the System Log is read from the primary instead');
});
