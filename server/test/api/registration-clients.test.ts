import { describe, expect, test } from 'vitest';
import { APPS, createApp, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';

const CLIENTS = '/oauth2/v1/clients';
const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

const { service, org } = useService();

type Given = Readonly<Record<string, unknown>>;

/** The contract's example of a web client. */
const WEB: Given = {
  client_name: 'Example OAuth 2.0 client',
  client_uri: 'https://www.example.com',
  logo_uri: 'https://www.example.com/logo.png',
  application_type: 'web',
  redirect_uris: ['https://www.example.com/oauth2/redirectUri'],
  post_logout_redirect_uris: ['https://www.example.com/oauth2/postLogoutRedirectUri'],
  response_types: ['code', 'id_token'],
  grant_types: ['authorization_code', 'refresh_token', 'implicit'],
  token_endpoint_auth_method: 'client_secret_post',
  initiate_login_uri: 'https://www.example.com/oauth2/login',
};

async function register(given: Given = {}, client = org.admin) {
  const { body, status, text } = await client.post(CLIENTS, { body: { ...WEB, ...given } });
  if (status !== 201) throw new Error(`not registered: ${text}`);
  return body;
}

function replacement(shown: Given, given: Given = {}): Given {
  const { client_id_issued_at: _issued, client_secret_expires_at: _expires, ...rest } = shown;
  return { ...rest, ...given };
}

describe('a client is registered', () => {
  test('as the contract shows it, with its secret once', async () => {
    const answer = await org.admin.post(CLIENTS, { body: WEB });
    expect(answer).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
    const { client_id: id, client_secret: secret, ...shown } = answer.body;
    const issuedAt = Number(shown.client_id_issued_at);
    expect(shown).toEqual({ ...WEB, client_id_issued_at: issuedAt, client_secret_expires_at: 0 });
    expect(Math.abs(issuedAt - org.now().getTime() / 1_000)).toBeLessThan(30);
    expect(secret).toMatch(/^[\w-]{64}$/);
    const again = await org.admin.get(`${CLIENTS}/${id}`);
    expect(again).toMatchObject({ status: 200, body: { client_id: id, ...shown } });
    expect(again.text).not.toContain(secret);
    expect((await org.admin.get(CLIENTS)).text).not.toContain(secret);
  });

  test('is an app whose users are asked for their consent', async () => {
    const { client_id: id, client_secret: secret } = await register({ consent_method: 'TRUSTED' });
    const app = await org.admin.get(`${APPS}/${id}`);
    expect(app).toMatchObject({
      status: 200,
      body: { name: 'oidc_client', label: WEB['client_name'], status: 'ACTIVE', signOnMode: 'OPENID_CONNECT' },
    });
    expect(app.body.settings.oauthClient).toMatchObject({ consent_method: 'REQUIRED' });
    const raw = new URLSearchParams({ token: 'x', client_id: id, client_secret: secret }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await org.anonymous.post('/oauth2/v1/introspect', { raw, headers })).toMatchObject({
      status: 200,
      body: { active: false },
    });
  });

  test('by its keys, here or at an address, without a secret', async () => {
    const jwk = newPublicJwk('key1');
    const machine = { client_name: 'Service', application_type: 'service', grant_types: ['client_credentials'] };
    const method = { response_types: ['token'], token_endpoint_auth_method: 'private_key_jwt' };
    const here = await org.admin.post(CLIENTS, { body: { ...machine, ...method, jwks: { keys: [jwk] } } });
    expect(here).toMatchObject({ status: 201, body: { jwks: { keys: [jwk] }, redirect_uris: [], client_uri: null } });
    expect(here.body).not.toHaveProperty('client_secret');
    expect(here.body).not.toHaveProperty('client_secret_expires_at');
    const uri = 'https://www.example.com/oauth2/jwks-uri';
    const there = await org.admin.post(CLIENTS, { body: { ...machine, ...method, jwks_uri: uri } });
    expect(there).toMatchObject({ status: 201, body: { jwks_uri: uri } });
  });

  test('with what it leaves out by default', async () => {
    const body = { client_name: 'Least', redirect_uris: ['https://app.example.com/cb'] };
    expect(await org.admin.post(CLIENTS, { body })).toMatchObject({
      status: 201,
      body: {
        application_type: 'web',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    });
  });

  test('once with an idempotency key, and the secret is not told again', async () => {
    const sent = { body: WEB, headers: { 'idempotency-key': 'register-once' } };
    const [one, two] = [await org.admin.post(CLIENTS, sent), await org.admin.post(CLIENTS, sent)];
    expect(two).toMatchObject({ status: 201, body: { client_id: one.body.client_id } });
    expect(two.body).not.toHaveProperty('client_secret');
  });

  test('and the log says so', async () => {
    const own = await service.newOrg();
    const { client_id: id } = await register({}, own.admin);
    const types = (await own.systemLog(`target.id eq "${id}"`)).map(({ eventType }) => eventType);
    expect(types).toEqual(['application.lifecycle.create', 'application.lifecycle.activate']);
  });
});

describe('clients are listed', () => {
  test('page by page, OAuth clients alone, by the beginning of their names', async () => {
    const own = await service.newOrg();
    const ids = [];
    for (const name of ['Alpha one', 'Alpha two', 'Alpha three', 'Beta']) {
      ids.push((await register({ client_name: name }, own.admin)).client_id);
    }
    await own.admin.post(APPS, {
      body: {
        name: 'bookmark',
        label: 'Alpha link',
        signOnMode: 'BOOKMARK',
        settings: { app: { url: 'https://a.b.c' } },
      },
    });
    const seen: string[] = [];
    let path: string | null = `${CLIENTS}?limit=2&q=Alpha`;
    for (let pages = 0; path !== null && pages < 5; pages += 1) {
      const answer = await own.admin.get(path);
      expect(answer.body.length).toBeLessThanOrEqual(2);
      seen.push(...answer.body.map(({ client_id: id }: { client_id: string }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
      path = next === undefined ? null : next.slice(own.baseUrl.length);
    }
    expect(seen.toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect((await own.admin.get(`${CLIENTS}?q=oidc`)).body).toEqual([]);
    expect((await own.admin.get(CLIENTS)).body).toHaveLength(4);
  });

  test.each(['limit=0', 'after=x'])('not with %s', async (query) => {
    expect(await org.admin.get(`${CLIENTS}?${query}`)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });
});

describe('a client is replaced', () => {
  test('and keeps its secret and what only administrators decide', async () => {
    const made = await register();
    const app = (await org.admin.get(`${APPS}/${made.client_id}`)).body;
    const settings = { ...app.settings, notes: { admin: 'ours', enduser: null } };
    settings.oauthClient = { ...settings.oauthClient, consent_method: 'TRUSTED', issuer_mode: 'DYNAMIC' };
    const visibility = { ...app.visibility, hide: { iOS: true, web: true } };
    const set = await org.admin.put(`${APPS}/${made.client_id}`, { body: { ...app, visibility, settings } });
    expect(set.status, set.text).toBe(200);
    const body = replacement(made, {
      client_name: 'Renamed',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
    const replaced = await org.admin.put(`${CLIENTS}/${made.client_id}`, { body });
    expect(replaced).toMatchObject({ status: 200, body: { client_name: 'Renamed', response_types: ['code'] } });
    const after = (await org.admin.get(`${APPS}/${made.client_id}`)).body;
    expect(after).toMatchObject({ label: 'Renamed', visibility, settings: { notes: { admin: 'ours' } } });
    expect(after.settings.oauthClient).toMatchObject({ consent_method: 'TRUSTED', issuer_mode: 'DYNAMIC' });
    const without = replacement(made, { client_secret: undefined });
    const answer = await org.admin.put(`${CLIENTS}/${made.client_id}`, { body: without });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('client_secret');
  });

  test('loses what the replacement leaves out', async () => {
    const made = await register({ tos_uri: 'https://www.example.com/tos' });
    const body = replacement(made, { tos_uri: null, logo_uri: undefined });
    const replaced = await org.admin.put(`${CLIENTS}/${made.client_id}`, { body });
    expect(replaced).toMatchObject({ status: 200, body: { logo_uri: null } });
    expect(replaced.body).not.toHaveProperty('tos_uri');
  });

  test.each([
    ['without its id', { client_id: undefined }, 'client_id'],
    ["with another's id", { client_id: '0oasomeone' }, 'client_id'],
    ['with a date that is not its to say', { client_id_issued_at: 1 }, 'client_id_issued_at'],
    ['with an end of its secret', { client_secret_expires_at: 0 }, 'client_secret_expires_at'],
    ['with a secret of its choice', { client_secret: 'a'.repeat(64) }, 'client_secret'],
    ['without its grant types', { grant_types: undefined }, 'grant_types'],
    ['without its way to prove itself', { token_endpoint_auth_method: undefined }, 'token_endpoint_auth_method'],
    ['as another type', { application_type: 'native' }, 'application_type'],
  ])('not %s', async (_, given, field) => {
    const made = await register();
    const answer = await org.admin.put(`${CLIENTS}/${made.client_id}`, { body: replacement(made, given) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect(answer.body.error_description).toContain(field);
    const { client_secret: _secret, ...shown } = made;
    expect((await org.admin.get(`${CLIENTS}/${made.client_id}`)).body).toEqual(shown);
  });
});

describe('a new secret', () => {
  test('takes the place of all others', async () => {
    const made = await register();
    await org.admin.post(`${APPS}/${made.client_id}/credentials/secrets`);
    const renewed = await org.admin.post(`${CLIENTS}/${made.client_id}/lifecycle/newSecret`);
    expect(renewed).toMatchObject({ status: 200, body: { client_id: made.client_id, client_secret_expires_at: 0 } });
    expect(renewed.body.client_secret).not.toBe(made.client_secret);
    const secrets = await org.admin.get(`${APPS}/${made.client_id}/credentials/secrets`);
    expect(secrets.body).toHaveLength(1);
    const events = await org.systemLog(`target.id eq "${made.client_id}"`);
    const types = events
      .map(({ eventType }) => eventType)
      .filter((type) => type.includes('credentials'))
      .slice(-3);
    const [gone, born] = ['delete', 'create'].map((end) => `app.oauth2.credentials.lifecycle.${end}`);
    expect(types).toEqual([gone, gone, born]);
  });

  test('is not for a client without one', async () => {
    const { id } = await createApp(org, serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
    expect(await org.admin.post(`${CLIENTS}/${id}/lifecycle/newSecret`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });
});

test('a client is deleted in one step, once, and the log tells both', async () => {
  const { client_id: id } = await register();
  expect(await org.admin.del(`${CLIENTS}/${id}`)).toMatchObject({ status: 204 });
  expect(await org.admin.del(`${CLIENTS}/${id}`)).toMatchObject(NOT_FOUND);
  expect(await org.admin.get(`${APPS}/${id}`)).toMatchObject(NOT_FOUND);
  const types = (await org.systemLog(`target.id eq "${id}"`)).map(({ eventType }) => eventType);
  expect(types.slice(-2)).toEqual(['application.lifecycle.deactivate', 'application.lifecycle.delete']);
});

describe('who may', () => {
  test('a token by its scopes alone', async () => {
    const [registers, reads, manages] = await Promise.all(
      ['clients.register', 'clients.read', 'clients.manage'].map((scope) =>
        withScopes(service, org, [scope], ['SUPER_ADMIN']),
      ),
    );
    const made = await register({}, registers);
    const path = `${CLIENTS}/${made.client_id}`;
    expect(await registers?.get(path)).toMatchObject(FORBIDDEN);
    expect(await reads?.post(CLIENTS, { body: WEB })).toMatchObject(FORBIDDEN);
    expect(await reads?.get(path)).toMatchObject({ status: 200 });
    expect(await reads?.del(path)).toMatchObject(FORBIDDEN);
    expect(await manages?.post(CLIENTS, { body: WEB })).toMatchObject(FORBIDDEN);
    expect(await manages?.get(path)).toMatchObject({ status: 200 });
    expect(await manages?.del(path)).toMatchObject({ status: 204 });
  });

  test('an administrator of apps, no reader, and nobody without a credential', async () => {
    const made = await register();
    const path = `${CLIENTS}/${made.client_id}`;
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const nobody = await org.withRoles();
    expect(await (await org.withRoles('APP_ADMIN')).post(CLIENTS, { body: WEB })).toMatchObject({ status: 201 });
    expect(await reader.get(path)).toMatchObject({ status: 200 });
    for (const client of [reader, nobody]) {
      expect(await client.post(CLIENTS, { body: WEB })).toMatchObject(FORBIDDEN);
      expect(await client.put(path, { body: replacement(made) })).toMatchObject(FORBIDDEN);
      expect(await client.post(`${path}/lifecycle/newSecret`)).toMatchObject(FORBIDDEN);
      expect(await client.del(path)).toMatchObject(FORBIDDEN);
    }
    expect(await org.anonymous.post(CLIENTS, { body: WEB })).toMatchObject({ status: 401 });
  });

  test("nobody reaches another org's, or an app that is no client", async () => {
    const other = await service.newOrg();
    const { client_id: id } = await register({}, other.admin);
    const bookmark = {
      name: 'bookmark',
      label: 'L',
      signOnMode: 'BOOKMARK',
      settings: { app: { url: 'https://a.b.c' } },
    };
    const { id: linkId } = (await org.admin.post(APPS, { body: bookmark })).body;
    for (const path of [`${CLIENTS}/${id}`, `${CLIENTS}/${linkId}`, `${CLIENTS}/0oanobody`]) {
      expect(await org.admin.get(path)).toMatchObject(NOT_FOUND);
      const clientId = path.slice(CLIENTS.length + 1);
      const body = { ...WEB, client_id: clientId };
      expect(await org.admin.put(path, { body })).toMatchObject(NOT_FOUND);
      expect(await org.admin.post(`${path}/lifecycle/newSecret`)).toMatchObject(NOT_FOUND);
      expect(await org.admin.del(path)).toMatchObject(NOT_FOUND);
    }
    expect((await createApp(org, webApp())).id).toBeTruthy();
  });
});
