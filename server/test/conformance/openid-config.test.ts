import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ALL_RESPONSES, AUTHORIZE, ask, assign, newOidcApp, posted } from '../support/authorization.ts';
import { answerTo, describeProfile, openWorld, row, tokensTo, unmet } from '../support/conformance.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { postForm } from '../support/service-apps.ts';
import { payloadOf } from '../support/user-tokens.ts';

// This file tests requirements of OpenID Connect Discovery 1.0 for the Config OP profile.

const world = openWorld();
const PATH = '/.well-known/openid-configuration';

const document = async (path = PATH) => (await world().org.anonymous.get(path)).body;
const listOf = async (name: string): Promise<readonly string[]> => (await document())[name];

const pathOf = async (name: string): Promise<string> => new URL((await document())[name]).pathname;

const isAddress = (name: string) =>
  row('3', `${name} is an address by https, of the issuer`, async () => {
    const { [name]: address, issuer } = await document();
    expect(new URL(address)).toMatchObject({ protocol: 'https:', origin: new URL(issuer).origin, hash: '' });
  });

const answers = (name: string) =>
  row('3', `${name} answers`, async () => {
    const { status } = await postForm(world().org.anonymous, await pathOf(name), { token: 'x' });
    expect([400, 401]).toContain(status);
  });

const DOCUMENT = [
  row('4.1', 'it is at the issuer with the well-known path behind it', async () => {
    expect((await document()).issuer + PATH).toBe(world().org.baseUrl + PATH);
  }),
  row('4.1', 'with a path in the issuer too: a custom server has its own', async () => {
    const server = await newCustomServer(world().org);
    expect(await document(new URL(server.issuer).pathname + PATH)).toMatchObject({ issuer: server.issuer });
  }),
  row('RFC 8414 3.1', 'that of OAuth is at the issuer too, before its path where it has one', async () => {
    const well = '/.well-known/oauth-authorization-server';
    const { issuer } = await newCustomServer(world().org);
    expect(await document(well + new URL(issuer).pathname)).toMatchObject({ issuer });
    expect(await document(well)).toMatchObject({ issuer: world().org.baseUrl });
  }),
  row('4.2', 'it is 200 and JSON', async () => {
    const { headers, status } = await world().org.anonymous.get(PATH);
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
  }),
  row('4.2', 'nothing in it is empty', async () => {
    const members = Object.values(await document());
    expect(members.filter((value) => value === '' || (Array.isArray(value) && value.length === 0))).toEqual([]);
  }),
  row('4.3', 'issuer is the iss of ID tokens, without query and fragment', async () => {
    const { issuer } = await document();
    const { id_token: token } = await tokensTo(world());
    expect(payloadOf(token).iss).toBe(issuer);
    expect(new URL(issuer)).toMatchObject({ protocol: 'https:', search: '', hash: '', pathname: '/' });
  }),
  ...[
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'registration_endpoint',
    'end_session_endpoint',
    'introspection_endpoint',
    'revocation_endpoint',
    'pushed_authorization_request_endpoint',
  ].map(isAddress),
  ...[
    'token_endpoint',
    'userinfo_endpoint',
    'introspection_endpoint',
    'revocation_endpoint',
    'pushed_authorization_request_endpoint',
  ].map(answers),
  row('3', 'authorization_endpoint answers', async () => {
    expect(await pathOf('authorization_endpoint')).toBe(AUTHORIZE);
    expect(await answerTo(world())).toHaveProperty('code');
  }),
  row('3', 'end_session_endpoint answers', async () => {
    expect((await world().org.anonymous.get(await pathOf('end_session_endpoint'))).status).toBe(200);
  }),
  row('3', 'registration_endpoint answers', async () => {
    const body = { client_name: 'x', redirect_uris: ['https://app.example/cb'] };
    expect([401, 403]).toContain(
      (await world().org.anonymous.post(await pathOf('registration_endpoint'), { body })).status,
    );
  }),
  row('3', 'subject_types_supported', async () => expect(await listOf('subject_types_supported')).toEqual(['public'])),
  row('3', 'id_token_signing_alg_values_supported has RS256, and not none', async () => {
    const names = await listOf('id_token_signing_alg_values_supported');
    expect([names.includes('RS256'), names.includes('none')]).toEqual([true, false]);
  }),
  row('3', 'no endpoint takes assertions without a signature', async () => {
    const lists = Object.entries(await document()).filter(([name]) =>
      name.endsWith('_auth_signing_alg_values_supported'),
    );
    expect(lists.length).toBeGreaterThan(0);
    expect(JSON.stringify(lists)).not.toContain('none');
  }),
  row('3', 'scopes_supported has openid', async () => expect(await listOf('scopes_supported')).toContain('openid')),
  row('3', 'claims_supported has what ID tokens say', async () => {
    const { id_token: token } = await tokensTo(world(), { nonce: 'n', scope: 'openid profile email' });
    const extra = Object.keys(payloadOf(token)).filter((name) => name !== 'sid');
    expect(await listOf('claims_supported')).toEqual(expect.arrayContaining(extra));
  }),
  row('3', 'request_uri is said not to be supported, as it counts as supported where nothing is said', async () => {
    expect(await document()).toMatchObject({
      request_uri_parameter_supported: false,
      request_parameter_supported: true,
    });
  }),
];

const SUPPORTED = [
  row('3', 'each of response_types_supported is served', async () => {
    const { browser, org } = world();
    const app = await newOidcApp(org, { settings: ALL_RESPONSES });
    await assign(org, app, browser.userId);
    const types = await listOf('response_types_supported');
    expect(types).toEqual(expect.arrayContaining(['code', 'id_token', 'id_token token']));
    for (const type of types) {
      const response = await ask(browser.client, app, { response_type: type, response_mode: 'form_post', nonce: 'n' });
      const names = type.split(' ').map((part) => (part === 'token' ? 'access_token' : part));
      expect(Object.keys(posted(response).parameters)).toEqual(expect.arrayContaining(names));
    }
  }),
  row('3', 'each of response_modes_supported is served', async () => {
    const { app, browser } = world();
    for (const mode of await listOf('response_modes_supported')) {
      const { headers, text } = await ask(browser.client, app, { response_mode: mode });
      expect(`${String(headers['location'])}${text}`).toMatch(/code=|"code"/);
    }
  }),
  row('3', 'each of grant_types_supported is known, and nothing else', async () => {
    const send = async (type: string) =>
      (await postForm(world().org.anonymous, await pathOf('token_endpoint'), { grant_type: type })).body.error;
    const types = (await listOf('grant_types_supported')).filter((type) => type !== 'implicit');
    for (const type of types) expect([type, await send(type)]).not.toEqual([type, 'unsupported_grant_type']);
    expect(await send('urn:example:other')).toBe('unsupported_grant_type');
  }),
  row('3', 'each of token_endpoint_auth_methods_supported can be registered', async () => {
    const given = {
      private_key_jwt: { settings: { jwks_uri: 'https://app.example/keys' } },
      none: { applicationType: 'browser' },
    };
    for (const authMethod of await listOf('token_endpoint_auth_methods_supported')) {
      const more = authMethod === 'private_key_jwt' || authMethod === 'none' ? given[authMethod] : {};
      expect(await newOidcApp(world().org, { authMethod, ...more })).toHaveProperty('id');
    }
  }),
  row('3', 'each of prompt_values_supported is understood', async () => {
    const { app, browser } = world();
    for (const prompt of await listOf('prompt_values_supported')) {
      expect(String((await ask(browser.client, app, { prompt })).headers['location'])).not.toContain('error=');
    }
  }),
  row('3', 'each of acr_values_supported is understood', async () => {
    for (const value of await listOf('acr_values_supported')) {
      expect(await answerTo(world(), { acr_values: value, state: randomUUID() })).toHaveProperty('code');
    }
  }),
];

const KEYS = [
  row('3', 'jwks_uri has RSA keys that sign, each with a kid of its own', async () => {
    const { keys } = await document(await pathOf('jwks_uri'));
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys)
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: expect.any(String) });
    expect(new Set(keys.map(({ kid }: { kid: string }) => kid)).size).toBe(keys.length);
  }),
  row('3', 'jwks_uri has no private half', async () => {
    const { keys } = await document(await pathOf('jwks_uri'));
    const names = keys.flatMap((key: object) => Object.keys(key));
    expect(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].filter((name) => names.includes(name))).toEqual([]);
  }),
];

const NOT_MET = [
  unmet(
    '2.1',
    'WebFinger tells the issuer of an account',
    'it routes sign-ins to providers, in the contract’s shape',
    async () => {
      const rel = encodeURIComponent('http://openid.net/specs/connect/1.0/issuer');
      const query = `resource=acct:ada@example.com&rel=${rel}`;
      const { body } = await world().org.anonymous.get(`/.well-known/webfinger?${query}`);
      expect(body.links).toMatchObject([{ href: world().org.baseUrl }]);
    },
  ),
];

describeProfile('OpenID Connect Discovery: document', DOCUMENT, NOT_MET);
describeProfile('OpenID Connect Discovery: what is announced works', SUPPORTED);
describeProfile('OpenID Connect Discovery: keys', KEYS);
