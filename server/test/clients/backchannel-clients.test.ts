import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerRequest, CIBA_GRANT, newBackchannelApp } from '../support/backchannel.ts';
import { newDeviceUser } from '../support/devices.ts';
import { issuerAt, letDefaultServerHave, type ServerKind } from '../support/openid-client.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);

beforeAll(async () => {
  await letDefaultServerHave(org, CIBA_GRANT);
});

async function newRequest(kind: ServerKind, settings: Readonly<Record<string, unknown>> = {}) {
  const app = await newBackchannelApp(org, { settings });
  const user = await newDeviceUser(service, org, app);
  const secret = openid.ClientSecretBasic(app.secret ?? '');
  const config = await openid.discovery(new URL(issuerAt(service, kind)), app.id, undefined, secret);
  const parameters = { scope: 'openid email offline_access', login_hint: user.login, binding_message: 'W4SCT' };
  const started = await openid.initiateBackchannelAuthentication(config, parameters);
  // With the original interval, the client would wait for 5 s before each poll.
  return { config, user, started: { ...started, interval: 0.01 } };
}

describe.each(['org', 'default'] as const)('at the %s authorization server', (kind) => {
  test('openid-client: a request, polls, tokens, refresh', async () => {
    const { config, started, user } = await newRequest(kind);
    expect(started).toMatchObject({ auth_req_id: expect.any(String), expires_in: 300 });
    await answerRequest(user);
    const tokens = await openid.pollBackchannelAuthenticationGrant(config, started);
    expect(tokens.claims()).toMatchObject({ sub: user.userId, iss: issuerAt(service, kind) });
    expect(await openid.fetchUserInfo(config, tokens.access_token, user.userId)).toMatchObject({ email: user.login });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    await expect(openid.pollBackchannelAuthenticationGrant(config, started)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('openid-client: it goes on polling while its user thinks, and gets tokens bound to its key', async () => {
    const { config, started, user } = await newRequest(kind, { dpop_bound_access_tokens: true });
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
      if (told.error === 'authorization_pending') answered ??= answerRequest(user);
      await answered;
      return response;
    };
    const tokens = await openid.pollBackchannelAuthenticationGrant(config, started, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    expect(asked).toEqual(['use_dpop_nonce', 'authorization_pending', undefined]);
  });

  test('openid-client: it hears that its user said no', async () => {
    const { config, started, user } = await newRequest(kind);
    await answerRequest(user, 'deny');
    await expect(openid.pollBackchannelAuthenticationGrant(config, started)).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  test('openid-client: it hears that there is no such user', async () => {
    const { config } = await newRequest(kind);
    const asked = openid.initiateBackchannelAuthentication(config, { scope: 'openid', login_hint: 'nobody' });
    await expect(asked).rejects.toMatchObject({ error: 'invalid_request' });
  });
});

// This test comes last, because it moves the service's clock away from the clients' clock.
test.each(['org', 'default'] as const)('openid-client: it hears that its request is over, at %s', async (kind) => {
  const { config, started } = await newRequest(kind);
  service.clock.advance(300_000);
  const polled = openid.pollBackchannelAuthenticationGrant(config, started);
  await expect(polled).rejects.toMatchObject({ error: 'expired_token' });
});
