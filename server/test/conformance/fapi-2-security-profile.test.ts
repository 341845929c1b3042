import { type ConnectionOptions, connect } from 'node:tls';
import { expect } from 'vitest';
import { AUTHORIZE, answered, ask, ERROR_PAGE, newOidcApp, newPkce, requestOf } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import { describeProfile, FORGOTTEN_MILLISECONDS, openWorld, row, unmet } from '../support/conformance.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { FAPI_APP, FAPI_KEY, FAPI_SETTINGS, fapiClient, PAR } from '../support/fapi-client.ts';
import { giveDomain } from '../support/org-settings.ts';
import { newTestKey, postForm } from '../support/service-apps.ts';
import { newProofKey, payloadOf, TOKEN, withProof } from '../support/user-tokens.ts';

/** This file tests sections 5.2 and 5.3.2 of the FAPI 2.0 Security Profile (Final). */
const world = openWorld({ app: FAPI_APP });
const { assertion, bring, codeBy, errorOf, flow, push, userinfoBy } = fapiClient(world);

const seconds = (): number => Math.floor(world().org.now().getTime() / 1_000);

const isRefused = async (answer: Promise<TestResponse>, error: string): Promise<void> =>
  expect(await answer).toMatchObject({ status: expect.toSatisfy((status) => status >= 400), body: { error } });

const handshake = (options: ConnectionOptions): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const { org, service } = world();
    const socket = connect({
      port: service.port,
      host: '127.0.0.1',
      servername: org.hostname,
      ca: service.ca,
      ...options,
    });
    socket.once('secureConnect', () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.once('error', reject);
  });

const NETWORK = [
  row('5.2.1', 'TLS 1.2 or later', async () => {
    expect(await handshake({})).toBe('TLSv1.3');
    expect(await handshake({ maxVersion: 'TLSv1.2' })).toBe('TLSv1.2');
    await expect(
      handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
    ).rejects.toThrow();
  }),
  row('5.2.2', 'with TLS 1.2 the suites of BCP 195 alone', async () => {
    const suite = (ciphers: string) => handshake({ maxVersion: 'TLSv1.2', ciphers });
    expect(await suite('ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('TLSv1.2');
    for (const weak of ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256', 'AES128-SHA']) {
      await expect(suite(weak)).rejects.toThrow();
    }
  }),
  row('5.2.3', 'HSTS keeps browsers from plain HTTP, at a host name of the org’s own', async () => {
    const { org, service } = world();
    const host = `${org.subdomain}.example.com`;
    await giveDomain(service, org, host);
    const { headers } = await ask(org.client({ host, accept: 'text/html' }), world().app);
    expect(headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
  }),
  row('5.2.3', 'no CORS at the authorization endpoint', async () => {
    const headers = { origin: 'https://app.example' };
    const body = { name: 'app', origin: headers.origin, scopes: [{ type: 'CORS' }] };
    await world().org.admin.post('/api/v1/trustedOrigins', { body });
    const answer = await world().org.anonymous.get(`${AUTHORIZE}?client_id=${world().app.id}`, { headers });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }),
];

const GENERAL = [
  row('5.3.2.1-1', 'metadata is published', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: world().org.baseUrl,
      pushed_authorization_request_endpoint: expect.any(String),
    });
  }),
  row('5.3.2.1-2', 'no password grant (app: grant_types without it)', async () => {
    const grant = { grant_type: 'password', username: world().browser.login, password: 'x', scope: 'openid' };
    await isRefused(
      postForm(world().org.anonymous, TOKEN, { ...grant, ...(await assertion()) }),
      'unauthorized_client',
    );
  }),
  row('5.3.2.1-3', 'the client is confidential: its id alone proves nothing (app: private_key_jwt)', async () => {
    const request = { ...requestOf(world().app, newPkce().parameters) };
    await isRefused(postForm(world().org.anonymous, PAR, request), 'invalid_client');
  }),
  row('5.3.2.1-4', 'access tokens are bound to a key (app: dpop_bound_access_tokens)', async () => {
    const { proofKey, response, send } = await flow();
    expect(await send()).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    const { body } = await response();
    expect(body.token_type).toBe('DPoP');
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: proofKey.jkt });
  }),
  row('5.3.2.1-5', 'DPoP is announced', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.dpop_signing_alg_values_supported).toEqual(expect.arrayContaining(['ES256']));
  }),
  row('5.3.2.1-6', 'clients prove themselves by private_key_jwt', async () => expect((await push()).status).toBe(201)),
  row('5.3.2.1-7', 'no open redirector', async () => {
    const { app, browser } = world();
    const response = await ask(browser.client, app, { redirect_uri: 'https://evil.example/' });
    expect(response).toMatchObject(ERROR_PAGE);
    expect(response.headers['location']).toBeUndefined();
  }),
  row('5.3.2.1-8', 'the issuer is taken as audience, as a text', async () => {
    expect((await push({}, { aud: world().org.baseUrl })).status).toBe(201);
    const { response } = await flow();
    expect((await response()).status).toBe(200);
  }),
  row('5.3.2.1-8', 'a list of two, another issuer and the issuer with more behind it are not', async () => {
    const { baseUrl } = world().org;
    const other = await world().service.newOrg();
    for (const aud of [[baseUrl, 'https://evil.example'], other.baseUrl, `${baseUrl}/`, `${baseUrl}/x`]) {
      await isRefused(push({}, { aud }), 'invalid_client');
    }
  }),
  row('5.3.2.1-8', 'at a custom server it is its own issuer, and not that of the org', async () => {
    const { app, org } = world();
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const at = async (path: string, aud: string) => {
      const request = requestOf(app, { ...newPkce().parameters, scope: 'openid orders.read' });
      return postForm(org.anonymous, path, { ...request, ...(await assertion({ aud })) });
    };
    expect((await at(`${server.oauth}/v1/par`, server.issuer)).status).toBe(201);
    await isRefused(at(`${server.oauth}/v1/par`, org.baseUrl), 'invalid_client');
    await isRefused(at(PAR, server.issuer), 'invalid_client');
  }),
  row('5.3.2.1-9', 'refresh tokens do not rotate (app: rotation_type STATIC)', async () => {
    const { proofKey, response } = await flow({ scope: 'openid offline_access' });
    const { refresh_token: token } = (await response()).body;
    const again = await withProof(world().org, proofKey, TOKEN, async (headers) => {
      const grant = { grant_type: 'refresh_token', refresh_token: token };
      return postForm(world().org.anonymous, TOKEN, { ...grant, ...(await assertion()) }, { headers });
    });
    expect(again).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(again.body.refresh_token ?? token).toBe(token);
  }),
  row('5.3.2.1-10', 'a nonce for proofs is the server’s', async () => {
    const { proofKey, send } = await flow();
    const dpop = await proofKey.proof({ htm: 'POST', htu: world().org.baseUrl + TOKEN });
    const answer = await send({ dpop });
    expect([answer.body.error, typeof answer.headers['dpop-nonce']]).toEqual(['use_dpop_nonce', 'string']);
  }),
  row('5.3.2.1-11', 'a code is over after 60 seconds', async () => {
    const { response } = await flow();
    world().service.clock.advance(61_000);
    await isRefused(response(), 'invalid_grant');
  }),
  row('5.3.2.1-12', 'a code is bound to the key that the request names', async () => {
    const [own, other] = [await newProofKey(world().service), await newProofKey(world().service)];
    await isRefused((await flow({ dpop_jkt: own.jkt }, { proofKey: other })).response(), 'invalid_grant');
    expect((await (await flow({ dpop_jkt: own.jkt }, { proofKey: own })).response()).status).toBe(200);
  }),
  row('5.3.2.1-12', 'or whose proof the pushed request brings', async () => {
    const [own, other] = [await newProofKey(world().service), await newProofKey(world().service)];
    await isRefused((await flow({}, { pushedBy: own, proofKey: other })).response(), 'invalid_grant');
    expect((await (await flow({}, { pushedBy: own, proofKey: own })).response()).status).toBe(200);
  }),
  row('5.3.2.1-13', 'clocks may be 10 seconds ahead, and not more than 60', async () => {
    for (const claim of ['iat', 'nbf']) {
      expect((await push({}, { [claim]: seconds() + 10 })).status).toBe(201);
      await isRefused(push({}, { [claim]: seconds() + 61 }), 'invalid_client');
    }
  }),
];

const AUTHORIZATION = [
  row('5.3.2.2-1', 'response_type is code (app: response_types)', async () => {
    for (const type of ['token', 'id_token', 'code id_token']) {
      expect(await errorOf({ response_type: type, nonce: 'n' })).toBe('unsupported_response_type');
    }
  }),
  row('5.3.2.2-2', 'a pushed request of a client that proved itself gives a code', async () => {
    expect((await codeBy()).answer).toHaveProperty('code');
  }),
  row(
    '5.3.2.2-3',
    'a request that was not pushed is refused (app: require_pushed_authorization_requests)',
    async () => {
      const { parameters } = answered(await ask(world().browser.client, world().app, newPkce().parameters));
      expect(parameters).toMatchObject({ error: 'invalid_request', iss: world().org.baseUrl });
      expect(parameters).not.toHaveProperty('code');
    },
  ),
  row('5.3.2.2-4', 'a pushed request without proof of the client is refused', async () => {
    const stranger = newTestKey('ES256');
    const request = requestOf(world().app, newPkce().parameters);
    const forged = await assertion({}, { ...stranger, kid: FAPI_KEY.kid });
    await isRefused(postForm(world().org.anonymous, PAR, { ...request, ...forged }), 'invalid_client');
  }),
  row('5.3.2.2-5', 'PKCE by S256 is required (app: pkce_required)', async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined, state: 'xyz' };
    for (const changes of [without, { code_challenge_method: 'plain' }]) {
      expect(await errorOf(changes)).toBe('invalid_request');
    }
  }),
  row('5.3.2.2-6', 'redirect_uri is required', () => isRefused(push({ redirect_uri: undefined }), 'invalid_request')),
  row('5.3.2.2-7', 'iss is in the answer, and in errors', async () => {
    expect((await codeBy()).answer['iss']).toBe(world().org.baseUrl);
    const { body } = await push({ prompt: 'none' });
    const refused = answered(await bring(body.request_uri, world().org.anonymous)).parameters;
    expect(refused).toMatchObject({ error: 'login_required', iss: world().org.baseUrl });
  }),
  row('5.3.2.2-9', 'a code is good once, and again ends what it gave', async () => {
    const { proofKey, response } = await flow();
    const { body } = await response();
    expect((await userinfoBy(body.access_token, proofKey)).status).toBe(200);
    await isRefused(response(), 'invalid_grant');
    world().service.clock.advance(FORGOTTEN_MILLISECONDS);
    expect((await userinfoBy(body.access_token, proofKey)).status).toBe(401);
  }),
  row('5.3.2.2-10, 11', 'redirections are 303', async () => {
    const { body } = await push();
    expect((await bring(body.request_uri)).status).toBe(303);
  }),
  row('5.3.2.2-12', 'the name of a pushed request is good for less than ten minutes, once', async () => {
    const { body } = await push();
    expect(body.expires_in).toBeLessThan(600);
    expect(answered(await bring(body.request_uri)).parameters).toHaveProperty('code');
    expect(await bring(body.request_uri)).toMatchObject(ERROR_PAGE);
    const late = await push();
    world().service.clock.advance(late.body.expires_in * 1_000 + 1_000);
    expect(await bring(late.body.request_uri)).toMatchObject(ERROR_PAGE);
  }),
  row('5.3.2.2-14', 'a nonce of 64 characters', async () => {
    const nonce = 'n'.repeat(64);
    const { response } = await flow({ nonce });
    expect(payloadOf((await response()).body.id_token)).toMatchObject({ nonce });
  }),
  row('5.3.2.2-8', 'no redirection by http but to the device', async () => {
    const settings = { ...FAPI_SETTINGS, redirect_uris: ['http://app.example/callback'] };
    await expect(newOidcApp(world().org, { ...FAPI_APP, settings })).rejects.toThrow('redirect_uris');
  }),
  row('5.3.2.2', 'a verifier that is not that of the challenge', async () => {
    const { response } = await flow({}, { form: { code_verifier: newPkce().verifier } });
    await isRefused(response(), 'invalid_grant');
  }),
];

const NOT_MET = [
  unmet('5.3.2.1-8', 'nothing but the issuer is an audience', 'published clients name the endpoint: contract 7', () =>
    isRefused(
      assertion({ aud: world().org.baseUrl + PAR }).then((proof) =>
        postForm(world().org.anonymous, PAR, { ...requestOf(world().app, newPkce().parameters), ...proof }),
      ),
      'invalid_client',
    ),
  ),
  unmet('5.3.2.1-8', 'the issuer as a list is refused', 'published clients write a list of one: RFC 7519 4.1.3', () => {
    const { baseUrl } = world().org;
    return isRefused(push({}, { aud: [baseUrl] }), 'invalid_client');
  }),
];

describeProfile('FAPI 2.0: network', NETWORK);
describeProfile('FAPI 2.0: authorization server', GENERAL);
describeProfile('FAPI 2.0: authorization endpoint', AUTHORIZATION, NOT_MET);
