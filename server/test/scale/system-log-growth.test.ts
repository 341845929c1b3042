import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { connectionsOver, verifyOrg } from '../../src/system-log/index.ts';
import { newUser, signIn } from '../support/authn.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import type { TestOrg } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { created, LogBench, requestContext, targetIds } from '../support/system-log.ts';
import { useService } from '../support/use-service.ts';

const RELAY_LOCK = '7449355575226105204';

interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown>;
}

const insertRows = (client: Queryable, orgId: OrgId, count: number): Promise<unknown> =>
  client.query(
    `insert into log_outbox (org_id, uuid, published, event_type, severity, actor_id, target_ids, transaction_id,
       tokens, salt, digest, body)
     select $1, gen_random_uuid(), now(), 'test', 'INFO', 'a', '{}', 't', '{}', sha256('a'), sha256('b'), '{}'
     from generate_series(1, $2::integer)`,
    [orgId, count],
  );

describe('the low-water id', () => {
  const database = beforeTests(() => openTestDatabase());
  const bench = beforeTests(() => new LogBench(database.pool));
  let orgId: OrgId;
  beforeEach(async () => {
    orgId = await bench.newOrg();
  });

  interface State {
    readonly low_water: number;
    readonly waiting: number;
  }

  async function look(): Promise<State> {
    await bench.query(`update log_relay_state set measured_at = '-infinity'`);
    const [state] = await bench.query<State>('select low_water, waiting from log_relay_measure()');
    if (state === undefined) throw new Error('there is no state');
    return state;
  }

  const idsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => created(`${prefix}${at}`));
  const lastId = async (): Promise<number> =>
    (await bench.query<{ id: number }>('select last_value as id from log_outbox_id_seq'))[0]?.id ?? 0;

  test('follows the relay, two looks behind', async () => {
    await bench.write(orgId, idsOf('a', 5));
    expect(await look()).toMatchObject({ waiting: 5 });
    await bench.drainAll();
    const last = await lastId();
    await look();
    expect(await look()).toEqual({ low_water: last, waiting: 0 });
    await bench.write(orgId, idsOf('b', 3));
    await look();
    expect(await look()).toEqual({ low_water: last, waiting: 3 });
    await bench.drainAll();
    expect(targetIds(await bench.events(orgId))).toHaveLength(8);
  });

  test('stays below an id that is drawn and not yet committed, whatever is drained beside it', async () => {
    const other = await bench.newOrg();
    const slow = await database.pool.connect();
    await slow.query('begin');
    await insertRows(slow, orgId, 1);
    const held = await lastId();
    for (let round = 0; round < 4; round += 1) {
      await bench.write(other, idsOf(`r${round}-`, 3));
      await bench.drainAll();
      expect((await look()).low_water).toBeLessThan(held);
    }
    await slow.query('commit');
    slow.release();
    await look();
    await bench.drainAll();
    expect(await verifyOrg(bench.connections, other)).toMatchObject({ ok: true, verified: 12 });
    const rows = await bench.query('select from log_unsealed where org_id = $1', [orgId]);
    expect(rows).toHaveLength(1);
    await look();
    expect((await look()).low_water).toBeGreaterThan(held);
  });

  test('is passed by nobody under writers that commit late, roll back, and two relays', async () => {
    const orgs = [orgId, await bench.newOrg(), await bench.newOrg()];
    const writing = new AbortController();
    let written = 0;
    const writer = async (seed: number): Promise<void> => {
      for (let turn = 0; turn < 40; turn += 1) {
        const client = await database.pool.connect();
        const org = orgs[(seed + turn) % orgs.length] ?? orgId;
        await client.query('begin');
        await insertRows(client, org, 1 + (turn % 3));
        await delay((seed * 7 + turn * 3) % 23);
        const commits = turn % 7 !== 3;
        await client.query(commits ? 'commit' : 'rollback');
        client.release();
        if (commits) written += 1 + (turn % 3);
      }
    };
    const relays = [bench.relay(), bench.relay()];
    for (const relay of relays) relay.start();
    let highest = 0;
    const looking = (async () => {
      while (!writing.signal.aborted) {
        const { low_water } = await look();
        expect(low_water).toBeGreaterThanOrEqual(highest);
        highest = low_water;
      }
    })();
    await Promise.all([1, 2, 3, 4, 5].map(writer));
    writing.abort();
    await looking;
    await expect
      .poll(async () => (await bench.query<{ n: number }>('select count(*)::integer as n from log_outbox'))[0]?.n)
      .toBe(0);
    await Promise.all(relays.map((relay) => relay.stop()));
    const [row] = await bench.query<{ events: number }>(
      'select sum(position)::integer as events from log_heads where org_id = any($1)',
      [orgs],
    );
    expect(row?.events).toBe(written);
    expect(highest).toBeGreaterThan(0);
  });

  test('keeps drains short while an old snapshot holds every row that was drained', async () => {
    const reader = await database.pool.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from log_unsealed');
    // Rows that are deleted here stay as dead rows until the reader's transaction ends.
    await insertRows(database.pool, orgId, 20_000);
    await bench.query('delete from log_outbox where org_id = $1', [orgId]);
    const client = await database.pool.connect();
    const release = client.release.bind(client);
    client.release = () => undefined;
    const pinned = bench.relay({ connections: connectionsOver({ connect: async () => client }) });
    const touched = async (): Promise<number> => {
      await client.query('select pg_stat_force_next_flush()');
      const { rows } = await client.query<{ blocks: number }>(
        `select pg_stat_get_blocks_fetched('log_outbox'::regclass)::integer as blocks`,
      );
      return rows[0]?.blocks ?? 0;
    };
    const blocksOfDrain = async (): Promise<number> => {
      await bench.write(orgId, idsOf('t', 2));
      const before = await touched();
      expect(await pinned.drain()).toMatchObject({ events: 2 });
      return (await touched()) - before;
    };
    for (let looks = 0; looks < 3; looks += 1) await look();
    const withLowWater = await blocksOfDrain();
    await bench.query('update log_relay_state set low_water = 0, final = 0, candidate = 0');
    const without = await blocksOfDrain();
    client.release = release;
    for (const held of [client, reader]) {
      await held.query('rollback');
      held.release();
    }
    expect(withLowWater).toBeLessThan(100);
    expect(without).toBeGreaterThan(500);
    expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: 4 });
  });

  test('begins anew when the database lost it, as after a crash', async () => {
    await bench.write(orgId, idsOf('a', 2));
    await bench.query('truncate log_relay_state');
    await bench.drainAll();
    expect(targetIds(await bench.events(orgId))).toEqual(['a0', 'a1']);
    expect(await look()).toMatchObject({ waiting: 0 });
  });
});

describe('back-pressure', () => {
  let org: TestOrg;
  const bounds = { events: 40, seconds: 3_600 };

  const { service } = useService({ logBacklogBounds: bounds });
  let release: () => Promise<void> = async () => undefined;
  afterEach(() => release());

  /** Holds the relay's lock, as a relay that hangs would. */
  async function holdRelay(): Promise<void> {
    const client = await service.database.pool.connect();
    await client.query('select pg_advisory_lock($1)', [RELAY_LOCK]);
    release = async () => {
      release = async () => undefined;
      await client.query('select pg_advisory_unlock($1)', [RELAY_LOCK]);
      client.release();
    };
  }

  const write = (count: number) =>
    service.application.work(requestContext(org.id, service.clock.now()), async (_tx, record) => {
      for (let at = 0; at < count; at += 1) record(created(`00u${at}`));
    });

  const level = () => service.application.backpressure.level();

  const createUser = () =>
    org.admin.post('/api/v1/users?activate=false', {
      body: { profile: { firstName: 'A', lastName: 'B', login: 'late@example.com', email: 'late@example.com' } },
    });

  test('refuses administrative changes, then all, never reads, and ends when the relay has caught up', async () => {
    org = await service.newOrg();
    const user = await newUser(org);
    const { login } = user.profile;
    const client = await newServiceClient(service, org, { scopes: ['users.read'], roles: ['READ_ONLY_ADMIN'] });
    await service.drained();
    await holdRelay();

    await write(bounds.events);
    await expect.poll(level).toBe('administrative');
    const refused = await createUser();
    expect(refused).toMatchObject({ status: 503, body: { errorCode: 'E0000181' } });
    expect(refused.headers['retry-after']).toBe('10');
    expect((await org.admin.del(`/api/v1/users/${user.id}`)).status).toBe(503);
    expect((await org.admin.get(`/api/v1/users/${user.id}`)).status).toBe(200);
    expect((await signIn(org.anonymous, login)).status).toBe(200);
    const token = await client.token('users.read');

    await write(bounds.events * 5);
    await expect.poll(level).toBe('everything');
    expect(await signIn(org.anonymous, login)).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect((await client.requestToken('users.read')).status).toBe(503);
    // A GET request to one of these paths may write rows, so it is refused too.
    for (const path of ['/oauth2/v1/authorize', '/oauth2/v1/logout', '/login/sessionCookieRedirect']) {
      expect([path, (await org.anonymous.get(path)).status]).toEqual([path, 503]);
    }
    expect((await client.bearer(token).get('/api/v1/users?limit=1')).status).toBe(200);
    expect((await org.admin.get('/api/v1/logs?limit=1')).status).toBe(200);
    expect((await client.post('introspect', { token })).body).toMatchObject({ active: true });
    expect((await org.anonymous.get('/.well-known/openid-configuration')).status).toBe(200);

    await release();
    await expect.poll(level).toBe('none');
    expect((await createUser()).status).toBe(200);
    expect((await signIn(org.anonymous, login)).status).toBe(200);
    // The server logs each change of the level once, not each refusal.
    const told = service
      .logged()
      .split('\n')
      .filter((line) => line.includes('relay'));
    expect(told.filter((line) => line.includes('changes are refused'))).toHaveLength(2);
    expect(told.filter((line) => line.includes('has caught up: all'))).toHaveLength(1);
    expect(await verifyOrg(connectionsOver(service.database.pool), org.id)).toMatchObject({ ok: true });
  });

  test('does not come of clocks that differ (F12)', async () => {
    org = await service.newOrg();
    service.clock.advance(-3 * 3_600_000);
    await holdRelay();
    await write(3);
    const { rows } = await service.database.pool.query<{ seconds: number }>(
      'select extract(epoch from clock_timestamp() - oldest)::float8 as seconds from log_backlog(0)',
    );
    service.clock.advance(3 * 3_600_000);
    expect(rows[0]?.seconds).toBeGreaterThanOrEqual(0);
    expect(rows[0]?.seconds).toBeLessThan(600);
    expect(level()).toBe('none');
  });
});
