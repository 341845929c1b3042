import { test as anyTest, beforeEach, describe, expect } from 'vitest';
import { changeOrgSettings } from '../../src/management/orgs/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { createCursorCodec } from '../../src/platform/http/index.ts';
import { connectionsOver, readLogPage, runRetention, verifyOrg } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { isOnCitus } from '../support/citus.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { openTestDatabase } from '../support/database.ts';
import { seedToken } from '../support/seeds.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { created, requestContext } from '../support/system-log.ts';
import { useService } from '../support/use-service.ts';

// No Citus cluster has the tables from before the switch: all migrations are applied when they are distributed.
const test = anyTest.skipIf(isOnCitus);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
// Retention removes rows of `log_events`. Rows of `log_fresh` leave as segments.
const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const { service } = useService(() => ({ isShared: false, database }));
let org: TestOrg;
beforeEach(async () => {
  org = await service.newOrg();
});

/** Reads events of a type from the table, because reading through the API would leave a trace. */
async function eventsOf(eventType: string): Promise<TestResponse['body'][]> {
  await service.application.logTrace.settled();
  await service.drained();
  const { rows } = await service.database.pool.query<{ body: string }>(
    'select body from log_unsealed where org_id = $1 and event_type = $2 order by position',
    [org.id, eventType],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

const reads = () => eventsOf('system.log.read');
const skips = () => eventsOf('system.log.cursor.skip');

const nextOf = (response: TestResponse): string => {
  const [, next] = /<[^>]*(\/api\/v1\/logs[^>]*)>; rel="next"/.exec(response.headers['link']?.toString() ?? '') ?? [];
  if (next === undefined) throw new Error('there is no next link');
  return next;
};

/** Moves the clock to a minute past a full hour, so that a test does not run into the next hour. */
const toTheNextHour = () => {
  const now = service.clock.now().getTime();
  service.clock.advance(Math.ceil(now / HOUR) * HOUR - now + 60_000);
};

describe('reading the log', () => {
  beforeEach(toTheNextHour);

  test('leaves an event with what was asked, who asked and from where', async () => {
    const query = 'filter=eventType%20eq%20%22user.session.start%22&limit=7&sortOrder=DESCENDING';
    const response = await org.admin.get(`/api/v1/logs?${query}`);
    expect(response.status).toBe(200);
    expect(await reads()).toMatchObject([
      {
        actor: { id: org.adminUserId, type: 'User' },
        outcome: { result: 'SUCCESS' },
        client: { ipAddress: '127.0.0.1' },
        transaction: { type: 'WEB', id: response.headers['x-svc-request-id'] },
        debugContext: {
          debugData: { filter: 'eventType eq "user.session.start"', limit: '7', sortOrder: 'DESCENDING' },
        },
      },
    ]);
  });

  test('leaves one an hour, however often a poller comes: its own trace does not keep it going', async () => {
    let next = '/api/v1/logs?limit=2';
    let empty = 0;
    for (let polls = 0; empty < 3 && polls < 60; polls += 1) {
      const page = await org.admin.get(next);
      await service.application.logTrace.settled();
      await service.drained();
      if (page.body.length === 0) empty += 1;
      next = nextOf(page);
    }
    expect(empty).toBe(3);
    expect(await reads()).toHaveLength(1);
    service.clock.advance(HOUR);
    await org.admin.get(next);
    await org.admin.get(next);
    expect(await reads()).toHaveLength(2);
  });

  test('is noted for each token and each client, whatever token a client has', async () => {
    const second = await org.withRoles('SUPER_ADMIN');
    for (const client of [org.admin, second, org.admin, second]) await client.get('/api/v1/logs?limit=1');
    expect((await reads()).map(({ actor }) => actor.id)).toEqual([org.adminUserId, second.userId]);
  });

  test('that is refused leaves none', async () => {
    expect((await org.admin.get('/api/v1/logs?until=never')).status).toBe(400);
    expect((await (await org.withRoles()).get('/api/v1/logs')).status).toBe(403);
    expect((await org.anonymous.get('/api/v1/logs')).status).toBe(401);
    expect(await reads()).toEqual([]);
  });

  test('cuts long questions short in its event', async () => {
    const filter = `actor.id eq "${'x'.repeat(3_000)}"`;
    expect((await org.admin.get(`/api/v1/logs?filter=${encodeURIComponent(filter)}`)).status).toBe(200);
    const [event] = await reads();
    expect(event.debugContext.debugData.filter).toBe(filter.slice(0, 1_000));
  });

  test('does not wait for its trace, and is not failed by it; the next one tries again', async () => {
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table log_access in access exclusive mode');
    expect((await org.admin.get('/api/v1/logs')).status).toBe(200);
    // The statement that waits for the lock has not failed yet.
    expect(service.logged()).not.toContain('a read of the log could not be noted');
    await service.application.logTrace.settled();
    await holder.query('rollback');
    holder.release();
    expect(service.logged()).toContain('a read of the log could not be noted');
    expect(await reads()).toEqual([]);
    expect((await org.admin.get('/api/v1/logs')).status).toBe(200);
    expect(await reads()).toHaveLength(1);
  });

  test('is one event for two processes, and rows of days ago are swept', async () => {
    const twin = await startTestService({ database: service.database, publicPort: service.port });
    try {
      twin.clock.advance(service.clock.now().getTime() - twin.clock.now().getTime());
      const headers = { authorization: `SSWS ${org.adminToken}` };
      const there = twin.org.client(headers, org.hostname);
      const answers = await Promise.all([org.admin, there].map((client: TestClient) => client.get('/api/v1/logs')));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await twin.application.logTrace.settled();
      expect(await reads()).toHaveLength(1);
    } finally {
      await twin.close();
    }
    const count = async () =>
      (await service.database.pool.query('select from log_access where org_id = $1', [org.id])).rowCount;
    await service.application.housekeeping.sweep();
    expect(await count()).toBe(1);
    service.clock.advance(49 * HOUR);
    await service.application.housekeeping.sweep();
    expect(await count()).toBe(0);
    service.clock.advance(-49 * HOUR);
  });
});

test('an access token of a client reads as the client', async () => {
  toTheNextHour();
  const client = await newServiceClient(service, org, { scopes: ['logs.read'], roles: ['READ_ONLY_ADMIN'] });
  for (let tokens = 0; tokens < 2; tokens += 1) {
    const caller = client.bearer(await client.token('logs.read'));
    expect((await caller.get('/api/v1/logs?limit=1')).status).toBe(200);
  }
  expect((await reads()).map(({ actor }) => actor.id)).toEqual([client.id]);
});

describe('row 15: an old but untouched cursor', () => {
  const write = async (...ids: readonly string[]) => {
    const context = requestContext(org.id, service.clock.now());
    for (const id of ids) await service.application.work(context, async (_tx, record) => record(created(id)));
    await service.drained();
  };

  /**
   * Returns the next link of a poller that read two old events. The function does not send HTTP requests, because a
   * certificate that the service had issued that long ago would have expired.
   */
  async function oldCursor(): Promise<string> {
    service.clock.advance(-120 * DAY);
    org = await service.newOrg();
    await write('00u1', '00u2', '00u3');
    const codec = createCursorCodec(masterKeyOf(Buffer.alloc(32, 7)).subkey('cursors'));
    const reader = { connections: connectionsOver(service.database.pool), cursors: codec };
    const page = await readLogPage(reader, requestContext(org.id, service.clock.now()), [['limit', '2']]);
    const next = page.links.find(({ rel }) => rel === 'next')?.query ?? [];
    const query = new URLSearchParams(Object.fromEntries(next));
    service.clock.advance(119 * DAY);
    await write('00u4', '00u5');
    service.clock.advance(DAY);
    return `/api/v1/logs?${query.toString()}`;
  }

  const newPoller = () =>
    seedToken(service.application, service.clock, { orgId: org.id, baseUrl: org.baseUrl }, ['SUPER_ADMIN']);

  const retain = async () => {
    await service.database.pool.query(
      `insert into installation (name, value) values ('log_retention_clock', $1)
       on conflict (name) do update set value = excluded.value`,
      [JSON.stringify({ seenAt: new Date(), trustedFrom: new Date(0) })],
    );
    const { logSigner, relayPool } = service.application;
    const ports = { connections: connectionsOver(relayPool), clock: service.clock, logSigner };
    return runRetention(ports, new AbortController().signal);
  };

  test('goes on at the first retained position, and one event says how many were skipped', async () => {
    const next = await oldCursor();
    const connections = connectionsOver(service.database.pool);
    // The service's own job may drop the old partition before `retain` does, and a reader may delay the drop.
    for (let tries = 0; tries < 50 && (await verifyOrg(connections, org.id)).start <= 4; tries += 1) await retain();
    const { start, ok } = await verifyOrg(connections, org.id);
    expect({ ok, hasStart: start > 4 }).toEqual({ ok: true, hasStart: true });

    const { token, userId } = await newPoller();
    const headers = { authorization: `SSWS ${token}` };
    const poller = org.client(headers);
    const first = await poller.get(next);
    expect(first.status).toBe(200);
    expect(first.body).toHaveLength(2);
    const { rows } = await service.database.pool.query<{ position: number; body: string }>(
      'select position::integer, body from log_unsealed where org_id = $1 order by position limit 1',
      [org.id],
    );
    expect(rows[0]?.position).toBe(start + 1);
    expect(first.body[0]).toEqual(JSON.parse(rows[0]?.body ?? ''));
    const told = [
      {
        actor: { id: userId },
        severity: 'WARN',
        debugContext: { debugData: { cursorPosition: '2', skippedEvents: String(start - 2) } },
      },
    ];
    expect(await skips()).toMatchObject(told);

    // The poller uses the same cursor again, as it would after a crash.
    expect((await poller.get(next)).body).toEqual(first.body);
    expect(await skips()).toMatchObject(told);
    const twin = await startTestService({ database: service.database, publicPort: service.port });
    try {
      expect((await twin.org.client(headers, org.hostname).get(next)).body).toEqual(first.body);
      await twin.application.logTrace.settled();
    } finally {
      await twin.close();
    }
    // The next cursor is not older than the retained events.
    expect((await poller.get(nextOf(first))).status).toBe(200);
    expect(await skips()).toMatchObject(told);
  });

  test('skips what is kept but no longer answered just the same', async () => {
    const next = await oldCursor();
    await changeOrgSettings(service.application, requestContext(org.id, service.clock.now()), {
      logRetentionDays: 400,
    });
    await retain();
    const poller = await org.withRoles('SUPER_ADMIN');
    const page = await poller.get(next);
    expect(page.body[0].published > new Date(service.clock.now().getTime() - 2 * DAY).toISOString()).toBe(true);
    expect(await skips()).toHaveLength(1);
  });
});

describe('the window of an org', () => {
  const change = (logRetentionDays: unknown) =>
    changeOrgSettings(service.application, requestContext(org.id, service.clock.now()), { logRetentionDays });

  test('is changed with an event that tells it before and after', async () => {
    await change(400);
    await change(null);
    const [longer, back] = await eventsOf('system.org.update');
    expect(longer.target[0].changeDetails).toEqual({
      from: { settings: {} },
      to: { settings: { logRetentionDays: 400 } },
    });
    expect(back.target[0].changeDetails).toEqual({
      from: { settings: { logRetentionDays: 400 } },
      to: { settings: {} },
    });
  });

  test.each([89, 3_651, 100.5, '400', [], true])('is never %j', async (days) => {
    await expect(change(days)).rejects.toMatchObject({ code: 'E0000001', causes: [/from 90 to 3650/] });
  });

  test('is swept by the jobs of every process', async () => {
    await expect
      .poll(async () => {
        const { rows } = await service.database.pool.query(`select kind from jobs where kind = 'log.retention'`);
        return rows.length;
      })
      .toBe(1);
  });
});
