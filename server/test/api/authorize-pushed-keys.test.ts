import { beforeAll, describe, expect, test } from 'vitest';
import {
  AUTHORIZE,
  answered,
  type Changes,
  newBrowser,
  newOidcApp,
  newPkce,
  requestOf,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { newTestKey, postForm, signAssertion } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import {
  newProofKey,
  type ProofKey,
  payloadOf,
  redeem,
  requestTokens,
  TOKEN,
  withProof,
} from '../support/user-tokens.ts';

/** The code of a request that was pushed with a DPoP proof can be redeemed only with the same key (RFC 9449 10.1). */
const { service, org } = useService();
const app = beforeTests(() => newOidcApp(org, { applicationType: 'browser', authMethod: 'none' }));
const browser = beforeTests(() => newBrowser(service, org, app));
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  [key, other] = [await newProofKey(service), await newProofKey(service)];
});

const PAR = '/oauth2/v1/par';

const push = (changes: Changes, headers: Readonly<Record<string, string>>, path = PAR) =>
  requestTokens(org, app, requestOf(app, changes), { headers, path });

const pushWith = (by: ProofKey, changes: Changes, path = PAR) =>
  withProof(org, by, path, (headers) => push(changes, headers, path));

async function codeOf(uri: string, path = AUTHORIZE): Promise<string> {
  const query = new URLSearchParams({ client_id: app.id, request_uri: uri });
  return answered(await browser.client.get(`${path}?${query.toString()}`)).parameters['code'] ?? '';
}

describe('a request that is pushed with a proof of a key', () => {
  test('gives a code that takes a proof of that key, and of no other', async () => {
    const { parameters, verifier } = newPkce();
    const { body, status } = await pushWith(key, parameters);
    expect(status).toBe(201);
    const code = { code: await codeOf(body.request_uri), verifier };
    const ask = (headers: Readonly<Record<string, string>>) => redeem(org, app, code, {}, { headers });
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    expect(await withProof(org, other, TOKEN, ask)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const answer = await withProof(org, key, TOKEN, ask);
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(payloadOf(answer.body.access_token).cnf).toEqual({ jkt: key.jkt });
  });

  test('may name that key too, and no other', async () => {
    const pkce = newPkce().parameters;
    expect((await pushWith(key, { ...pkce, dpop_jkt: key.jkt })).status).toBe(201);
    const refused = await pushWith(key, { ...pkce, dpop_jkt: other.jkt });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    const [event] = await org.systemLog('eventType eq "app.oauth2.authorize_failure"');
    expect(event).toMatchObject({ outcome: { result: 'FAILURE' }, target: [{ id: app.id }] });
  });

  test('by a custom server is proved for its endpoint', async () => {
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const { parameters, verifier } = newPkce();
    const changes = { ...parameters, scope: 'openid orders.read' };
    const path = `${server.oauth}/v1/par`;
    const wrong = await withProof(org, key, PAR, (headers) => push(changes, headers, path));
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    const { body } = await pushWith(key, changes, path);
    const code = { code: await codeOf(body.request_uri, `${server.oauth}/v1/authorize`), verifier };
    const at = `${server.oauth}/v1/token`;
    const ask = (headers: Readonly<Record<string, string>>) => redeem(org, app, code, {}, { headers, path: at });
    expect((await withProof(org, key, at, ask)).status).toBe(200);
  });

  test('takes a proof once, young and for this request, by one header', async () => {
    const pkce = newPkce().parameters;
    const claims = { htm: 'POST', htu: org.baseUrl + PAR };
    const asked = await push(pkce, { dpop: await key.proof(claims) });
    expect(asked).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
    const nonce = String(asked.headers['dpop-nonce']);
    const proof = await key.proof({ ...claims, nonce });
    const refusal = { status: 400, body: { error: 'invalid_dpop_proof' } };
    expect(await push(pkce, { dpop: await key.proof({ ...claims, nonce, htm: 'GET' }) })).toMatchObject(refusal);
    expect(await push(pkce, { dpop: await key.proof({ ...claims, nonce, iat: 1 }) })).toMatchObject(refusal);
    expect(await push(pkce, { dpop: `${proof}, ${proof}` })).toMatchObject(refusal);
    expect(await push(pkce, { dpop: 'x' })).toMatchObject(refusal);
    const answers = await Promise.all([1, 2, 3].map(() => push(pkce, { dpop: proof })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  });
});

test('a key that a signed request names is the one that is proved', async () => {
  const signing = newTestKey('ES256');
  const signed = await newOidcApp(org, { authMethod: 'private_key_jwt', settings: { jwks: { keys: [signing.jwk] } } });
  const seconds = Math.floor(service.clock.now().getTime() / 1_000);
  const assertion = () =>
    signAssertion(signing, {
      iss: signed.id,
      sub: signed.id,
      aud: org.baseUrl + PAR,
      exp: seconds + 300,
      jti: crypto.randomUUID(),
    });
  const send = async (jkt: string) => {
    const claims = { ...requestOf(signed), ...newPkce().parameters, dpop_jkt: jkt };
    const request = await signAssertion(signing, { ...claims, iss: signed.id, aud: org.baseUrl, exp: seconds + 300 });
    return withProof(org, key, PAR, async (headers) => {
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const form = { client_id: signed.id, client_assertion_type, client_assertion: await assertion(), request };
      return postForm(org.anonymous, PAR, form, { headers });
    });
  };
  expect((await send(key.jkt)).status).toBe(201);
  expect(await send(other.jkt)).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
});
