import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  requestToken,
  type ServiceApp,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
const withKey = beforeTests(() => newServiceApp(org));
let byHeader: ServiceApp;
let byBody: ServiceApp;
let open: ServiceApp;

beforeAll(async () => {
  const web = { applicationType: 'web', scopes: [] };
  byHeader = await newServiceApp(org, { ...web, authMethod: 'client_secret_basic' });
  byBody = await newServiceApp(org, { ...web, authMethod: 'client_secret_post' });
  open = await newServiceApp(org, { applicationType: 'browser', scopes: [], authMethod: 'none' });
});

const ENDPOINTS = ['introspect', 'revoke'] as const;
const now = () => service.clock.now();
const basic = (id: string, secret = '') => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const send = (endpoint: string, parameters: Record<string, string>, headers: Record<string, string> = {}) => {
  const form = new URLSearchParams({ token: 'a-token', ...parameters }).toString();
  return postForm(org.anonymous, `/oauth2/v1/${endpoint}`, form, { headers });
};

const assertionFor = (endpoint: string, app = withKey, changes: Record<string, unknown> = {}) =>
  signAssertion(app.key, claimsOf(org, app.id, now(), { aud: `${org.baseUrl}/oauth2/v1/${endpoint}`, ...changes }));

const presenting = (assertion: string) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertion,
});

describe.each(ENDPOINTS)('clients at /oauth2/v1/%s', (endpoint) => {
  test('prove themselves each in its own way', async () => {
    const answers = [
      await send(endpoint, presenting(await assertionFor(endpoint))),
      await send(endpoint, {}, { authorization: basic(byHeader.id, byHeader.secret) }),
      await send(endpoint, {}, { authorization: basic(byHeader.id, byHeader.secret).replace('Basic', 'bASIC') }),
      await send(endpoint, { client_id: byBody.id, client_secret: byBody.secret ?? '' }),
      await send(endpoint, { client_id: open.id }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('can use an assertion once, and none that was made for another endpoint', async () => {
    const assertion = await assertionFor(endpoint);
    expect((await send(endpoint, presenting(assertion))).status).toBe(200);
    expect(await send(endpoint, presenting(assertion))).toMatchObject({
      status: 401,
      body: { error_description: 'The client_assertion token has already been used.' },
    });
    const other = endpoint === 'revoke' ? 'introspect' : 'revoke';
    expect(await send(endpoint, presenting(await assertionFor(other)))).toMatchObject({
      status: 401,
      body: {
        error: 'invalid_client',
        error_description: 'The audience claim for client_assertion must be the endpoint invoked for the request.',
      },
    });
  });

  test('cannot use an assertion here and at the token endpoint', async () => {
    const jti = `both-${endpoint}`;
    expect((await send(endpoint, presenting(await assertionFor(endpoint, withKey, { jti })))).status).toBe(200);
    const form = tokenForm(await signAssertion(withKey.key, claimsOf(org, withKey.id, now(), { jti })));
    expect((await postForm(org.anonymous, '/oauth2/v1/token', form)).status).toBe(401);
  });

  test.each<[string, string, () => [Record<string, string>, Record<string, string>?]]>([
    ['a wrong secret in the header', 'invalid_client', () => [{}, { authorization: basic(byHeader.id, 'wrong') }]],
    ['a wrong secret in the body', 'invalid_client', () => [{ client_id: byBody.id, client_secret: 'wrong' }]],
    [
      "another client's secret",
      'invalid_client',
      () => [{ client_id: byBody.id, client_secret: byHeader.secret ?? '' }],
    ],
    [
      'the right secret in the wrong place',
      'invalid_client',
      () => [{ client_id: byHeader.id, client_secret: byHeader.secret ?? '' }],
    ],
    ['no secret where one is due', 'invalid_client', () => [{ client_id: byHeader.id }]],
    ['a secret where none is due', 'invalid_client', () => [{ client_id: open.id, client_secret: 'secret' }]],
    ['an unknown client', 'invalid_client', () => [{ client_id: '0oaUnknown0000000000', client_secret: 'a' }]],
    ['nothing', 'invalid_client', () => [{}]],
    ['a token as credential', 'invalid_client', () => [{}, { authorization: `SSWS ${org.adminToken}` }]],
    [
      'two ways at once',
      'invalid_request',
      () => [{ client_id: byHeader.id, client_secret: 's' }, { authorization: basic(byHeader.id, byHeader.secret) }],
    ],
  ])('are refused with %s', async (_, error, given) => {
    const [parameters, headers] = given();
    const response = await send(endpoint, parameters, headers);
    expect(response).toMatchObject({ status: 401, body: { error } });
    expect(response.headers['www-authenticate'] === undefined).toBe(headers === undefined);
  });

  test('are refused when they are inactive', async () => {
    const app = await newServiceApp(org);
    expect((await send(endpoint, presenting(await assertionFor(endpoint, app)))).status).toBe(200);
    await org.admin.post(`/api/v1/apps/${app.id}/lifecycle/deactivate`);
    expect(await send(endpoint, presenting(await assertionFor(endpoint, app)))).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('are refused with credentials in the address', async () => {
    const form = `token=a&client_id=${open.id}`;
    const response = await postForm(org.anonymous, `/oauth2/v1/${endpoint}?client_secret=x`, form);
    expect(response).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        error_description: 'Client credentials cannot be supplied via query parameters.',
      },
    });
  });
});

test('a key that was taken from the client proves nothing any more', async () => {
  const [kept, dropped] = [newTestKey(), newTestKey()];
  const app = await newServiceApp(org, { key: kept, otherKeys: [dropped] });
  expect((await requestToken(org, { ...app, key: dropped }, now())).status).toBe(200);
  const { body } = await org.admin.get(`/api/v1/apps/${app.id}`);
  body.settings.oauthClient.jwks = { keys: [kept.jwk] };
  expect((await org.admin.put(`/api/v1/apps/${app.id}`, { body })).status).toBe(200);
  expect(await requestToken(org, { ...app, key: dropped }, now())).toMatchObject({
    status: 401,
    body: { error_description: 'The client_assertion JWT kid is invalid.' },
  });
  expect((await requestToken(org, app, now())).status).toBe(200);
});
