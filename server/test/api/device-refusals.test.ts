import { describe, expect, test } from 'vitest';
import { APPROVAL_ENDS, APPROVAL_ENDS_OF_SERVERS, expectEnded } from '../support/approval-ends.ts';
import type { OidcApp } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import {
  allowedDevice,
  answerAt,
  answerDevice,
  askDevice,
  DENIED,
  DEVICE_GRANT,
  enterCode,
  locationOf,
  newDeviceApp,
  newDeviceUser,
  poll,
  type StartedDevice,
  startDevice,
} from '../support/devices.ts';
import { claimsOf, newServiceApp, newTestKey, signAssertion } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { requestTokens, type Sent } from '../support/user-tokens.ts';
import { lockOut } from '../support/users.ts';

// This file tests refusals in device authorization (RFC 8628), and when an approval ends.

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newDeviceApp(org));
const user = beforeTests(() => newDeviceUser(service, org, app));

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const INVALID = { status: 400, body: { error: 'invalid_grant' } };
const DENIED_TO_DEVICE = { status: 403, body: { error: 'access_denied' } };

describe('a device does not begin', () => {
  test.each([
    ['without scopes', { scope: undefined }, 'invalid_scope'],
    ['with one that nobody has', { scope: 'openid nobodys' }, 'invalid_scope'],
    ['with one that the app was not given', { scope: 'svc.users.read' }, 'invalid_scope'],
    ['with one about a person, and not who it is', { scope: 'profile' }, 'invalid_scope'],
    ['with a thumbprint that is none', { dpop_jkt: 'x' }, 'invalid_request'],
  ])('%s', async (_, form, error) => {
    expect(await askDevice(org, app, form)).toMatchObject({ status: 400, body: { error } });
  });

  test('for an app that was not given the grant; the log says so', async () => {
    const other = await newDeviceApp(org, { settings: { grant_types: ['authorization_code'] } });
    const refused = await askDevice(org, other);
    expect(refused).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
    const [event] = await org.systemLog(`target.id eq "${other.id}" and eventType eq "app.oauth2.authorize_failure"`);
    expect(event).toMatchObject({
      outcome: { result: 'FAILURE', reason: 'unauthorized_client' },
      debugContext: { debugData: { requestedScopes: 'openid', grantType: DEVICE_GRANT } },
    });
    const polled = await poll(org, other, await startDevice(org, app));
    expect(polled).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('for a client that does not prove who it is', async () => {
    const web = await newDeviceApp(org, { applicationType: 'web', authMethod: 'client_secret_basic' });
    const wrong = [
      { id: 'nobody', label: '', secret: undefined },
      { ...web, secret: 'x' },
      { ...web, secret: undefined },
    ];
    for (const client of wrong) {
      expect(await askDevice(org, client)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
    expect((await askDevice(org, web)).status).toBe(200);
  });

  test('with parameters in its address, where logs would keep them', async () => {
    const answer = await askDevice(org, app, {}, { path: '/oauth2/v1/device/authorize?scope=openid' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('at a server that is not there, or with scopes that it does not have', async () => {
    const nowhere = await askDevice(org, app, {}, { path: '/oauth2/ausnowhere/v1/device/authorize' });
    expect(nowhere).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const server = await newCustomServer(org, { grantTypes: [DEVICE_GRANT] });
    const sent = { path: `${server.oauth}/v1/device/authorize` };
    for (const scope of ['svc.users.read', undefined]) {
      expect(await askDevice(org, app, { scope }, sent)).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      });
    }
  });

  test('twice by one assertion', async () => {
    const key = newTestKey('ES256');
    const { id } = await newServiceApp(org, {
      key,
      scopes: [],
      applicationType: 'web',
      authMethod: 'private_key_jwt',
      settings: { grant_types: ['authorization_code', DEVICE_GRANT] },
    });
    const aud = `${org.baseUrl}/oauth2/v1/device/authorize`;
    const form = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signAssertion(key, claimsOf(org, id, org.now(), { aud })),
    };
    const client = { id, label: '', secret: undefined };
    expect((await askDevice(org, client, form)).status).toBe(200);
    expect(await askDevice(org, client, form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

describe('a poll gets nothing', () => {
  test('without a code, or with one that is nobody’s', async () => {
    const missing = await requestTokens(org, app, { grant_type: DEVICE_GRANT });
    expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    for (const deviceCode of ['x', 'x'.repeat(43), 'ä', 'x'.repeat(5_000)]) {
      expect(await poll(org, app, { deviceCode })).toMatchObject(INVALID);
    }
  });

  test('by another app, at another server, or in another org; and it stays its own', async () => {
    const device = await allowedDevice(org, app, user);
    const server = await newCustomServer(org, { grantTypes: [DEVICE_GRANT] });
    const other = await newDeviceApp(org);
    const elsewhere = await service.newOrg();
    expect(await poll(org, other, device)).toMatchObject(INVALID);
    expect(await poll(org, app, device, { path: `${server.oauth}/v1/token` })).toMatchObject(INVALID);
    expect(await poll(elsewhere, await newDeviceApp(elsewhere), device)).toMatchObject(INVALID);
    expect((await poll(org, app, device)).status).toBe(200);
  });

  test('with its code in the address', async () => {
    const { deviceCode } = await startDevice(org, app);
    const path = `/oauth2/v1/token?device_code=${deviceCode}`;
    expect(await poll(org, app, { deviceCode }, { path })).toMatchObject({ body: { error: 'invalid_request' } });
  });
});

async function refusedPoll(device: StartedDevice, own: OidcApp, sent: Sent = {}): Promise<void> {
  service.clock.advance(1_100);
  await expectEnded(org, own, await poll(org, own, device, sent));
}

describe('what was allowed ends when', () => {
  test.each(Object.entries(APPROVAL_ENDS))('%s', async (_, end) => {
    const own = await newDeviceApp(org);
    const held = { app: own, user: await newDeviceUser(service, org, own) };
    const device = await allowedDevice(org, own, held.user);
    await end(org, held);
    await refusedPoll(device, own);
  });

  test.each(Object.entries(APPROVAL_ENDS_OF_SERVERS))('of its server: %s', async (_, end) => {
    const server = await newCustomServer(org, { grantTypes: [DEVICE_GRANT] });
    const sent = { path: `${server.oauth}/v1/device/authorize` };
    const device = await allowedDevice(org, app, user, { scope: 'openid orders.read' }, sent);
    await end(org, server);
    await refusedPoll(device, app, { path: `${server.oauth}/v1/token` });
  });
});

describe('who may not have the app', () => {
  test('is told, and so is the device', async () => {
    const stranger = await newDeviceUser(service, org, null);
    const device = await startDevice(org, app);
    const page = await answerDevice(stranger, device);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('User is not assigned') });
    expect(await poll(org, app, device)).toMatchObject(DENIED_TO_DEVICE);
  });

  test('row 77: who was locked out allows nothing by a session that is open', async () => {
    const own = await newDeviceUser(service, org, app);
    const device = await startDevice(org, app);
    const address = await enterCode(own, device.userCode);
    await lockOut(org.admin, own.userId);
    expect((await answerAt(own, address, 'allow')).status).toBe(400);
    expect(await poll(org, app, device)).toMatchObject(DENIED_TO_DEVICE);
  });

  test('says no without having it', async () => {
    const stranger = await newDeviceUser(service, org, null);
    const device = await startDevice(org, app);
    expect(locationOf(await answerDevice(stranger, device, 'deny'))).toBe(DENIED);
  });
});

test('what a device asked for before its app was deactivated is over', async () => {
  const own = await newDeviceApp(org);
  const [typed, untyped] = [await startDevice(org, own), await startDevice(org, own)];
  const ownUser = await newDeviceUser(service, org, own);
  const address = await enterCode(ownUser, typed.userCode);
  await good(org.admin.post(`/api/v1/apps/${own.id}/lifecycle/deactivate`));
  expect((await ownUser.browser.get(address)).status).toBe(400);
  service.clock.advance(1_100);
  expect(await poll(org, own, typed)).toMatchObject(INVALID);
  await good(org.admin.post(`/api/v1/apps/${own.id}/lifecycle/activate`));
  service.clock.advance(1_100);
  expect(await poll(org, own, typed)).toMatchObject(INVALID);
  await expect(enterCode(ownUser, untyped.userCode)).rejects.toThrow('answered 400');
  expect((await answerAt(ownUser, address, 'allow')).status).toBe(400);
  expect(await poll(org, own, await startDevice(org, own))).toMatchObject(PENDING);
});
