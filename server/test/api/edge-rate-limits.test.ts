import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from '../../src/platform/http/index.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { changeSettings } from '../support/org-settings.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService({ isShared: false });

const limits = (response: TestResponse) => ({
  limit: Number(response.headers['x-rate-limit-limit']),
  remaining: Number(response.headers['x-rate-limit-remaining']),
  reset: Number(response.headers['x-rate-limit-reset']),
});

/** Moves the clock to the next minute, so that all counted requests of a test fall into one window. */
function enterNextWindow(of = service): void {
  const now = of.clock.now().getTime();
  of.clock.advance(60_000 - (now % 60_000));
}

async function orgWith(rateLimits: Record<string, number>, more: Record<string, unknown> = {}): Promise<TestOrg> {
  const own = await service.newOrg();
  await changeSettings(service, own, { rateLimits, ...more });
  enterNextWindow();
  return own;
}

async function statuses(client: TestClient, path: string, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let asked = 0; asked < count; asked += 1) seen.push((await client.get(path)).status);
  return seen;
}

describe('the headers', () => {
  test('stand in every answer, once each, and count down', async () => {
    const own = await orgWith({ users: 5 });
    const [one, two] = [await own.admin.get('/api/v1/users'), await own.admin.get('/api/v1/users')];
    expect(limits(one)).toMatchObject({ limit: 5, remaining: 4 });
    expect(limits(two)).toMatchObject({ limit: 5, remaining: 3, reset: limits(one).reset });
    for (const path of [
      '/nowhere',
      '/.well-known/svc-organization',
      '/api/v1/users?limit=x',
      '/api/v1/users/00unobody',
    ]) {
      expect(limits(await own.admin.get(path))).toEqual({
        limit: expect.any(Number),
        remaining: expect.any(Number),
        reset: expect.any(Number),
      });
    }
    expect(limits(await own.anonymous.get('/api/v1/users')).limit).toBeGreaterThan(0);
  });

  test('say the end of the minute, in seconds, as Date does', async () => {
    const own = await orgWith({ users: 5 });
    const response = await own.admin.get('/api/v1/users');
    const now = service.clock.now().getTime() / 1_000;
    expect(limits(response).reset % 60).toBe(0);
    expect(limits(response).reset - now).toBeGreaterThan(0);
    expect(limits(response).reset - now).toBeLessThanOrEqual(60);
    expect(Date.parse(String(response.headers['date']))).not.toBeNaN();
  });
});

test('the default of an org limits every bucket but that of keys and well-known documents', async () => {
  const own = await orgWith({ default: 2 });
  expect(await statuses(own.admin, '/api/v1/users', 3)).toEqual([200, 200, 429]);
  expect(await statuses(own.anonymous, '/oauth2/v1/keys', 4)).toEqual([200, 200, 200, 200]);
  const strict = await orgWith({ unlimited: 1 });
  expect(await statuses(strict.anonymous, '/oauth2/v1/keys', 2)).toEqual([200, 429]);
});

describe('beyond the limit', () => {
  test('it is 429 E0000047 until the window ends', async () => {
    const own = await orgWith({ users: 3 });
    expect(await statuses(own.admin, '/api/v1/users', 4)).toEqual([200, 200, 200, 429]);
    const refused = await own.admin.get('/api/v1/users');
    expect(refused).toMatchObject({
      status: 429,
      body: {
        errorCode: 'E0000047',
        errorSummary: 'API call exceeded rate limit due to too many requests.',
        errorCauses: [],
      },
      headers: { 'x-svc-request-id': expect.stringMatching(/^req/), date: expect.any(String) },
    });
    expect(limits(refused)).toMatchObject({ limit: 3, remaining: 0 });
    service.clock.advance(limits(refused).reset * 1_000 - service.clock.now().getTime());
    expect((await own.admin.get('/api/v1/users')).status).toBe(200);
  });

  test('/logs answers in its own shape', async () => {
    const own = await orgWith({ logs: 1 });
    expect((await own.admin.get('/api/v1/logs')).status).toBe(200);
    const { status, body } = await own.admin.get('/api/v1/logs');
    expect(status).toBe(429);
    expect(Object.keys(body).sort()).toEqual(['errorCode', 'errorId', 'errorSummary']);
  });

  test('other buckets of the org go on', async () => {
    const own = await orgWith({ users: 1 });
    expect(await statuses(own.admin, '/api/v1/users', 2)).toEqual([200, 429]);
    expect(await statuses(own.admin, '/api/v1/org', 3)).toEqual([200, 200, 200]);
    expect(await statuses(own.admin, '/api/v1/users/me', 3)).toEqual([200, 200, 200]);
  });

  test('other orgs go on: nobody starves a neighbour', async () => {
    const [own, neighbour] = [await orgWith({ users: 2 }), await service.newOrg()];
    expect((await statuses(own.admin, '/api/v1/users', 20)).filter((status) => status === 429)).toHaveLength(18);
    expect(await statuses(neighbour.admin, '/api/v1/users', 5)).toEqual([200, 200, 200, 200, 200]);
  });

  test('nothing is done: a create that is refused made nobody', async () => {
    const own = await orgWith({ users: 1 });
    await own.admin.get('/api/v1/users');
    const profile = { firstName: 'A', lastName: 'B', login: 'limited@x.co', email: 'limited@x.co' };
    expect((await own.admin.post('/api/v1/users', { body: { profile } })).status).toBe(429);
    expect((await own.admin.get('/api/v1/users/limited@x.co')).status).toBe(404);
  });

  test('there is one violation event a minute for each bucket, with the count', async () => {
    const own = await orgWith({ users: 1, management: 1 });
    await statuses(own.admin, '/api/v1/users', 5);
    await statuses(own.admin, '/api/v1/org', 3);
    enterNextWindow();
    await service.application.edgeEvents.flush(false);
    await statuses(own.admin, '/api/v1/users', 3);
    enterNextWindow();
    await service.application.edgeEvents.flush(false);
    const events = await own.systemLog('eventType eq "system.org.rate_limit.violation"');
    const told = events.map(({ target, debugContext }) => [target[0].id, debugContext.debugData.count]);
    expect(told.sort()).toEqual([
      ['/api/v1', '2'],
      ['/api/v1/users', '2'],
      ['/api/v1/users', '4'],
    ]);
    expect(events[0]).toMatchObject({
      actor: { id: own.adminUserId },
      client: { ipAddress: '127.0.0.1' },
      outcome: { result: 'RATE_LIMIT' },
    });
  });
});

describe('whose share it is', () => {
  test('one token may use all of a bucket by default', async () => {
    const own = await orgWith({ users: 4 });
    expect(await statuses(own.admin, '/api/v1/users', 5)).toEqual([200, 200, 200, 200, 429]);
  });

  test('a setting gives each token its share; what one is refused is left for the others', async () => {
    const own = await orgWith({ users: 4 }, { perTokenPercent: 50 });
    const other = await own.withRoles('READ_ONLY_ADMIN');
    expect(await statuses(own.admin, '/api/v1/users', 5)).toEqual([200, 200, 429, 429, 429]);
    expect(await statuses(other, '/api/v1/users', 3)).toEqual([200, 200, 429]);
    const refused = await other.get('/api/v1/users');
    expect(limits(refused)).toMatchObject({ limit: 2, remaining: 0 });
  });

  test('wrong tokens count for the address, never for the bucket of the org', async () => {
    const own = await orgWith({ users: 2 });
    const stranger = own.client({ authorization: `SSWS 00${'x'.repeat(40)}` });
    expect(await statuses(stranger, '/api/v1/users', 5)).toEqual([401, 401, 401, 401, 401]);
    expect(await statuses(own.admin, '/api/v1/users', 2)).toEqual([200, 200]);
  });

  test('an address that asks too much is refused before anything is looked up for it', async () => {
    const limited = await startTestService({ addressLimitPerMinute: 5 });
    try {
      enterNextWindow(limited);
      expect(await statuses(limited.org.anonymous, '/.well-known/svc-organization', 6)).toEqual([
        200, 200, 200, 200, 200, 429,
      ]);
      expect((await limited.org.admin.get('/nowhere')).status).toBe(429);
      const neighbour = await limited.newOrg();
      expect((await neighbour.anonymous.get('/.well-known/svc-organization')).status).toBe(200);
      enterNextWindow(limited);
      await limited.application.edgeEvents.flush(false);
      expect(await limited.org.systemLog('eventType eq "system.client.rate_limit.violation"')).toMatchObject([
        { outcome: { result: 'RATE_LIMIT' }, debugContext: { debugData: { count: '2' } } },
      ]);
    } finally {
      await limited.close();
    }
  });
});

describe('two processes on one database', () => {
  test('count together, within a second', async () => {
    const second = await startTestService({ database: service.database });
    try {
      const own = await orgWith({ users: 4 });
      second.clock.advance(service.clock.now().getTime() - second.clock.now().getTime());
      const there = second.org.client({ authorization: `SSWS ${own.adminToken}` }, own.hostname);
      expect(await statuses(own.admin, '/api/v1/users', 2)).toEqual([200, 200]);
      await service.application.housekeeping.mergeLimits();
      expect(await statuses(there, '/api/v1/users', 1)).toEqual([200]);
      await second.application.housekeeping.mergeLimits();
      expect(await statuses(there, '/api/v1/users', 2)).toEqual([200, 429]);
      await second.application.housekeeping.mergeLimits();
      // A process reads the counts of other processes when it merges its own counts. It merges only if it has counted
      // requests since the last merge.
      await own.admin.get('/api/v1/users');
      await service.application.housekeeping.mergeLimits();
      expect(await statuses(own.admin, '/api/v1/users', 2)).toEqual([429, 429]);
    } finally {
      await second.close();
    }
  });
});

describe('without GATEHOUSE_RATE_LIMIT_PER_MINUTE', () => {
  const { org: own } = useService({ rateLimitPerMinute: null });

  test.each<[RateLimitBucket, string]>([
    ['users', '/api/v1/users'],
    ['user', '/api/v1/users/me'],
    ['management', '/api/v1/groups'],
    ['logs', '/api/v1/logs'],
    ['sessions', '/.well-known/webfinger?resource=svc:acct:ada'],
    ['oauth', '/oauth2/v1/userinfo'],
    ['authorize', '/oauth2/v1/authorize'],
    ['clients', '/oauth2/v1/clients'],
  ])('the bucket %s has its own limit', async (bucket, path) => {
    const { headers } = await own.admin.get(path);
    expect(headers['x-rate-limit-limit']).toBe(String(RATE_LIMIT_BUCKETS[bucket].limit));
  });
});

test('by default an org has 10,000 a minute of every bucket, or more, but for registering clients', () => {
  for (const [name, { limit }] of Object.entries(RATE_LIMIT_BUCKETS)) {
    if (name === 'unlimited') expect(limit).toBeNull();
    // The lower limit restricts the registration of clients (attack 79 in docs/security-rows.md).
    else expect(limit).toBeGreaterThanOrEqual(name === 'clients' ? 1_000 : 10_000);
  }
  for (const route of allRoutes) {
    if (route.bucket === 'unlimited') expect(route.access).toBe('public');
  }
});
