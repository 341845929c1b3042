import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/access/index.ts';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { ERRORS } from '../../src/kernel/errors/errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { withoutSecrets } from '../../src/system-log/write/without-secrets.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestClient } from '../support/client.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { idsOfEverything } from './ids-of-everything.ts';
import { stateOf } from './org-state.ts';
import { address, bodyOf } from './route-bodies.ts';

type Named = readonly [name: string, route: AnyRoute];

const named = (routes: readonly AnyRoute[]): Named[] =>
  routes.map((route) => [`${route.method} ${route.url}`, route] as const);
const guarded = allRoutes.filter((route) => route.access === 'authenticated');
const permitted = guarded.filter((route) => route.permission !== undefined);
const withIds = permitted.filter((route) => route.url.includes('/:'));

const { service, org } = useService();
const other = beforeTests(() => service.newOrg());
/** An id of the other org for every parameter name. */
const foreignIds: Record<string, string> = {};

beforeAll(async () => {
  Object.assign(foreignIds, await idsOfEverything(service, other));
});

const call = (client: TestClient, route: AnyRoute, ids: Readonly<Record<string, string>> = {}) =>
  client.send(route.method, address(route, ids), bodyOf(route, org));

describe('every declaration', () => {
  test('there are routes, each with its own operation', () => {
    expect(allRoutes.length).toBeGreaterThan(30);
    expect(new Set(allRoutes.map((route) => route.operationId)).size).toBe(allRoutes.length);
  });

  test.each(named(allRoutes))('%s declares only errors of the table, a summary and a bucket', (_, route) => {
    expect(route.errors.filter((code) => !(code in ERRORS))).toEqual([]);
    expect(route.summary).not.toBe('');
    expect(route.access === 'public' || route.scopes.length > 0 || route.permission === undefined).toBe(true);
  });
});

test('no token that is part of a path stands in an event', () => {
  const urls = allRoutes.map(({ url }) => url).filter((url) => url.includes('/:token/') || url.endsWith('/:token'));
  expect(urls.length).toBeGreaterThan(3);
  const shown = urls.map((url) => withoutSecrets(url.replace(':token', 'Se-cret')));
  expect(shown.filter((text) => text.includes('Se-cret'))).toEqual([]);
});

describe('without a credential', () => {
  const stranger = beforeTests(() => org.client({ authorization: `SSWS ${other.adminToken}` }));

  test.each(named(guarded))('%s answers 401', async (_, route) => {
    const response = await call(org.anonymous, route);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBeDefined();
  });

  test.each(named(guarded))('%s answers 401 to a token of another org', async (_, route) => {
    expect((await call(stranger, route)).status).toBe(401);
  });
});

describe('roles', () => {
  const nobody = beforeTests(() => org.withRoles());

  test.each(named(permitted))('%s answers 403 to a user without a role', async (_, route) => {
    const response = await call(nobody, route, { id: org.adminUserId, userId: org.adminUserId });
    const own = decide({ userId: nobody.userId, roles: [] }, route.permission ?? '');
    // A list shows such a caller only the user themselves.
    if (own !== null && !route.url.includes('/:')) {
      expect(response.body.map((user: { id: string }) => user.id)).toEqual([nobody.userId]);
    } else {
      expect(response).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
  });
});

describe('an id of another org', () => {
  test('is at hand for every parameter', () => {
    const names = new Set(
      withIds.flatMap((route) => [...route.url.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')),
    );
    expect([...names].filter((name) => (foreignIds[name] ?? '') === '')).toEqual([]);
  });

  let before: unknown;
  beforeAll(async () => {
    await service.drained();
    before = await stateOf(service, other);
  });

  test.each(named(withIds))('%s answers 404 like an unknown one, and changes nothing', async (_, route) => {
    const foreign = await call(org.admin, route, foreignIds);
    expect(foreign).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await stateOf(service, other)).toEqual(before);
  });
});

describe('scopes', () => {
  const scoped = guarded.filter((route) => route.scopes.length > 0);

  test.each(named(scoped))('%s answers 403 to a token without its scope', async (_, route) => {
    const others = allScopes.filter((scope) => !opens(scope, route));
    const response = await call(await tokenOf(others), route, foreignIds);
    expect(response).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect(response.headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/);
  });

  test.each(named(scoped))('%s lets in a token with its scope alone', async (_, route) => {
    const response = await call(await tokenOf(route.scopes), route, foreignIds);
    expect([401, 403]).not.toContain(response.status);
  });
});

const allScopes = [...new Set(guarded.flatMap((route) => route.scopes))];
const opens = (scope: string, route: AnyRoute): boolean =>
  route.scopes.some((asked) => scope === asked || scope === asked.replace(/\.read$/, '.manage'));

/** One client for each set of scopes, with all roles, because only scopes are tested here. */
const tokens = new Map<string, Promise<TestClient>>();
function tokenOf(scopes: readonly string[]): Promise<TestClient> {
  const name = scopes.toSorted().join(' ');
  const client = tokens.get(name) ?? withScopes(service, org, scopes, ['SUPER_ADMIN']);
  tokens.set(name, client);
  return client;
}
