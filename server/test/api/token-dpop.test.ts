import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { claimsOf, newServiceApp, postForm, signAssertion, tokenForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, redeem } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newServiceApp(org, { settings: { dpop_bound_access_tokens: true } }));

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = publicKey.export({ format: 'jwk' }) as JWK;
const seconds = () => Math.floor(service.clock.now().getTime() / 1_000);

const proofOf = (changes: Record<string, unknown> = {}): Promise<string> =>
  new SignJWT({
    htm: 'POST',
    htu: `${org.baseUrl}/oauth2/v1/token`,
    iat: seconds(),
    jti: randomUUID(),
    ...changes,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .sign(privateKey);

async function ask(proof: string | undefined, assertion?: string) {
  const made = assertion ?? (await signAssertion(app.key, claimsOf(org, app.id, service.clock.now())));
  const headers: Record<string, string> = proof === undefined ? {} : { dpop: proof };
  return postForm(org.anonymous, '/oauth2/v1/token', tokenForm(made), { headers });
}

async function newNonce(): Promise<string> {
  const { headers } = await ask(await proofOf());
  return String(headers['dpop-nonce']);
}

describe('an app whose tokens are bound to a key', () => {
  test('is sent a nonce first, and a bound token for a proof that holds it', async () => {
    const first = await ask(await proofOf());
    expect(first).toMatchObject({
      status: 400,
      body: { error: 'use_dpop_nonce', error_description: 'Authorization server requires nonce in DPoP proof.' },
    });
    const nonce = first.headers['dpop-nonce'];
    const second = await ask(await proofOf({ nonce }));
    expect(second).toMatchObject({ status: 200, body: { token_type: 'DPoP', expires_in: 3_600 } });
    const claims = JSON.parse(Buffer.from(second.body.access_token.split('.')[1], 'base64url').toString());
    expect(claims.cnf).toEqual({ jkt: await calculateJwkThumbprint(jwk) });
  });

  test('keeps its assertion while it is sent for a nonce, and the log is silent about that', async () => {
    const assertion = await signAssertion(app.key, claimsOf(org, app.id, service.clock.now()));
    const { headers } = await ask(await proofOf(), assertion);
    expect((await ask(await proofOf({ nonce: headers['dpop-nonce'] }), assertion)).status).toBe(200);
    expect(await org.systemLog('outcome.reason eq "use_dpop_nonce"')).toEqual([]);
  });

  test('is sent a nonce again when the old one is over, or is none of ours', async () => {
    const nonce = await newNonce();
    service.clock.advance(301_000);
    for (const stale of [nonce, 'nonce', '']) {
      expect((await ask(await proofOf({ nonce: stale }))).body.error).toBe('use_dpop_nonce');
    }
  });

  test('gets none without a proof', async () => {
    expect(await ask(undefined)).toMatchObject({
      status: 400,
      body: { error: 'invalid_dpop_proof', error_description: 'The DPoP proof JWT header is missing.' },
    });
  });

  test.each([
    ['for another method', { htm: 'GET' }, "'htm' claim in the DPoP proof JWT is invalid."],
    ['for another address', { htu: 'https://evil.example/' }, "'htu' claim in the DPoP proof JWT is invalid."],
    ['without jti', { jti: undefined }, "'jti' claim in the DPoP proof JWT is invalid."],
    ['without iat', { iat: undefined }, "'iat' claim in the DPoP proof JWT is invalid."],
  ])('gets none for a proof %s', async (_, changes, text) => {
    const response = await ask(await proofOf({ nonce: await newNonce(), ...changes }));
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof', error_description: text } });
  });

  test('gets one token for a proof, also when it comes twice at once', async () => {
    const proof = await proofOf({ nonce: await newNonce() });
    const answers = await Promise.all([ask(proof), ask(proof), ask(proof)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      error: 'invalid_dpop_proof',
      error_description: 'The DPoP proof JWT has already been used.',
    });
  });
});

test('a page in a browser reads the nonce that it has to come with (RFC 9449 8)', async () => {
  const origin = 'https://spa.example';
  await org.admin.post('/api/v1/trustedOrigins', { body: { name: 'spa', origin, scopes: [{ type: 'CORS' }] } });
  const spa = await newUserApp(org, {
    applicationType: 'browser',
    authMethod: 'none',
    settings: { dpop_bound_access_tokens: true },
  });
  const code = await newCode(service, org, spa);
  const told = await redeem(org, spa, code, {}, { headers: { origin, dpop: await proofOf() } });
  expect(told).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
  // Scripts of other origins can read only safelisted response headers and those that the server exposes (Fetch 3.3.3).
  const exposed = String(told.headers['access-control-expose-headers']).toLowerCase().split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['dpop-nonce', 'www-authenticate']));
  const proof = await proofOf({ nonce: told.headers['dpop-nonce'] });
  const answer = await redeem(org, spa, code, {}, { headers: { origin, dpop: proof } });
  expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin } });
});
