import { describe, expect, test } from 'vitest';
import { APPS, newPublicJwk } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

// Unknown members are ignored (RFC 7591 2), and clients cannot register administrators' settings (ADR 0040).

const CLIENTS = '/oauth2/v1/clients';

const { org } = useService();

type Given = Readonly<Record<string, unknown>>;

const WEB: Given = {
  client_name: 'Client',
  application_type: 'web',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: ['https://app.example.com/cb'],
};

async function register(given: Given = {}) {
  const { body, status, text } = await org.admin.post(CLIENTS, { body: { ...WEB, ...given } });
  expect(status, text).toBe(201);
  return body;
}

const settingsOf = async (id: string) => (await org.admin.get(`${APPS}/${id}`)).body.settings.oauthClient;

const replace = (id: string, given: Given = {}) =>
  org.admin.put(`${CLIENTS}/${id}`, { body: { ...WEB, client_id: id, ...given } });

/** Members that a registration ignores, with valid and invalid values. */
const SETTINGS: readonly (readonly [string, unknown])[] = [
  ['consent_method', 'TRUSTED'],
  ['consent_method', 7],
  ['wildcard_redirect', 'SUBDOMAIN'],
  ['issuer_mode', 'DYNAMIC'],
  ['participate_slo', true],
  ['refresh_token', { rotation_type: 'STATIC', leeway: 1_000_000_000 }],
  ['refresh_token', 'never'],
  ['idp_initiated_login', { mode: 'DISABLED', default_scope: 5 }],
  ['sector_identifier_uri', 'https://app.example.com/sector'],
  ['subject_type', 'pairwise'],
  ['backchannel_custom_authenticator_id', 5],
  ['toString', 'x'],
];

describe('a member that is no metadata', () => {
  test.each(SETTINGS)('%s: %j is not registered', async (name, value) => {
    const [plain, made] = [await register(), await register({ [name]: value })];
    expect(await settingsOf(made.client_id)).toEqual(await settingsOf(plain.client_id));
  });

  test.each(SETTINGS)('%s: %j is not replaced', async (name, value) => {
    const { client_id: id } = await register();
    const before = await settingsOf(id);
    expect(await replace(id, { [name]: value })).toMatchObject({ status: 200 });
    expect(await settingsOf(id)).toEqual(before);
    expect(await replace(id)).toMatchObject({ status: 200 });
  });

  test('does not turn on wildcards beside an address that has one', async () => {
    const given = { wildcard_redirect: 'SUBDOMAIN', redirect_uris: ['https://*.example.com/cb'] };
    const refused = { status: 400, body: { error: 'invalid_redirect_uri' } };
    expect(await org.admin.post(CLIENTS, { body: { ...WEB, ...given } })).toMatchObject(refused);
    expect(await replace((await register()).client_id, given)).toMatchObject(refused);
  });
});

/** Changes settings of a client's app through the apps API, as an administrator does. */
async function decided(id: string, oauthClient: Given): Promise<void> {
  const { body } = await org.admin.get(`${APPS}/${id}`);
  const settings = { ...body.settings, oauthClient: { ...body.settings.oauthClient, ...oauthClient } };
  const answer = await org.admin.put(`${APPS}/${id}`, { body: { ...body, settings } });
  expect(answer.status, answer.text).toBe(200);
}

describe('a replacement', () => {
  test('loses nothing of what administrators decided, whatever it says', async () => {
    const { client_id: id } = await register();
    const ours = {
      consent_method: 'REQUIRED',
      issuer_mode: 'DYNAMIC',
      wildcard_redirect: 'SUBDOMAIN',
      participate_slo: true,
      refresh_token: { rotation_type: 'ROTATE', leeway: 5 },
      subject_type: 'pairwise',
      sector_identifier_uri: 'https://app.example.com/sector',
    };
    await decided(id, ours);
    expect(await replace(id)).toMatchObject({ status: 200 });
    expect(await settingsOf(id)).toMatchObject(ours);
    expect(await replace(id, { consent_method: 'TRUSTED', subject_type: 'public' })).toMatchObject({ status: 200 });
    expect(await settingsOf(id)).toMatchObject(ours);
  });

  test.each([{}, { dpop_bound_access_tokens: null }])('that does not speak of binding keeps it: %j', async (given) => {
    const { client_id: id } = await register({ dpop_bound_access_tokens: true });
    expect(await replace(id, given)).toMatchObject({ status: 200, body: { dpop_bound_access_tokens: true } });
    expect(await settingsOf(id)).toMatchObject({ dpop_bound_access_tokens: true });
  });

  test('that says no binding ends it, and one that rules it out is told so', async () => {
    const { client_id: id } = await register({ dpop_bound_access_tokens: true });
    const implicit = { grant_types: ['authorization_code', 'implicit'], response_types: ['code', 'token'] };
    expect(await replace(id, implicit)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect(await replace(id, { dpop_bound_access_tokens: false })).toMatchObject({ status: 200 });
    expect(await settingsOf(id)).toMatchObject({ dpop_bound_access_tokens: false });
    expect(await replace(id, implicit)).toMatchObject({ status: 200 });
  });

  const byKeys = { token_endpoint_auth_method: 'private_key_jwt' };
  const uri = { jwks_uri: 'https://app.example.com/jwks' };

  test.each([{}, { jwks_uri: null }, { jwks: null }])(
    'that does not speak of keys keeps where they are: %j',
    async (given) => {
      const { client_id: id } = await register({ ...byKeys, ...uri });
      expect(await replace(id, { ...byKeys, ...given })).toMatchObject({ status: 200, body: uri });
      expect(await settingsOf(id)).toMatchObject(uri);
    },
  );

  test('that brings keys, or another address, says where they are now', async () => {
    const { client_id: id } = await register({ ...byKeys, ...uri });
    const other = { jwks_uri: 'https://app.example.com/other' };
    expect(await replace(id, { ...byKeys, ...other })).toMatchObject({ status: 200, body: other });
    const jwks = { keys: [newPublicJwk('one')] };
    const replaced = await replace(id, { ...byKeys, jwks });
    expect(replaced).toMatchObject({ status: 200, body: { jwks } });
    expect(replaced.body).not.toHaveProperty('jwks_uri');
  });
});

test('a client that asks users who are elsewhere is registered (CIBA Core 4)', async () => {
  const ciba = {
    grant_types: ['authorization_code', 'urn:openid:params:grant-type:ciba'],
    response_types: ['code'],
    backchannel_token_delivery_mode: 'poll',
    backchannel_authentication_request_signing_alg: 'ES256',
  };
  const shown = await register(ciba);
  expect(shown).toMatchObject(ciba);
  expect((await org.admin.get(`${CLIENTS}/${shown.client_id}`)).body).toMatchObject(ciba);
  const { response_types: _, ...settings } = ciba;
  expect(await settingsOf(shown.client_id)).toMatchObject(settings);
});
