import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerDevice, DEVICE_GRANT, type DeviceUser, newDeviceApp, newDeviceUser } from '../support/devices.ts';
import { issuerAt, letDefaultServerHave, type ServerKind } from '../support/openid-client.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);

beforeAll(async () => {
  await letDefaultServerHave(org, DEVICE_GRANT);
});

async function newDevice(kind: ServerKind, settings: Readonly<Record<string, unknown>> = {}) {
  const app = await newDeviceApp(org, { settings });
  const user = await newDeviceUser(service, org, app);
  const config = await openid.discovery(new URL(issuerAt(service, kind)), app.id, undefined, openid.None());
  const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' });
  // With the original interval, the client would wait for 5 s before each poll.
  return { config, user, started: { ...started, interval: 0.01 } };
}

const answer = (user: DeviceUser, { user_code: userCode }: { readonly user_code: string }, decision?: 'deny') =>
  answerDevice(user, { userCode }, decision);

describe.each(['org', 'default'] as const)('at the %s authorization server', (kind) => {
  test('openid-client: a code, polls, tokens, refresh', async () => {
    const { config, started, user } = await newDevice(kind);
    expect(started.verification_uri_complete).toBe(`${started.verification_uri}?user_code=${started.user_code}`);
    await answer(user, started);
    const tokens = await openid.pollDeviceAuthorizationGrant(config, started);
    expect(tokens.claims()).toMatchObject({ sub: user.userId, iss: issuerAt(service, kind) });
    expect(await openid.fetchUserInfo(config, tokens.access_token, user.userId)).toMatchObject({ email: user.login });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    await expect(openid.pollDeviceAuthorizationGrant(config, started)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('openid-client: it goes on polling while its user thinks, and gets tokens bound to its key', async () => {
    const { config, started, user } = await newDevice(kind, { dpop_bound_access_tokens: true });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const asked: unknown[] = [];
    let answered: Promise<unknown> | undefined;
    // The user answers between two polls. The service's clock moves by the time that the client would have waited.
    config[openid.customFetch] = async (url, init) => {
      const response = await fetch(url, init as RequestInit);
      if (!url.endsWith('/token')) return response;
      const told = await response.clone().json();
      asked.push(told.error);
      service.clock.advance(5_000);
      if (told.error === 'authorization_pending') answered ??= answer(user, started);
      await answered;
      return response;
    };
    const tokens = await openid.pollDeviceAuthorizationGrant(config, started, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    expect(asked).toEqual(['use_dpop_nonce', 'authorization_pending', undefined]);
  });

  test('openid-client: it hears that its user said no', async () => {
    const { config, started, user } = await newDevice(kind);
    await answer(user, started, 'deny');
    await expect(openid.pollDeviceAuthorizationGrant(config, started)).rejects.toMatchObject({
      error: 'access_denied',
    });
  });
});

// This test comes last, because it moves the service's clock away from the clients' clock.
test.each(['org', 'default'] as const)('openid-client: it hears that its code is over, at %s', async (kind) => {
  const { config, started } = await newDevice(kind);
  service.clock.advance(600_000);
  await expect(openid.pollDeviceAuthorizationGrant(config, started)).rejects.toMatchObject({ error: 'expired_token' });
});
