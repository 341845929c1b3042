import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { newAccessTokenId } from '../../src/oauth/access-tokens/access-token-id.ts';
import { rotateSigningKey } from '../../src/oauth/keys/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { operatorContext } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const KEYS = '/oauth2/v1/keys';
const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';
const cacheable = 'public, max-age=3600, must-revalidate';

const mint = (of: TestOrg = org) => {
  const issuedAt = service.clock.now();
  const client = { subject: '0oaclient', clientId: '0oaclient', scopes: ['users.read'], issuedAt };
  const jti = newAccessTokenId(issuedAt);
  return service.application.oauth.accessTokens.mint({ orgId: of.id, jti, issuer: of.baseUrl, ...client });
};

describe(`GET ${KEYS}`, () => {
  test('shows the public half of the key, and nothing else', async () => {
    const { body, headers, status } = await org.anonymous.get(KEYS);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe(cacheable);
    expect(body.keys).toHaveLength(1);
    const [key] = body.keys;
    expect(Object.keys(key)).toEqual(['kty', 'alg', 'kid', 'use', 'e', 'n']);
    expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', e: 'AQAB' });
    expect(Buffer.from(key.n, 'base64url')).toHaveLength(256);
    expect((await org.anonymous.get(`${KEYS}?client_id=unknown`)).body).toEqual(body);
  });

  test('verifies tokens of the org, those of no other', async () => {
    const other = await service.newOrg();
    const fetchKeys = async (url: string): Promise<Response> => {
      const { body } = await org.anonymous.get(new URL(url).pathname);
      return Response.json(body);
    };
    const keys = createRemoteJWKSet(new URL(`${org.baseUrl}${KEYS}`), { [customFetch]: fetchKeys });
    const { token } = await mint();
    expect((await jwtVerify(token, keys, { issuer: org.baseUrl, audience: org.baseUrl })).payload.sub).toBe(
      '0oaclient',
    );
    await expect(jwtVerify((await mint(other)).token, keys)).rejects.toThrow('no applicable key');
  });

  test('is read by browsers of trusted origins, by any client, with or without a credential', async () => {
    await org.admin.post('/api/v1/trustedOrigins', {
      body: { name: 'app', origin: 'https://app.example', scopes: [{ type: 'CORS' }] },
    });
    const trusted = await org.anonymous.get(KEYS, { headers: { origin: 'https://app.example' } });
    expect(trusted.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(trusted.headers['vary']).toContain('Origin');
    const stranger = await org.anonymous.get(KEYS, { headers: { origin: 'https://evil.example' } });
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
    expect((await org.client({ authorization: 'Bearer garbage' }).get(KEYS)).status).toBe(200);
  });

  test('publishes a successor before it signs', async () => {
    const rotating = await service.newOrg();
    const [first] = (await rotating.anonymous.get(KEYS)).body.keys;
    const { application } = service;
    const ports = { work: application.work, makeKeyPair: makeTestKeyPair, masterKey: masterKeyOf(Buffer.alloc(32, 7)) };
    const { kid } = await rotateSigningKey(ports, operatorContext(service, rotating), { atOnce: false });
    const { body } = await rotating.anonymous.get(KEYS);
    expect(body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, first.kid]);
    expect(await rotating.systemLog('eventType eq "app.oauth2.key.rollover"')).toMatchObject([
      { target: [{ type: 'AuthorizationServer', detailEntry: { kid: first.kid } }] },
      { target: [{ type: 'AuthorizationServer', detailEntry: { kid } }] },
    ]);
  });
});

describe.each([OPENID, OAUTH])('GET %s', (path) => {
  test('names what there is, at the address the client came by', async () => {
    const { body, headers, status } = await org.anonymous.get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe(cacheable);
    expect(body).toMatchObject({ issuer: org.baseUrl, jwks_uri: `${org.baseUrl}${KEYS}` });
    const loopback = await org.client({}, 'localhost').get(path);
    expect(loopback.body.issuer).toBe(`https://localhost:${service.port}`);
    const other = await service.newOrg();
    expect((await other.anonymous.get(path)).body.issuer).toBe(other.baseUrl);
  });

  test('every endpoint that it names exists', async () => {
    const { body } = await org.anonymous.get(path);
    const named = Object.entries(body).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri');
    const members = named.map(([name]) => name);
    for (const name of ['authorization', 'token', 'introspection', 'revocation', 'end_session', 'registration']) {
      expect(members).toContain(`${name}_endpoint`);
    }
    expect(members.includes('userinfo_endpoint')).toBe('id_token_signing_alg_values_supported' in body);
    for (const [name, address] of named) {
      const url = String(address);
      expect(url.startsWith(`${org.baseUrl}/`)).toBe(true);
      const method = name === 'jwks_uri' ? 'GET' : 'POST';
      const answer = await org.anonymous.send(method, url.slice(org.baseUrl.length));
      expect([name, answer.status === 404 || answer.status === 405]).toEqual([name, false]);
    }
  });

  test('lists the scopes that the API asks for, each once', async () => {
    const { scopes_supported: scopes } = (await org.anonymous.get(path)).body;
    expect(scopes).toEqual(expect.arrayContaining(['svc.users.read', 'svc.users.manage', 'svc.logs.read']));
    expect(new Set(scopes).size).toBe(scopes.length);
  });

  test('a POST to it is 405', async () => {
    expect((await org.anonymous.post(path)).status).toBe(405);
  });
});
