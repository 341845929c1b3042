import { decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import { newOidcApp, newPkce, requestOf } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import {
  describeProfile,
  FORGOTTEN_MILLISECONDS,
  openWorld,
  row,
  USERINFO,
  unmet,
  userinfo,
} from '../support/conformance.ts';
import { FAPI_APP, FAPI_SETTINGS, fapiClient, PAR } from '../support/fapi-client.ts';
import { claimsOf, newTestKey, postForm, signAssertion } from '../support/service-apps.ts';
import { newProofKey } from '../support/user-tokens.ts';

/** This file tests sections 5.3.4 and 5.4 of the FAPI 2.0 Security Profile (Final). */
const world = openWorld({ app: FAPI_APP });
const { assertion, codeBy, flow, push, userinfoBy } = fapiClient(world);

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const isRefused = async (answer: Promise<TestResponse>, error: string): Promise<void> =>
  expect(await answer).toMatchObject({ status: expect.toSatisfy((status) => status >= 400), body: { error } });

async function tokenBy() {
  const { proofKey, response } = await flow();
  return { proofKey, token: String((await response()).body.access_token) };
}

const RESOURCES = [
  row('5.3.4-1', 'a token comes in the header, with a proof of its key', async () => {
    const { proofKey, token } = await tokenBy();
    expect((await userinfoBy(token, proofKey)).status).toBe(200);
  }),
  row('5.3.4-2', 'a token in the address is refused', async () => {
    const { token } = await tokenBy();
    expect((await world().org.anonymous.get(`${USERINFO}?access_token=${token}`)).status).toBe(400);
  }),
  row('5.3.4-3', 'a token that was revoked, is over or is another text is refused', async () => {
    const [one, other] = [await tokenBy(), await tokenBy()];
    expect((await userinfoBy(`${one.token}x`, one.proofKey)).status).toBe(401);
    const form = { token: one.token, ...(await assertion()) };
    expect((await postForm(world().org.anonymous, '/oauth2/v1/revoke', form)).status).toBe(200);
    world().service.clock.advance(FORGOTTEN_MILLISECONDS);
    expect((await userinfoBy(one.token, one.proofKey)).status).toBe(401);
    world().service.clock.advance(3_601_000);
    expect((await userinfoBy(other.token, other.proofKey)).status).toBe(401);
  }),
  row('5.3.4-4', 'a token opens what its scopes open', async () => {
    const { token } = await tokenBy();
    expect(
      (
        await world()
          .org.client({ authorization: `DPoP ${token}` })
          .get('/api/v1/users')
      ).status,
    ).not.toBe(200);
  }),
  row('5.3.4-5', 'a bound token as Bearer, with another key, or with none, is refused', async () => {
    const { proofKey, token } = await tokenBy();
    expect((await userinfo(world().org, token)).status).toBe(401);
    expect((await userinfoBy(token, proofKey, { scheme: 'Bearer' })).status).toBe(401);
    expect((await userinfoBy(token, await newProofKey(world().service))).status).toBe(401);
  }),
];

const CRYPTOGRAPHY = [
  row('5.4.1', 'clients prove themselves by ES256 or PS256 (app: keys of that kind)', async () => {
    expect((await push()).status).toBe(201);
    const own = newTestKey('PS256');
    const settings = { ...FAPI_SETTINGS, jwks: { keys: [{ ...own.jwk, alg: 'PS256' }] } };
    const app = await newOidcApp(world().org, { ...FAPI_APP, settings });
    const request = requestOf(app, newPkce().parameters);
    const send = async (key: typeof own) => {
      const claims = claimsOf(world().org, app.id, world().org.now(), { aud: world().org.baseUrl });
      const client_assertion = await signAssertion(key, claims);
      return postForm(world().org.anonymous, PAR, { ...request, client_assertion_type: JWT_BEARER, client_assertion });
    };
    expect((await send(own)).status).toBe(201);
    await isRefused(send({ ...own, algorithm: 'RS256' }), 'invalid_client');
  }),
  row('5.4.1', 'an assertion without a signature is refused', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = claimsOf(world().org, world().app.id, world().org.now(), { aud: world().org.baseUrl });
    const proof = { ...(await assertion()), client_assertion: `${encode({ alg: 'none' })}.${encode(claims)}.` };
    const request = requestOf(world().app, newPkce().parameters);
    await isRefused(postForm(world().org.anonymous, PAR, { ...request, ...proof }), 'invalid_client');
  }),
  row('5.4.1', 'our RSA keys have 2048 bits or more', async () => {
    const { body } = await world().org.anonymous.get('/oauth2/v1/keys');
    expect(body.keys.length).toBeGreaterThan(0);
    for (const { n } of body.keys) expect(Buffer.from(n, 'base64url').length).toBeGreaterThanOrEqual(256);
  }),
  row('5.4.1', 'codes and names of pushed requests have 128 bits or more', async () => {
    const [{ body }, { answer }] = [await push(), await codeBy()];
    for (const text of [body.request_uri.split(':').at(-1), answer['code']]) {
      expect(Buffer.from(text, 'base64url').length).toBeGreaterThanOrEqual(16);
    }
  }),
];

const NOT_MET = [
  unmet('5.4.1', 'ID tokens are signed by PS256, ES256 or EdDSA', 'the contract has RS256 alone', async () => {
    const { id_token: token } = (await (await flow()).response()).body;
    expect(['PS256', 'ES256', 'EdDSA']).toContain(decodeProtectedHeader(token).alg);
  }),
];

describeProfile('FAPI 2.0: resource server', RESOURCES);
describeProfile('FAPI 2.0: cryptography', CRYPTOGRAPHY, NOT_MET);
