import { importPKCS8 } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { CIBA_GRANT } from '../support/backchannel.ts';
import { DEVICE_GRANT, newDeviceUser } from '../support/devices.ts';
import { issuerAt, letDefaultServerHave, type ServerKind } from '../support/openid-client.ts';
import { newServiceApp, newTestKey } from '../support/service-apps.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);

beforeAll(async () => {
  for (const grant of [CIBA_GRANT, DEVICE_GRANT]) await letDefaultServerHave(org, grant);
});

const GRANTS = ['authorization_code', 'refresh_token', CIBA_GRANT, DEVICE_GRANT];

async function newClient(kind: ServerKind) {
  const key = newTestKey('ES256');
  const settings = { grant_types: GRANTS };
  const app = await newServiceApp(org, { key, applicationType: 'web', scopes: [], settings });
  const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const proof = openid.PrivateKeyJwt({ key: await importPKCS8(pem, 'ES256'), kid: key.kid });
  const config = await openid.discovery(new URL(issuerAt(service, kind)), app.id, undefined, proof);
  return { app, config };
}

describe.each(['org', 'default'] as const)('openid-client with a key at the %s authorization server', (kind) => {
  test('pushes, polls for devices and users, introspects and revokes', async () => {
    const { app, config } = await newClient(kind);
    const user = await newDeviceUser(service, org, app);
    const scope = 'openid';
    const pushed = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: 'https://app.example/callback',
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    expect(pushed.searchParams.get('request_uri')).toMatch(/^urn:/);
    const device = await openid.initiateDeviceAuthorization(config, { scope });
    const asked = await openid.initiateBackchannelAuthentication(config, { scope, login_hint: user.login });
    const polls = [
      [DEVICE_GRANT, { device_code: device.device_code }],
      [CIBA_GRANT, { auth_req_id: asked.auth_req_id }],
    ] as const;
    for (const [grant, code] of polls) {
      const polled = openid.genericGrantRequest(config, grant, { ...code });
      await expect(polled).rejects.toMatchObject({ error: 'authorization_pending' });
    }
    expect(await openid.tokenIntrospection(config, 'nothing')).toEqual({ active: false });
    await openid.tokenRevocation(config, 'nothing');
  });

  test('is refused with the key of another', async () => {
    const { config } = await newClient(kind);
    const other = newTestKey('ES256');
    const pem = other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const proof = openid.PrivateKeyJwt(await importPKCS8(pem, 'ES256'));
    const stranger = new openid.Configuration(
      config.serverMetadata(),
      config.clientMetadata().client_id,
      undefined,
      proof,
    );
    await expect(openid.tokenRevocation(stranger, 'nothing')).rejects.toMatchObject({ error: 'invalid_client' });
  });
});
