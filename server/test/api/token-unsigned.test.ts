import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ALL_RESPONSES,
  answered,
  ask,
  assign,
  newBrowser,
  newOidcApp,
  type OidcApp,
  requestOf,
} from '../support/authorization.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { claimsOf, newServiceApp, postForm, signAssertion, tokenForm } from '../support/service-apps.ts';
import { newCode, newUserApp, redeem, refresh, tokensOf } from '../support/user-tokens.ts';

/** This file tests ADR 0037: if nothing can be signed, nothing is consumed. */
let service: TestService;
let second: TestService;
let org: TestOrg;
let elsewhere: TestClient & { close(): void };

beforeEach(async () => {
  service = await startTestService();
  second = await startTestService({ database: service.database, publicPort: service.port });
  org = service.org;
  elsewhere = createTestClient({ port: second.port, hostname: org.hostname, ca: second.ca });
});
afterEach(async () => {
  elsewhere.close();
  await second.close();
  await service.close();
});

/** Sends a request while no signing key can be opened, and again after the keys are restored. */
async function askTwice<Told extends { readonly status: number }>(send: () => Promise<Told>): Promise<Told> {
  const { pool } = service.database;
  const spoil = 'update signing_keys set sealed_key = set_byte(sealed_key, 40, 255 - get_byte(sealed_key, 40))';
  await pool.query(spoil);
  const refused = await send();
  await pool.query(spoil);
  expect(refused.status).toBe(500);
  return send();
}

describe('what could not be answered is not used up:', () => {
  test('a code', async () => {
    const app = await newUserApp(org);
    await tokensOf(service, org, app);
    const code = await newCode(service, org, app);
    expect(await askTwice(() => redeem(org, app, code, {}, { client: elsewhere }))).toMatchObject({ status: 200 });
  });

  test('a refresh token, whose family goes on', async () => {
    const app = await newUserApp(org);
    const { refresh_token: token } = await tokensOf(service, org, app);
    const { body, status } = await askTwice(() => refresh(org, app, token, {}, { client: elsewhere }));
    expect(status).toBe(200);
    expect((await refresh(org, app, body.refresh_token)).status).toBe(200);
  });

  test('a code of a custom server', async () => {
    const app = await newUserApp(org);
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const path = `${server.oauth}/v1/token`;
    await tokensOf(service, org, app, { serverId: server.id }, { path });
    const code = await newCode(service, org, app, { serverId: server.id });
    const told = await askTwice(() => redeem(org, app, code, {}, { client: elsewhere, path }));
    expect(told).toMatchObject({ status: 200 });
  });

  test('an assertion', async () => {
    const app = await newServiceApp(org);
    const { key } = app;
    const form = async () => tokenForm(await signAssertion(key, claimsOf(org, app.id, service.clock.now())));
    expect((await postForm(org.anonymous, '/oauth2/v1/token', await form())).status).toBe(200);
    const assertion = await form();
    expect((await askTwice(() => postForm(elsewhere, '/oauth2/v1/token', assertion))).status).toBe(200);
  });

  test('a pushed request, and nothing tells that a token was granted', async () => {
    const app: OidcApp = await newOidcApp(org, { settings: ALL_RESPONSES });
    const browser = await newBrowser(service, org, app);
    const authorization = `Basic ${Buffer.from(`${app.id}:${app.secret ?? ''}`).toString('base64')}`;
    const push = async () => {
      const parameters = requestOf(app, { response_type: 'id_token', nonce: 'n-1' });
      return (await postForm(org.anonymous, '/oauth2/v1/par', parameters, { headers: { authorization } })).body;
    };
    const left = { redirect_uri: undefined, response_type: undefined, scope: undefined, state: undefined };
    const bring = (client: TestClient, uri: string) => ask(client, app, { ...left, request_uri: uri });
    answered(await bring(browser.client, (await push()).request_uri));
    const { request_uri: uri } = await push();
    const cold = createTestClient({
      port: second.port,
      hostname: org.hostname,
      ca: second.ca,
      headers: { cookie: browser.cookie, accept: 'text/html' },
    });
    const { parameters } = answered(await askTwice(() => bring(cold, uri)));
    cold.close();
    expect(parameters).toHaveProperty('id_token');
    const events = await org.systemLog('eventType eq "app.oauth2.authorize.implicit"');
    expect(events).toHaveLength(2);
  });
});

test('a refusal is told, whether or not a key can be opened', async () => {
  const app = await newUserApp(org);
  await tokensOf(service, org, app);
  const user = await org.createUser();
  const code = await newCode(service, org, { ...app, userId: user.id });
  await service.database.pool.query('update signing_keys set sealed_key = sealed_key || sealed_key');
  const told = await redeem(org, app, code, {}, { client: elsewhere });
  expect(told).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  await assign(org, app, user.id);
});
