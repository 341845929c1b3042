import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, ROLE_TYPES } from '../../src/access/index.ts';
import { allRoutes } from '../../src/all-routes.ts';
import { ERRORS } from '../../src/kernel/errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { newPublicJwk, serviceApp } from '../support/apps.ts';
import type { RequestOptions, TestClient } from '../support/client.ts';
import { createHook, newHook } from '../support/hook-receiver.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { createStream, newHttpsStream } from '../support/log-streams.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { newServiceClient, withScopes } from '../support/service-clients.ts';
import { openSession } from '../support/session-tokens.ts';

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
  const [policy] = (await other.admin.get('/api/v1/policies?type=SVC_SIGN_ON')).body;
  const [rule] = (await other.admin.get(`/api/v1/policies/${policy.id}/rules`)).body;
  const [zone] = (await other.admin.get('/api/v1/zones')).body;
  const { id: appId } = await newServiceClient(service, other, { scopes: ['users.read'] });
  const [key] = (await other.admin.get(`/api/v1/apps/${appId}/credentials/jwks`)).body;
  const secret = await other.admin.post(`/api/v1/apps/${appId}/credentials/secrets`, { body: {} });
  const [grant] = (await other.admin.get(`/api/v1/apps/${appId}/grants`)).body;
  const provider = await other.admin.post('/api/v1/idps', { body: newOidcProvider() });
  const certificate = await other.admin.post('/api/v1/idps/credentials/keys', { body: newProviderKey() });
  Object.assign(foreignIds, {
    id: user.id,
    userId: user.id,
    trustedOriginId: origin.body.id,
    apiTokenId: tokens.body[0].id,
    roleAssignmentId: roles.body[0].id,
    typeId: types.body[0].id,
    schemaId: String(types.body[0]._links.schema.href).split('/').at(-1) ?? '',
    policyId: policy.id,
    ruleId: rule.id,
    zoneId: zone.id,
    appId,
    clientId: appId,
    keyId: key.id,
    secretId: secret.body.id,
    grantId: grant.id,
    idpId: provider.body.id,
    kid: certificate.body.kid,
    eventHookId: (await createHook(other, hook)).id,
    logStreamId: (await createStream(other, stream)).id,
    // Every org has the same types: one that no org has.
    logStreamType: 'pigeon',
    sessionId: (await openSession(service, other)).id,
  });
});
afterAll(() => service.close());

const newUser = { profile: { firstName: 'A', lastName: 'B', login: 'sweep@example.com', email: 'sweep@example.com' } };
const origin = { name: 'a', origin: 'https://a.example', scopes: [{ type: 'CORS' }] };
const hook = newHook('https://hooks.example/in');
const stream = newHttpsStream();
const signOnRule = { type: 'SIGN_ON', name: 'sweep', actions: { signon: { access: 'ALLOW' } } };

/** By operation; `{}` where none is named. */
const BODIES: Readonly<Record<string, unknown>> = {
  createUser: newUser,
  replaceUser: newUser,
  changePassword: { oldPassword: { value: 'a' }, newPassword: { value: 'b' } },
  changeRecoveryQuestion: { password: { value: 'a' }, recovery_question: { question: 'q', answer: 'answer' } },
  assignRoleToUser: { type: 'HELP_DESK_ADMIN' },
  assignRoleToClient: { type: 'HELP_DESK_ADMIN' },
  createTrustedOrigin: origin,
  replaceTrustedOrigin: origin,
  upsertApiToken: { name: 'a' },
  replaceOrgSettings: { companyName: 'A' },
  createNetworkZone: { type: 'IP', name: 'sweep', gateways: [] },
  replaceNetworkZone: { type: 'IP', name: 'sweep', gateways: [] },
  createPolicy: { type: 'SVC_SIGN_ON', name: 'sweep' },
  replacePolicy: { type: 'SVC_SIGN_ON', name: 'sweep' },
  createPolicyRule: signOnRule,
  replacePolicyRule: signOnRule,
  createApplication: serviceApp(),
  replaceApplication: serviceApp(),
  addJwk: newPublicJwk('swept'),
  createIdentityProvider: newOidcProvider(),
  replaceIdentityProvider: newOidcProvider(),
  createEventHook: hook,
  replaceEventHook: hook,
  replayEventHook: { position: 1 },
  createLogStream: stream,
  replaceLogStream: stream,
  replayLogStream: { position: 1 },
  createIdentityProviderKey: newProviderKey(),
  replaceIdentityProviderKey: newProviderKey(),
};

/** A body that passes validation, so that what refuses is what is being swept. */
function bodyOf(route: AnyRoute): RequestOptions {
  if (route.body === undefined || route.bodyOptional === true) return {};
  if (route.operationId === 'grantConsentToScope') return { body: { issuer: org.baseUrl, scopeId: 'svc.users.read' } };
  return { body: BODIES[route.operationId] ?? {} };
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

/** What changes by itself, or by being asked. */
const VOLATILE = /^(log_|rate_limit_counts$|idempotency_keys$|jobs$|sign_in_attempts$|mail_outbox$)/;

/** Everything of an org, so that whatever the sweep changes is seen; but for when its tokens were last used. */
async function stateOf(one: TestOrg): Promise<unknown> {
  const { rows: tables } = await service.database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns c join information_schema.tables t
       using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'org_id' and t.table_type = 'BASE TABLE' order by 1`,
  );
  const state: Record<string, unknown> = {};
  for (const { name } of tables.filter((table) => !VOLATILE.test(table.name))) {
    const { rows } = await service.database.pool.query(
      `select md5(coalesce(string_agg(row, ',' order by row), '')) as digest, count(*) as count
       from (select (to_jsonb(t) - 'last_used_at')::text as row from ${name} t where org_id = $1) r`,
      [one.id],
    );
    state[name] = rows[0];
  }
  return state;
}

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

/** One client for each set of scopes, with all roles: only scopes are swept here. */
const tokens = new Map<string, Promise<TestClient>>();
function tokenOf(scopes: readonly string[]): Promise<TestClient> {
  const name = scopes.toSorted().join(' ');
  const client = tokens.get(name) ?? withScopes(service, org, scopes, ['SUPER_ADMIN']);
  tokens.set(name, client);
  return client;
}
