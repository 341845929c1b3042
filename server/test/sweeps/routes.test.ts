import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/access/index.ts';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { ERRORS } from '../../src/kernel/errors/errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { withoutSecrets } from '../../src/system-log/write/without-secrets.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestClient } from '../support/client.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { idsOfEverything } from './ids-of-everything.ts';
import { stateOf } from './org-state.ts';
import { address, bodyOf } from './route-bodies.ts';

const named = ({ method, url }: AnyRoute): string => `${method} ${url}`;
const LONG = 300_000;

const guarded = allRoutes.filter((route) => route.access === 'authenticated');
const permitted = guarded.filter((route) => route.permission !== undefined);
const scoped = guarded.filter((route) => route.scopes.length > 0);
const withIds = permitted.filter((route) => route.url.includes('/:'));

const everyRoute = { rows: allRoutes, nameOf: named, atLeast: 490 };
const everyGuarded = { rows: guarded, nameOf: named, atLeast: 380 };
const everyPermitted = { rows: permitted, nameOf: named, atLeast: 380 };
const everyScoped = { rows: scoped, nameOf: named, atLeast: 380 };
const everyWithIds = { rows: withIds, nameOf: named, atLeast: 330 };

const { service, org } = useService();
const other = beforeTests(() => service.newOrg());
const foreignIds: Record<string, string> = {};

beforeAll(async () => {
  Object.assign(foreignIds, await idsOfEverything(service, other));
});

const call = (client: TestClient, route: AnyRoute, ids: Readonly<Record<string, string>> = {}) =>
  client.send(route.method, address(route, ids), bodyOf(route, org));

describe('every declaration', () => {
  test('has an operation of its own', () => {
    expect(new Set(allRoutes.map((route) => route.operationId)).size).toBe(allRoutes.length);
  });

  test('names only errors of the table, a summary and a bucket', () =>
    expectOfEvery(everyRoute, (route) => {
      expect(route.errors.filter((code) => !(code in ERRORS))).toEqual([]);
      expect(route.summary).not.toBe('');
      expect(route.access === 'public' || route.scopes.length > 0 || route.permission === undefined).toBe(true);
    }));
});

test('no token that is part of a path stands in an event', () => {
  const urls = allRoutes.map(({ url }) => url).filter((url) => url.includes('/:token/') || url.endsWith('/:token'));
  expect(urls.length).toBeGreaterThan(3);
  const shown = urls.map((url) => withoutSecrets(url.replace(':token', 'Se-cret')));
  expect(shown.filter((text) => text.includes('Se-cret'))).toEqual([]);
});

describe('without a credential', () => {
  const stranger = beforeTests(() => org.client({ authorization: `SSWS ${other.adminToken}` }));

  test('every route that asks for one answers 401', { timeout: LONG }, () =>
    expectOfEvery(everyGuarded, async (route) => {
      const response = await call(org.anonymous, route);
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toBeDefined();
    }),
  );

  test('every such route answers 401 to a token of another org', { timeout: LONG }, () =>
    expectOfEvery(everyGuarded, async (route) => {
      expect((await call(stranger, route)).status).toBe(401);
    }),
  );
});

describe('roles', () => {
  const nobody = beforeTests(() => org.withRoles());

  test('every route with a permission answers 403 to a user without a role', { timeout: LONG }, () =>
    expectOfEvery(everyPermitted, async (route) => {
      const { body, status } = await call(nobody, route, { id: org.adminUserId, userId: org.adminUserId });
      const own = decide({ userId: nobody.userId, roles: [] }, route.permission ?? '');
      // Callers who may read only their own user get a list that contains only that user.
      if (own !== null && !route.url.includes('/:')) {
        expect(body.map((user: { id: string }) => user.id)).toEqual([nobody.userId]);
      } else {
        expect({ status, body }).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
      }
    }),
  );
});

describe('an id of another org', () => {
  test('is at hand for every parameter', () => {
    const names = new Set(
      withIds.flatMap((route) => [...route.url.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')),
    );
    expect([...names].filter((name) => (foreignIds[name] ?? '') === '')).toEqual([]);
  });

  test('is answered with 404 like an unknown one by every route, and changes nothing', { timeout: LONG }, async () => {
    await service.drained();
    // Role assignments start this job. It must end before the state is read for comparison.
    const planned = "select 1 from jobs where org_id = $1 and kind = 'users.renewLinks'";
    await expect.poll(async () => (await service.database.pool.query(planned, [other.id])).rowCount).toBe(0);
    let before = await stateOf(service, other);
    // Routes are called one at a time, so that a change is reported for the route that made it.
    await expectOfEvery({ ...everyWithIds, atOnce: 1 }, async (route) => {
      const { body, status } = await call(org.admin, route, foreignIds);
      expect({ status, body }).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
      const after = await stateOf(service, other);
      const changed = !isDeepStrictEqual(after, before);
      before = after;
      expect(changed, 'whether the other org has changed').toBe(false);
    });
  });
});

describe('scopes', () => {
  test('every route answers 403 to a token without its scope', { timeout: LONG }, () =>
    expectOfEvery(everyScoped, async (route) => {
      const others = allScopes.filter((scope) => !opens(scope, route));
      const { body, headers, status } = await call(await tokenOf(others), route, foreignIds);
      expect({ status, body }).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
      expect(headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/);
    }),
  );

  test('every route lets in a token with its scope alone', { timeout: LONG }, () =>
    expectOfEvery(everyScoped, async (route) => {
      const response = await call(await tokenOf(route.scopes), route, foreignIds);
      expect([401, 403]).not.toContain(response.status);
    }),
  );
});

const allScopes = [...new Set(guarded.flatMap((route) => route.scopes))];
const opens = (scope: string, route: AnyRoute): boolean =>
  route.scopes.some((asked) => scope === asked || scope === asked.replace(/\.read$/, '.manage'));

/** One client for each set of scopes. All have the role SUPER_ADMIN, because only scopes are tested here. */
const tokens = new Map<string, Promise<TestClient>>();
function tokenOf(scopes: readonly string[]): Promise<TestClient> {
  const name = scopes.toSorted().join(' ');
  const client = tokens.get(name) ?? withScopes(service, org, scopes, ['SUPER_ADMIN']);
  tokens.set(name, client);
  return client;
}
