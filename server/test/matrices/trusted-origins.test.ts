import { beforeAll, expect, test } from 'vitest';
import { decide } from '../../src/access/index.ts';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { TestClient } from '../support/client.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { failEveryChange, permittedRoutes } from '../sweeps/permission-matrix.ts';
import { address, bodyOf } from '../sweeps/route-bodies.ts';

const TRUSTED = 'https://app.example';
/** In a browser, only a script can add this header. */
const SCRIPT = { 'x-requested-with': 'XMLHttpRequest' };
const CLOSED = ['E0000004', 'E0000005', 'E0000006', 'E0000011'];

/**
 * This file sends a super administrator's cookie from the org's own origin, from a trusted one, and from a same-site
 * one (ADR 0048).
 */
const { service, org } = useService({ isShared: false });
let somebody: string;
let superAdminId: string;
let fromOwn: TestClient;
let fromTrusted: TestClient;
let fromSibling: TestClient;

beforeAll(async () => {
  const scopes = [{ type: 'CORS' }, { type: 'REDIRECT' }];
  await org.admin.post('/api/v1/trustedOrigins', { body: { name: 'App', origin: TRUSTED, scopes } });
  const { userId } = await org.withRoles('SUPER_ADMIN');
  superAdminId = userId;
  const cookie = `__Host-sid=${(await openSession(service, org, { userId })).id}`;
  fromOwn = org.client({ ...SCRIPT, cookie, origin: org.baseUrl, 'sec-fetch-site': 'same-origin' });
  fromTrusted = org.client({ ...SCRIPT, cookie, origin: TRUSTED, 'sec-fetch-site': 'cross-site' });
  // This client stands for a page of another origin on the same site.
  fromSibling = org.client({ ...SCRIPT, cookie, 'sec-fetch-site': 'same-site' });
  somebody = (await org.createUser()).id;
  await failEveryChange(service);
});

const idsOf = (userId: string) => ({ id: userId, userId, userIdOrLogin: userId, primaryUserId: userId });

const call = (client: TestClient, route: AnyRoute, userId: string) =>
  client.send(route.method, address(route, idsOf(userId)), bodyOf(route, org));

const named = ({ method, url }: AnyRoute): string => `${method} ${url}`;
const isList = ({ url }: AnyRoute): boolean => !url.includes('/:');
const isOwn = (route: AnyRoute): boolean => decide({ userId: 'own', roles: [] }, route.permission ?? '') !== null;

test('there are routes of both kinds', () => {
  expect(permittedRoutes.length).toBeGreaterThan(200);
  expect(new Set(permittedRoutes.map(({ cors }) => cors)).size).toBe(2);
});

/** Routes that take no cookie of anybody. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['enrollFactor']);

async function isOpenFromOwnOrigin(route: AnyRoute): Promise<void> {
  const own = (await call(fromOwn, route, somebody)).body?.errorCode;
  if (FOR_PROGRAMS.has(route.operationId)) expect(own).toBe('E0000006');
  else expect(CLOSED).not.toContain(own);
  for (const client of route.method === 'GET' ? [fromTrusted, fromSibling] : [fromTrusted]) {
    const answer = await call(client, route, somebody);
    if (isOwn(route) && isList(route)) {
      expect(answer.body.map(({ id }: { id: string }) => id)).toEqual([superAdminId]);
      continue;
    }
    expect(answer.status).toBe(403);
    // Writes that an origin may not make are refused before the session is read.
    expect(answer.body.errorCode).toBe(route.cors || route.method === 'GET' ? 'E0000006' : 'E0000005');
  }
}

test('by the cookie of a super administrator every route is open from the own origin alone', { timeout: 300_000 }, () =>
  expectOfEvery({ rows: permittedRoutes, nameOf: named, atLeast: 380 }, isOpenFromOwnOrigin),
);

const OWN_USER = [
  'GET /api/v1/sessions/me',
  'DELETE /api/v1/sessions/me',
  'POST /api/v1/sessions/me/lifecycle/refresh',
  'POST /api/v1/sessions/me/refresh',
  'DELETE /api/v1/api-tokens/current',
  // Its answer is the same for everybody.
  'GET /api/v1/users/:userId/factors/questions',
];

test('no other route takes a cookie without asking for a permission', () => {
  const takesCookie = allRoutes.filter(({ access }) => access === 'authenticated' || access === 'session');
  const unasked = takesCookie.filter((route) => !permittedRoutes.includes(route));
  expect(unasked.map(named).toSorted()).toEqual(OWN_USER.toSorted());
});

test('the own user is shown to a trusted origin, but for whom it is no matter of', async () => {
  const answer = await fromTrusted.get('/api/v1/users/me');
  expect([answer.status, answer.body.id]).toEqual([200, superAdminId]);
  expect(answer.headers['access-control-allow-origin']).toBe(TRUSTED);
  for (const path of ['appLinks', 'groups', 'grants', 'clients']) {
    expect((await fromTrusted.get(`/api/v1/users/me/${path}`)).status).toBe(200);
  }
  expect((await fromTrusted.get('/api/v1/sessions/me')).status).toBe(200);
});
