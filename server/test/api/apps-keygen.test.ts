import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { gatehouse, newPlace, type Program, runServer, stopServer } from '../support/server-process.ts';

const place = beforeTests(() => newPlace());
let server: Program | null = null;
let client: (TestClient & { close(): void }) | null = null;
let appId = '';

const admin = (): TestClient => {
  if (client === null) throw new Error('the server is not up');
  return client;
};

beforeAll(async () => {
  server = await runServer(place);
  const written = await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8');
  const { apiToken, caFile } = JSON.parse(written) as { apiToken: string; caFile: string };
  client = createTestClient({
    port: place.port,
    hostname: 'localhost',
    ca: await readFile(caFile, 'utf8'),
    headers: { authorization: `SSWS ${apiToken}` },
  });
  const { body } = await client.post('/api/v1/apps', {
    body: {
      name: 'oidc_client',
      label: 'Service',
      signOnMode: 'OPENID_CONNECT',
      settings: { oauthClient: { application_type: 'service', grant_types: ['client_credentials'] } },
    },
  });
  appId = body.id;
});
afterAll(async () => {
  client?.close();
  if (server !== null) await stopServer(server);
  await place.remove();
});

const publicHalf = (key: Parameters<typeof createPrivateKey>[0]): JsonWebKey =>
  createPublicKey(createPrivateKey(key)).export({ format: 'jwk' });

async function registered(kid: string): Promise<JsonWebKey> {
  const { body } = await admin().get(`/api/v1/apps/${appId}`);
  const keys: (JsonWebKey & { kid: string })[] = body.settings.oauthClient.jwks.keys;
  return keys.find((key) => key.kid === kid) ?? {};
}

describe('gatehouse app keygen', () => {
  test('prints an RSA key as PEM and nothing else, and registers its public half under its thumbprint', async () => {
    const { code, stdout, stderr } = await gatehouse(place, 'app', 'keygen', appId);
    expect({ code, stdout: stdout.replaceAll(/[A-Za-z\d+/=\n]{64,}/g, '…') }, stderr).toEqual({
      code: 0,
      stdout: '-----BEGIN PRIVATE KEY-----…-----END PRIVATE KEY-----\n',
    });
    const key = publicHalf(stdout);
    const kid = await calculateJwkThumbprint(key);
    expect(stderr).toContain(kid);
    expect(await registered(kid)).toMatchObject({ ...key, kty: 'RSA', use: 'sig', alg: 'RS256', status: 'ACTIVE' });
    expect(await registered(kid)).not.toHaveProperty('d');
  });

  test('prints an EC key as JWK under an id of ours', async () => {
    const made = await gatehouse(place, 'app', 'keygen', appId, '--alg', 'ES256', '--kid', 'ours', '--jwk');
    expect(made.code, made.stderr).toBe(0);
    const jwk = JSON.parse(made.stdout) as JsonWebKey;
    expect(jwk).toMatchObject({ kty: 'EC', crv: 'P-256', kid: 'ours', use: 'sig', alg: 'ES256' });
    expect(await registered('ours')).toMatchObject(publicHalf({ key: jwk, format: 'jwk' }));
  });

  test('is in the log', async () => {
    const filter = encodeURIComponent('eventType eq "app.oauth2.credentials.lifecycle.create"');
    await expect
      .poll(async () => (await admin().get(`/api/v1/logs?filter=${filter}`)).body)
      .toMatchObject([{ actor: { id: 'gatehouse-cli' } }, { actor: { id: 'gatehouse-cli' } }]);
  });

  test.each([
    [['0oa00000000000000000'], 1, '0oa00000000000000000'],
    [['APP', '--org', 'nobody'], 1, 'nobody'],
    [['APP', '--kid', 'ours'], 1, 'kid'],
    [['APP', '--alg', 'HS256'], 2, 'HS256'],
    [[], 2, 'app'],
  ])('refuses %j and prints no key', async (given, exitCode, part) => {
    const words = given.map((word) => (word === 'APP' ? appId : word));
    const { code, stdout, stderr } = await gatehouse(place, 'app', 'keygen', ...words);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(part);
  });
});
