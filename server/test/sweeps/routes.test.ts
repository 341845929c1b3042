import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, ROLE_TYPES } from '../../src/access/index.ts';
import { allRoutes } from '../../src/all-routes.ts';
import { ERRORS } from '../../src/kernel/errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { RequestOptions, TestClient } from '../support/client.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';

type Named = readonly [name: string, route: AnyRoute];

const named = (routes: readonly AnyRoute[]): Named[] =>
  routes.map((route) => [`${route.method} ${route.url}`, route] as const);
const guarded = allRoutes.filter((route) => route.access === 'authenticated');
const permitted = guarded.filter((route) => route.permission !== undefined);
const withIds = permitted.filter((route) => route.url.includes('/:'));

let service: TestService;
let org: TestOrg;
let other: TestOrg;
/** An id of the other org for every parameter name. */
const foreignIds: Record<string, string> = {};

beforeAll(async () => {
  service = await startTestService();
  org = service.org;
  other = await service.newOrg();
  const user = await other.createUser();
  const origin = await other.admin.post('/api/v1/trustedOrigins', {
    body: { name: 'other', origin: 'https://other.example', scopes: [{ type: 'CORS' }] },
  });
  const tokens = await other.admin.get('/api/v1/api-tokens');
  const roles = await other.admin.get(`/api/v1/users/${other.adminUserId}/roles`);
  const types = await other.admin.get('/api/v1/meta/types/user');
  foreignIds['id'] = user.id;
  foreignIds['userId'] = user.id;
  foreignIds['trustedOriginId'] = origin.body.id;
  foreignIds['apiTokenId'] = tokens.body[0].id;
  foreignIds['roleAssignmentId'] = roles.body[0].id;
  foreignIds['typeId'] = types.body[0].id;
  foreignIds['schemaId'] = String(types.body[0]._links.schema.href).split('/').at(-1) ?? '';
});
afterAll(() => service.close());

/** A body that passes validation, so that what refuses is what is being swept. */
function bodyOf(route: AnyRoute): RequestOptions {
  if (route.body === undefined || route.bodyOptional === true) return {};
  const bodies: Readonly<Record<string, unknown>> = {
    createUser: { profile: { firstName: 'A', lastName: 'B', login: 'sweep@example.com', email: 'sweep@example.com' } },
    changePassword: { oldPassword: { value: 'a' }, newPassword: { value: 'b' } },
    changeRecoveryQuestion: { password: { value: 'a' }, recovery_question: { question: 'q', answer: 'answer' } },
    assignRoleToUser: { type: 'HELP_DESK_ADMIN' },
    createTrustedOrigin: { name: 'a', origin: 'https://a.example', scopes: [{ type: 'CORS' }] },
    replaceTrustedOrigin: { name: 'a', origin: 'https://a.example', scopes: [{ type: 'CORS' }] },
    upsertApiToken: { name: 'a' },
    replaceUser: { profile: { firstName: 'A', lastName: 'B', login: 'sweep@example.com', email: 'sweep@example.com' } },
    replaceOrgSettings: { companyName: 'A' },
  };
  return { body: bodies[route.operationId] ?? {} };
}

const address = (route: AnyRoute, ids: Readonly<Record<string, string>>): string =>
  route.url.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown');

const call = (client: TestClient, route: AnyRoute, ids: Readonly<Record<string, string>> = {}) =>
  client.send(route.method, address(route, ids), bodyOf(route));

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

describe('without a credential', () => {
  test.each(named(guarded))('%s answers 401', async (_, route) => {
    const response = await call(org.anonymous, route);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBeDefined();
  });

  test.each(named(guarded))('%s answers 401 to a token of another org', async (_, route) => {
    const stranger = org.client({ authorization: `SSWS ${other.adminToken}` });
    expect((await call(stranger, route)).status).toBe(401);
  });
});

describe('roles', () => {
  test.each(named(permitted))('%s answers 403 to a user without a role', async (_, route) => {
    const nobody = await org.withRoles();
    const response = await call(nobody, route, { id: org.adminUserId, userId: org.adminUserId });
    const own = decide({ userId: nobody.userId, roles: [] }, route.permission ?? '');
    // A list shows such a caller the own user and nobody else.
    if (own !== null && !route.url.includes('/:')) {
      expect(response.body.map((user: { id: string }) => user.id)).toEqual([nobody.userId]);
    } else {
      expect(response).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
  });

  test.each(ROLE_TYPES)('%s gets 403 exactly where the role table grants nothing', async (role) => {
    const client = await org.withRoles(role);
    for (const route of permitted) {
      const granted = decide({ userId: client.userId, roles: [role] }, route.permission ?? '');
      const response = await call(client, route, { id: 'nobody@example.com', userId: '00u00000000000000000' });
      const isRefused = response.status === 403 && response.body.errorCode === 'E0000006';
      const isOwnOnly = granted !== null && granted.kind === 'ids' && route.url.includes('/:');
      expect({ route: route.operationId, isRefused }).toEqual({
        route: route.operationId,
        isRefused: granted === null || isOwnOnly,
      });
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

  test.each(named(withIds))('%s answers 404 like an unknown one, and changes nothing', async (_, route) => {
    const before = await stateOf(other);
    const foreign = await call(org.admin, route, foreignIds);
    expect(foreign).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await stateOf(other)).toEqual(before);
  });
});

/** Everything of an org that the sweep could have changed. */
async function stateOf(one: TestOrg): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    `select (select jsonb_agg(to_jsonb(u) order by u.id) from users u where u.org_id = $1) as users,
       (select jsonb_agg(to_jsonb(o) order by o.id) from trusted_origins o where o.org_id = $1) as origins,
       (select jsonb_agg(to_jsonb(t) - 'last_used_at' order by t.id) from api_tokens t where t.org_id = $1) as tokens,
       (select jsonb_agg(to_jsonb(r) order by r.id) from user_role_assignments r where r.org_id = $1) as roles,
       (select jsonb_agg(to_jsonb(y) order by y.id) from user_types y where y.org_id = $1) as types`,
    [one.id],
  );
  return rows[0];
}
