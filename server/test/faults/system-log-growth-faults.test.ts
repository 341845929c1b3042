import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { createJobRunner } from '../../src/platform/jobs/index.ts';
import { type Relay, verifyOrg } from '../../src/system-log/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { newPlace, type Place, type Program, runServer } from '../support/server-process.ts';
import { startTestService } from '../support/service.ts';
import { created, LogBench, nextOf, parsed, requestContext, targetIds, testClock } from '../support/system-log.ts';
import { movableClock } from '../support/time.ts';

const HOUR = 3_600_000;
const RELAY_LOCK = '7449355575226105204';
const TAKEOVER_MILLISECONDS = 30_000;

describe('clocks (F12)', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  test('two nodes five minutes apart, one steps by an hour: in order, once each, no negative lag', async () => {
    const nodes = [0, -300_000].map((offset) => {
      const clock = testClock(new Date(Date.now() + offset));
      return {
        clock,
        bench: new LogBench(database.pool, clock),
        set: (shift: number) => clock.set(new Date(Date.now() + offset + shift)),
      };
    });
    const [first, second] = nodes;
    if (first === undefined || second === undefined) throw new Error('two nodes');
    const orgId = await first.bench.newOrg();
    const lags: number[] = [];
    const errors: unknown[] = [];
    const relays = nodes.map(({ bench }) =>
      bench.relay({
        onDrained: ({ lagMilliseconds }) => lags.push(lagMilliseconds),
        onError: (error) => errors.push(error),
      }),
    );
    const since = new Date(Date.now() - 2 * HOUR).toISOString();
    for (const relay of relays) relay.start();
    const steps = [0, HOUR, 0, -HOUR, 0, 0];
    const seen: string[] = [];
    const total = steps.length * 2 * 5;
    const polling = (async () => {
      let query: Record<string, string> = { since, limit: '7' };
      while (seen.length < total) {
        const page = await second.bench.page(orgId, query);
        seen.push(...targetIds(parsed(page)));
        query = nextOf(page) ?? query;
      }
    })();
    const expected: string[] = [];
    for (const [step, shift] of steps.entries()) {
      first.set(shift);
      second.set(0);
      for (let turn = 0; turn < 5; turn += 1) {
        for (const [node, { bench }] of nodes.entries()) {
          const id = `s${step}-t${turn}-n${node}`;
          await bench.write(orgId, [created(id)], requestContext(orgId, bench.clock.now()));
          expected.push(id);
          relays[(turn + node) % 2]?.wake();
        }
      }
    }
    await polling;
    await Promise.all(relays.map((relay) => relay.stop()));
    expect(errors).toEqual([]);
    expect(seen).toEqual(expected);
    const rows = await first.bench.query<{ position: number; persisted_at: Date }>(
      'select position::integer, persisted_at from log_unsealed where org_id = $1 order by position',
      [orgId],
    );
    expect(rows.map(({ position }) => position)).toEqual(expected.map((_, index) => index + 1));
    const instants = rows.map(({ persisted_at }) => persisted_at.getTime());
    expect(instants).toEqual(instants.toSorted((one, other) => one - other));
    expect(lags.length).toBeGreaterThan(0);
    expect(Math.min(...lags)).toBeGreaterThanOrEqual(0);
    // If nodes measured the lag with their own clocks, it could be minutes or an hour.
    expect(Math.max(...lags)).toBeLessThan(60_000);
    expect(await verifyOrg(first.bench.connections, orgId)).toMatchObject({ ok: true, verified: total });
  });
});

describe('a node that dies or freezes (F17)', () => {
  let database: TestDatabase;
  let bench: LogBench;
  let place: Place;
  let node: Program;
  let orgId: OrgId;
  let relay: Relay;

  beforeAll(async () => {
    database = await openTestDatabase();
    bench = new LogBench(database.pool, testClock(new Date()));
    const { host = '', port = 5432, user = '', database: name = '' } = database.connection;
    place = await newPlace({
      GATEHOUSE_DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
      GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    node = await runServer(place);
    orgId = await bench.newOrg();
    relay = bench.relay();
  });
  afterAll(async () => {
    await relay.stop();
    if (node.process.exitCode === null && node.process.signalCode === null) node.process.kill('SIGKILL');
    await node.ended;
    await place.remove();
    await database.close();
  });

  const holdsRelayLock = async (): Promise<boolean> => {
    const rows = await bench.query(
      `select from pg_locks where locktype = 'advisory' and granted and database = (
         select oid from pg_database where datname = current_database()
       ) and (classid::bigint << 32) + objid::bigint = $1::bigint`,
      [RELAY_LOCK],
    );
    return rows.length > 0;
  };

  const eventsLeft = async (): Promise<string[]> => targetIds(await bench.events(orgId));

  /** Calls `blow` while the node holds the relay's lock in the middle of a drain. */
  async function inItsDrain(id: string, blow: () => void): Promise<void> {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select from log_heads where org_id = $1 for update', [orgId]);
    await bench.write(orgId, [created(id)]);
    await expect.poll(holdsRelayLock, { interval: 10 }).toBe(true);
    blow();
    await client.query('rollback');
    client.release();
  }

  test('frozen in the middle of a drain: another relay goes on, and nothing is doubled when it thaws', async () => {
    await bench.write(orgId, [created('first')]);
    await expect.poll(eventsLeft).toEqual(['first']);
    await inItsDrain('frozen', () => node.process.kill('SIGSTOP'));
    const startedAt = performance.now();
    relay.start();
    await expect.poll(eventsLeft, { timeout: TAKEOVER_MILLISECONDS }).toEqual(['first', 'frozen']);
    expect(performance.now() - startedAt).toBeLessThan(TAKEOVER_MILLISECONDS);
    node.process.kill('SIGCONT');
    await bench.write(orgId, [created('thawed')]);
    await expect.poll(eventsLeft).toEqual(['first', 'frozen', 'thawed']);
    await relay.stop();
    await bench.write(orgId, [created('again')]);
    await expect.poll(eventsLeft).toEqual(['first', 'frozen', 'thawed', 'again']);
  });

  test('killed while it runs a job and drains: both are taken over, and the job runs once', async () => {
    await expect
      .poll(async () => (await bench.query(`select from installation where name = 'log_retention_clock'`)).length)
      .toBe(1);
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query(`select from installation where name = 'log_retention_clock' for update`);
    const leases = () =>
      bench.query<{ seconds: number }>(
        `select extract(epoch from lease_until - clock_timestamp())::float8 as seconds from jobs
         where kind = 'log.retention' and lease_until > clock_timestamp()`,
      );
    await bench.query(`update jobs set run_at = now() where kind = 'log.retention'`);
    await expect.poll(async () => (await leases()).length, { interval: 20 }).toBe(1);
    await inItsDrain('killed', () => node.process.kill('SIGKILL'));
    const killedAt = performance.now();
    expect(await node.ended).toBe('SIGKILL');
    const [lease] = await leases();
    expect(lease?.seconds).toBeGreaterThan(0);
    await client.query('rollback');
    client.release();

    let runs = 0;
    const jobs = createJobRunner({
      db: database.db,
      clock: movableClock(),
      kinds: { 'log.retention': { everyMilliseconds: HOUR, run: async () => void (runs += 1) } },
    });
    relay = bench.relay();
    relay.start();
    jobs.start();
    await expect.poll(async () => (await eventsLeft()).at(-1), { timeout: TAKEOVER_MILLISECONDS }).toBe('killed');
    await expect.poll(() => runs, { timeout: TAKEOVER_MILLISECONDS, interval: 100 }).toBe(1);
    expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MILLISECONDS);
    await jobs.stop();
    expect(runs).toBe(1);
    expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: 5 });
  });
});

test('no word between processes (F20): what one commits another one numbers, without being told', async () => {
  const writer = await startTestService();
  const drainer = await startTestService({ database: writer.database, publicPort: writer.port });
  try {
    await writer.application.relay.stop();
    const { org } = writer;
    for (let change = 0; change < 3; change += 1) {
      const user = await org.createUser();
      const filter = encodeURIComponent(`target.id eq "${user.id}"`);
      const read = async () => (await org.admin.get(`/api/v1/logs?filter=${filter}`)).body.length;
      await expect.poll(read, { interval: 20 }).toBeGreaterThan(0);
    }
  } finally {
    await drainer.close();
    await writer.close();
  }
});
