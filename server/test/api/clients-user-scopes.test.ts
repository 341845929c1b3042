import { describe, expect, test } from 'vitest';
import { APPS, createApp, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import type { TestClient } from '../support/client.ts';
import { withCustomRole } from '../support/roles.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';

// A user's token acts with that user's roles, so if a client for users has API scopes, only callers who may grant such
// scopes may change its OAuth settings and credentials (ADR 0016).

const CLIENTS = '/oauth2/v1/clients';
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const WEAKER = ['ORG_ADMIN', 'APP_ADMIN'] as const;

const { service, org } = useService();

type Given = Readonly<Record<string, unknown>>;
type App = Awaited<ReturnType<typeof createApp>>;

async function grant(appId: string, scope = 'users.manage'): Promise<void> {
  const scopeId = `${service.application.namespace.word}.${scope}`;
  const answer = await org.admin.post(`${APPS}/${appId}/grants`, { body: { issuer: org.baseUrl, scopeId } });
  expect(answer.status, answer.text).toBe(201);
}

async function withApiScopes(body: Given = webApp()): Promise<App> {
  const { id } = await createApp(org, body);
  await grant(id);
  return (await org.admin.get(`${APPS}/${id}`)).body;
}

const changed = (app: App, settings: Given, credentials: Given = {}): Given => ({
  ...app,
  credentials: { ...app.credentials, oauthClient: { ...app.credentials.oauthClient, ...credentials } },
  settings: { ...app.settings, oauthClient: { ...app.settings.oauthClient, ...settings } },
});

/** Requests, as method, path and body, that change the client's OAuth settings or credentials. */
const WAYS: Readonly<Record<string, (app: App) => readonly [string, string, unknown]>> = {
  'another redirect URI': (app) => put(app, { redirect_uris: ['https://evil.example.com/cb'] }),
  wildcards: (app) => put(app, { redirect_uris: ['https://*.example.com/cb'], wildcard_redirect: 'SUBDOMAIN' }),
  'tokens in the address': (app) =>
    put(app, { grant_types: ['authorization_code', 'implicit'], response_types: ['code', 'token'] }),
  'the password grant': (app) => put(app, { grant_types: ['authorization_code', 'password'] }),
  'no user flow': (app) => put(app, { grant_types: ['client_credentials'], response_types: ['token'] }),
  'no proof of itself': (app) => put(app, {}, { token_endpoint_auth_method: 'none', pkce_required: true }),
  'no PKCE': (app) => put(app, {}, { pkce_required: !app.credentials.oauthClient.pkce_required }),
  'another secret by PUT': (app) => put(app, {}, { client_secret: 'a1B2'.repeat(16) }),
  'an address of keys': (app) => put(app, { jwks_uri: 'https://evil.example.com/jwks' }),
  'keys by PUT': (app) => put(app, { jwks: { keys: [newPublicJwk('evil')] } }),
  'another secret': ({ id }) => ['POST', `${APPS}/${id}/credentials/secrets`, {}],
  'another key': ({ id }) => ['POST', `${APPS}/${id}/credentials/jwks`, newPublicJwk('evil')],
  'a new secret by registration': ({ id }) => ['POST', `${CLIENTS}/${id}/lifecycle/newSecret`, undefined],
  'a replacement by registration': ({ id }) => [
    'PUT',
    `${CLIENTS}/${id}`,
    {
      client_id: id,
      client_name: 'App',
      application_type: 'web',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: ['https://evil.example.com/cb'],
    },
  ],
};

function put(app: App, settings: Given, credentials: Given = {}): readonly [string, string, unknown] {
  return ['PUT', `${APPS}/${app.id}`, changed(app, settings, credentials)];
}

const stateOf = async ({ id }: App) =>
  Promise.all(
    ['', '/credentials/secrets', '/credentials/jwks'].map(
      async (path) => (await org.admin.get(`${APPS}/${id}${path}`)).body,
    ),
  );

describe('an app whose users can be given scopes of the API', () => {
  test.each(Object.keys(WAYS))('gets %s from nobody who could not grant them', async (way) => {
    const app = await withApiScopes();
    const before = await stateOf(app);
    const [method, path, body] = WAYS[way]?.(app) ?? [];
    for (const role of WEAKER) {
      const caller = await org.withRoles(role);
      expect(await caller.send(method ?? '', path ?? '', { body }), role).toMatchObject(FORBIDDEN);
    }
    expect(await stateOf(app)).toEqual(before);
  });

  test.each(Object.keys(WAYS))('gets %s from a super administrator', async (way) => {
    const app = await withApiScopes();
    const [method, path, body] = WAYS[way]?.(app) ?? [];
    const { status, text } = await org.admin.send(method ?? '', path ?? '', { body });
    expect([200, 201], text).toContain(status);
  });

  test('has secrets that only a super administrator sees', async () => {
    const app = await withApiScopes();
    const path = `${APPS}/${app.id}/credentials/secrets`;
    for (const role of WEAKER) {
      const [shown] = (await (await org.withRoles(role)).get(path)).body;
      expect(shown.id).toBeTruthy();
      expect(shown).not.toHaveProperty('client_secret');
    }
    expect((await org.admin.get(path)).body[0].client_secret).toMatch(/^[\w-]{64}$/);
  });

  test.each(WEAKER)('is still renamed, hidden and stopped by %s', async (role) => {
    const app = await withApiScopes();
    const caller = await org.withRoles(role);
    const shown = (await caller.get(`${APPS}/${app.id}`)).body;
    const visibility = { ...shown.visibility, hide: { iOS: true, web: true } };
    const body = { ...shown, label: 'Renamed', visibility };
    const answer = await caller.put(`${APPS}/${app.id}`, { body });
    expect(answer).toMatchObject({ status: 200, body: { label: 'Renamed', visibility } });
    expect(answer.body.settings).toEqual(app.settings);
    expect(await caller.post(`${APPS}/${app.id}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    expect(await caller.del(`${APPS}/${app.id}`)).toMatchObject({ status: 204 });
  });

  test('with keys is renamed when they come back as they were shown', async () => {
    const keys = { jwks: { keys: [newPublicJwk('one')] } };
    const app = await withApiScopes(webApp(keys, { token_endpoint_auth_method: 'private_key_jwt' }));
    const caller = await org.withRoles('ORG_ADMIN');
    const shown = (await caller.get(`${APPS}/${app.id}`)).body;
    const answer = await caller.put(`${APPS}/${app.id}`, { body: { ...shown, label: 'Renamed' } });
    expect(answer).toMatchObject({ status: 200, body: { label: 'Renamed' } });
    const less = changed(shown, { jwks: { keys: [] }, jwks_uri: 'https://evil.example.com/jwks' });
    expect(await caller.put(`${APPS}/${app.id}`, { body: less })).toMatchObject(FORBIDDEN);
  });

  test('is changed again by whoever changes apps, when the last scope is taken', async () => {
    const app = await withApiScopes();
    const caller = await org.withRoles('ORG_ADMIN');
    const [method, path, body] = put(app, { redirect_uris: ['https://other.example.com/cb'] });
    expect(await caller.send(method, path, { body })).toMatchObject(FORBIDDEN);
    const [{ id }] = (await org.admin.get(`${APPS}/${app.id}/grants`)).body;
    expect(await org.admin.del(`${APPS}/${app.id}/grants/${id}`)).toMatchObject({ status: 204 });
    expect(await caller.send(method, path, { body })).toMatchObject({ status: 200 });
  });
});

describe('by another way to manage apps', () => {
  const swapAs = async (callerOf: (app: App) => Promise<TestClient>) => {
    const app = await withApiScopes();
    const [method, path, body] = put(app, { redirect_uris: ['https://evil.example.com/cb'] });
    return (await callerOf(app)).send(method, path, { body });
  };

  test('a custom role does no more', async () => {
    expect(await swapAs(() => withCustomRole(org, ['apps.manage'], ['/api/v1/apps']))).toMatchObject(FORBIDDEN);
  });

  test('an administrator of this very app neither', async () => {
    const holder = await org.withRoles();
    const roles = `/api/v1/users/${holder.userId}/roles`;
    const { id: roleId } = (await org.admin.post(roles, { body: { type: 'APP_ADMIN' } })).body;
    const narrowed = async ({ id }: App) => {
      const answer = await org.admin.put(`${roles}/${roleId}/targets/catalog/apps/oidc_client/${id}`);
      expect([200, 204], answer.text).toContain(answer.status);
      return holder;
    };
    expect(await swapAs(narrowed)).toMatchObject(FORBIDDEN);
  });

  test('nor a token with every scope of the app, but for a super administrator', async () => {
    const scopes = ['apps.manage', 'users.manage'];
    expect(await swapAs(() => withScopes(service, org, scopes, ['ORG_ADMIN']))).toMatchObject(FORBIDDEN);
    expect(await swapAs(() => withScopes(service, org, scopes, ['SUPER_ADMIN']))).toMatchObject({ status: 200 });
    expect(await swapAs(() => withScopes(service, org, ['apps.manage'], ['SUPER_ADMIN']))).toMatchObject(FORBIDDEN);
  });
});

describe('all other apps are changed as before', () => {
  test.each(Object.keys(WAYS))('one without scopes of the API gets %s', async (way) => {
    const app = await createApp(org);
    const [method, path, body] = WAYS[way]?.((await org.admin.get(`${APPS}/${app.id}`)).body) ?? [];
    const { status, text } = await (await org.withRoles('APP_ADMIN')).send(method ?? '', path ?? '', { body });
    expect([200, 201], text).toContain(status);
  });

  test('a service acts for itself alone: its keys are guarded by its roles', async () => {
    const app = await withApiScopes(serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
    const caller = await org.withRoles('ORG_ADMIN');
    const path = `${APPS}/${app.id}/credentials/jwks`;
    expect(await caller.post(path, { body: newPublicJwk('two') })).toMatchObject({ status: 201 });
  });

  test('but a service with scopes of the API begins to act for users by the same right', async () => {
    const app = await withApiScopes(serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
    const body = changed(app, {
      grant_types: ['client_credentials', 'authorization_code'],
      response_types: ['code', 'token'],
      redirect_uris: ['https://evil.example.com/cb'],
    });
    for (const role of WEAKER) {
      expect(await (await org.withRoles(role)).put(`${APPS}/${app.id}`, { body })).toMatchObject(FORBIDDEN);
    }
    expect(await org.admin.put(`${APPS}/${app.id}`, { body })).toMatchObject({ status: 200 });
  });
});
