import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { APPS, invalidField, webApp } from '../support/apps.ts';
import { assign } from '../support/authorization.ts';
import {
  allowedRequest,
  askUser,
  BACKCHANNEL,
  CIBA_GRANT,
  newBackchannelApp,
  pollRequest,
  startRequest,
  waitingOf,
} from '../support/backchannel.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { DEVICE_GRANT, newDeviceUser, poll, startDevice } from '../support/devices.ts';
import { claimsOf, newServiceApp, newTestKey, type ServiceApp, signAssertion } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { requestTokens } from '../support/user-tokens.ts';

// This file tests the refusals that clients get in backchannel authentication (CIBA Core 1.0).

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newBackchannelApp(org));
const user = beforeTests(() => newDeviceUser(service, org, app));

const INVALID = { status: 400, body: { error: 'invalid_grant' } };
const UNKNOWN = {
  status: 400,
  body: {
    error: 'invalid_request',
    error_description: 'The hint provided in the request did not match a user assigned to the client app.',
  },
};

describe('a request does not begin', () => {
  test.each([
    ['without scopes', { scope: undefined }, 'invalid_scope'],
    ['without openid', { scope: 'email' }, 'invalid_scope'],
    ['with a scope that nobody has', { scope: 'openid nobodys' }, 'invalid_scope'],
    ['with one that the app was not given', { scope: 'openid svc.users.read' }, 'invalid_scope'],
    ['with two hints', { id_token_hint: 'x' }, 'invalid_request'],
    ['without a hint', { login_hint: undefined }, 'invalid_request'],
    ['with a hint of a third party', { login_hint_token: 'x' }, 'invalid_request'],
    ['with a message of two lines', { binding_message: 'one\ntwo' }, 'invalid_binding_message'],
    ['with a message that is too long', { binding_message: 'x'.repeat(101) }, 'invalid_binding_message'],
    ['with no time to answer', { requested_expiry: '0' }, 'invalid_request'],
  ])('%s', async (_, form, error) => {
    const refused = await askUser(org, app, { login_hint: user.login, ...form });
    expect(refused).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) } });
    expect(await waitingOf(user)).toEqual([]);
  });

  test('with a level that nobody here reaches', async () => {
    const refused = await askUser(org, app, { login_hint: user.login, acr_values: 'phr' });
    expect(refused).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  });

  test('for users that cannot be asked, whoever they are: one answer', async () => {
    const stranger = await newDeviceUser(service, org, null);
    const hints = ['nobody@example.com', stranger.login, 'ä\u202E', '00u'];
    for (const login_hint of hints) expect(await askUser(org, app, { login_hint })).toMatchObject(UNKNOWN);
    const reason = 'ciba_request_unknown_user_id';
    const events = await org.systemLog(`actor.id eq "${app.id}" and outcome.reason eq "${reason}"`);
    expect(events).toHaveLength(hints.length);
    for (const event of events) expect(event.target).toHaveLength(1);
  });

  test('by an ID token that is none, another app’s, or another server’s', async () => {
    const other = await newBackchannelApp(org);
    await assign(org, other, user.userId);
    const theirs = await pollRequest(org, other, await allowedRequest(org, other, user));
    const ours = await pollRequest(org, app, await allowedRequest(org, app, user));
    const server = await newCustomServer(org, { grantTypes: [CIBA_GRANT] });
    for (const hint of ['x', theirs.body.id_token, ours.body.access_token]) {
      expect(await askUser(org, app, { id_token_hint: hint })).toMatchObject(UNKNOWN);
    }
    const sent = { path: `${server.oauth}/v1/bc/authorize` };
    expect(await askUser(org, app, { id_token_hint: ours.body.id_token }, sent)).toMatchObject(UNKNOWN);
  });

  test('for a client that does not prove who it is, which hears nothing of the user', async () => {
    const wrong = [
      { id: 'nobody', label: '', secret: undefined },
      { ...app, secret: 'x' },
      { ...app, secret: undefined },
    ];
    for (const client of wrong) {
      const [known, unknown] = await Promise.all(
        [user.login, 'nobody@example.com'].map((login_hint) => askUser(org, client, { login_hint })),
      );
      expect(known).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      expect(unknown).toMatchObject({ status: 401, body: known?.body });
    }
  });

  test('for an app that was not given the grant; the log says so', async () => {
    const other = await newBackchannelApp(org, { settings: { grant_types: ['authorization_code'] } });
    const refused = await askUser(org, other, { login_hint: user.login });
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const [event] = await org.systemLog(`target.id eq "${other.id}" and eventType eq "app.oauth2.authorize_failure"`);
    expect(event).toMatchObject({ outcome: { reason: 'ciba_request_grant_type_not_configured' } });
    const polled = await pollRequest(org, other, await startRequest(org, app, user));
    expect(polled).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test.each([
    ['native', 'none'],
    ['browser', 'none'],
    ['service', 'private_key_jwt'],
    ['web', 'none'],
  ])('for an app of type %s by %s: it cannot have the grant', async (type, method) => {
    const settings = { application_type: type, grant_types: ['client_credentials', CIBA_GRANT] };
    const given = type === 'service' ? settings : { ...settings, grant_types: ['authorization_code', CIBA_GRANT] };
    const body = webApp(given, { token_endpoint_auth_method: method, pkce_required: true });
    expect(await org.admin.post(APPS, { body })).toMatchObject(invalidField('settings.oauthClient.grant_types'));
  });

  test.each(['ping', 'push'])('is not told by %s: only polling is there', async (mode) => {
    const body = webApp({ backchannel_token_delivery_mode: mode });
    const refused = await org.admin.post(APPS, { body });
    expect(refused).toMatchObject(invalidField('settings.oauthClient.backchannel_token_delivery_mode'));
  });

  test('with parameters in its address, where logs would keep them', async () => {
    const path = `${BACKCHANNEL}?login_hint=${encodeURIComponent(user.login)}`;
    const answer = await askUser(org, app, {}, { path });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('at a server that is not there', async () => {
    const sent = { path: '/oauth2/ausnowhere/v1/bc/authorize' };
    const answer = await askUser(org, app, { login_hint: user.login }, sent);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('a poll gets nothing', () => {
  test('without an id, or with one that is nobody’s', async () => {
    const missing = await requestTokens(org, app, { grant_type: CIBA_GRANT });
    expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    for (const authReqId of ['x', 'x'.repeat(43), 'ä', 'x'.repeat(5_000)]) {
      expect(await pollRequest(org, app, { authReqId })).toMatchObject(INVALID);
    }
  });

  test('by another app, at another server, or in another org; and it stays its own', async () => {
    const own = await newDeviceUser(service, org, app);
    const request = await allowedRequest(org, app, own);
    const server = await newCustomServer(org, { grantTypes: [CIBA_GRANT] });
    const elsewhere = await service.newOrg();
    expect(await pollRequest(org, await newBackchannelApp(org), request)).toMatchObject(INVALID);
    expect(await pollRequest(org, app, request, { path: `${server.oauth}/v1/token` })).toMatchObject(INVALID);
    expect(await pollRequest(elsewhere, await newBackchannelApp(elsewhere), request)).toMatchObject(INVALID);
    expect((await pollRequest(org, app, request)).status).toBe(200);
  });

  test('as a device, nor a device as a request', async () => {
    const both = await newBackchannelApp(org, {
      settings: { grant_types: ['authorization_code', DEVICE_GRANT, CIBA_GRANT] },
    });
    const own = await newDeviceUser(service, org, both);
    const { authReqId } = await allowedRequest(org, both, own);
    const { deviceCode } = await startDevice(org, both);
    expect(await poll(org, both, { deviceCode: authReqId })).toMatchObject(INVALID);
    expect(await pollRequest(org, both, { authReqId: deviceCode })).toMatchObject(INVALID);
  });

  test('with its id in the address', async () => {
    const request = await startRequest(org, app, await newDeviceUser(service, org, app));
    const path = `/oauth2/v1/token?auth_req_id=${request.authReqId}`;
    expect(await pollRequest(org, app, request, { path })).toMatchObject({ body: { error: 'invalid_request' } });
  });
});

describe('a signed request', () => {
  const key = newTestKey('ES256');
  const keyed = beforeTests(() => newKeyed({ backchannel_authentication_request_signing_alg: 'ES256' }));
  const own = beforeTests(() => newDeviceUser(service, org, keyed));

  const newKeyed = (settings: Readonly<Record<string, unknown>>): Promise<ServiceApp> =>
    newServiceApp(org, {
      key,
      scopes: [],
      applicationType: 'web',
      authMethod: 'private_key_jwt',
      settings: { grant_types: ['authorization_code', CIBA_GRANT], ...settings },
    });

  const claims = (by: ServiceApp, changes: Readonly<Record<string, unknown>> = {}) =>
    claimsOf(org, by.id, org.now(), {
      aud: org.baseUrl,
      jti: randomUUID(),
      scope: 'openid',
      login_hint: own.login,
      ...changes,
    });

  async function send(
    by: ServiceApp,
    form: Readonly<Record<string, string>>,
    aud = BACKCHANNEL,
  ): Promise<TestResponse> {
    const proof = claimsOf(org, by.id, org.now(), { aud: org.baseUrl + aud });
    const client = { id: by.id, label: '', secret: undefined };
    return requestTokens(
      org,
      client,
      {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signAssertion(key, proof),
        ...form,
      },
      { path: BACKCHANNEL },
    );
  }

  test('begins, whichever address its client’s proof is for', async () => {
    for (const aud of [BACKCHANNEL, '/oauth2/v1/token', '']) {
      const request = await signAssertion(key, claims(keyed, { requested_expiry: 30, binding_message: 'X1' }));
      expect(await send(keyed, { request }, aud)).toMatchObject({ status: 200, body: { expires_in: 30 } });
    }
    service.clock.advance(31_000);
  });

  test('is good once', async () => {
    const request = await signAssertion(key, claims(keyed));
    expect((await send(keyed, { request })).status).toBe(200);
    const again = await send(keyed, { request });
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_request_object' } });
  });

  const hour = 3_600;
  const seconds = () => Math.floor(org.now().getTime() / 1_000);

  test.each<[string, () => Promise<string>]>([
    ['by another key', async () => signAssertion(newTestKey('ES256'), claims(keyed), { kid: key.kid })],
    ['of another issuer', async () => signAssertion(key, claims(keyed, { iss: app.id }))],
    ['for another audience', async () => signAssertion(key, claims(keyed, { aud: 'https://other.example' }))],
    ['that is over', async () => signAssertion(key, claims(keyed, { exp: seconds() - 1 }))],
    ['for more than an hour', async () => signAssertion(key, claims(keyed, { exp: seconds() + hour + 60 }))],
    ['with a number for a text', async () => signAssertion(key, claims(keyed, { login_hint: 7 }))],
    ['that is no token', async () => 'x'],
  ])('%s is refused', async (_, request) => {
    const answer = await send(keyed, { request: await request() });
    expect([400, 401]).toContain(answer.status);
    expect(answer.body.error).toMatch(/^invalid_(request_object|request|client)$/);
  });

  test('stands alone', async () => {
    const request = await signAssertion(key, claims(keyed));
    const answer = await send(keyed, { request, scope: 'openid' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('is the only one of a client that is registered to sign, and none of another', async () => {
    const unsigned = await send(keyed, { scope: 'openid', login_hint: own.login });
    expect(unsigned).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const plain = await newKeyed({});
    const request = await signAssertion(key, claims(plain));
    expect(await send(plain, { request })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
