import { createHash } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { ALL_RESPONSES, answered, ask, CALLBACK, newBrowser, newOidcApp, posted } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { changeSettings } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests authorization responses (Multiple Response Types, Form Post Response Mode; specification 4.7, 6;
 * attacks 55, 56 and 71 in docs/security-rows.md).
 */
const { service, org } = useService();
const app = beforeTests(() => newOidcApp(org, { settings: ALL_RESPONSES, scopes: ['svc.users.read'] }));
const browser = beforeTests(() => newBrowser(service, org, app));
const server = beforeTests(() => newCustomServer(org, { grantTypes: ['authorization_code', 'implicit'] }));

const halfHash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

const verified = async (token: string | undefined, keys = '/oauth2/v1/keys') =>
  (await jwtVerify(token ?? '', createLocalJWKSet((await org.anonymous.get(keys)).body), { currentDate: org.now() }))
    .payload;

const nonce = 'n-0S6_WzA2Mj';

describe('tokens with the answer', () => {
  test('an ID token for the nonce, in the fragment', async () => {
    const response = await ask(browser.client, app, { response_type: 'id_token', scope: 'openid email', nonce });
    expect(String(response.headers['location'])).toMatch(/^https:\/\/app\.example\/callback#/);
    const { parameters } = answered(response);
    expect(Object.keys(parameters).toSorted()).toEqual(['id_token', 'iss', 'state']);
    expect(await verified(parameters['id_token'])).toMatchObject({
      iss: org.baseUrl,
      aud: app.id,
      sub: browser.userId,
      nonce,
      amr: ['pwd'],
      jti: expect.stringMatching(/^ID\./),
      auth_time: expect.any(Number),
    });
  });

  test('an access token alone, on the org server too (specification 4.7)', async () => {
    const changes = { response_type: 'token', scope: 'openid svc.users.read' };
    const { parameters } = answered(await ask(browser.client, app, changes));
    expect(parameters).toMatchObject({ token_type: 'Bearer', expires_in: '3600', scope: changes.scope, state: 'xyz' });
    expect(await verified(parameters['access_token'])).toMatchObject({
      cid: app.id,
      uid: browser.userId,
      scp: ['openid', 'svc.users.read'],
    });
  });

  test('both, bound to each other', async () => {
    const { parameters } = answered(await ask(browser.client, app, { response_type: 'id_token token', nonce }));
    const { at_hash: hash, c_hash: code } = await verified(parameters['id_token']);
    expect([hash, code]).toEqual([halfHash(parameters['access_token'] ?? ''), undefined]);
  });

  test('beside a code, bound to it', async () => {
    const changes = { response_type: 'code id_token token', nonce };
    const { parameters } = answered(await ask(browser.client, app, changes));
    expect(parameters).toMatchObject({ code: expect.any(String), access_token: expect.any(String) });
    expect(await verified(parameters['id_token'])).toMatchObject({
      c_hash: halfHash(parameters['code'] ?? ''),
      at_hash: halfHash(parameters['access_token'] ?? ''),
    });
    const codeAndToken = answered(await ask(browser.client, app, { response_type: 'code token' })).parameters;
    expect(Object.keys(codeAndToken)).not.toContain('id_token');
  });

  test('of a custom server, by its rule for implicit', async () => {
    const changes = { response_type: 'id_token token', scope: 'openid orders.read', nonce };
    const path = `${server.oauth}/v1/authorize`;
    const { parameters } = answered(await ask(browser.client, app, changes, path));
    expect(parameters).toMatchObject({ expires_in: '1800', iss: server.issuer });
    const keys = `${server.oauth}/v1/keys`;
    expect(await verified(parameters['access_token'], keys)).toMatchObject({ aud: 'api://orders', iss: server.issuer });
    expect(await verified(parameters['id_token'], keys)).toMatchObject({ aud: app.id, iss: server.issuer });
    const codeOnly = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const refused = answered(
      await ask(browser.client, app, { ...changes, response_type: 'code token' }, `${codeOnly.oauth}/v1/authorize`),
    );
    expect(refused.parameters).toMatchObject({ error: 'access_denied', iss: codeOnly.issuer });
  });
});

describe('the log of what was issued', () => {
  const TYPES = ['app.oauth2.authorize.implicit_success', 'app.oauth2.authorize.implicit'];

  test('has the tokens as targets, what they say, and never the strings (specification 6)', async () => {
    const { parameters } = answered(await ask(browser.client, app, { response_type: 'id_token token', nonce }));
    const events = await org.systemLog();
    const [success, minted] = TYPES.map((type) => events.findLast(({ eventType }) => eventType === type));
    expect(success).toMatchObject({ actor: { id: browser.userId }, outcome: { result: 'SUCCESS' } });
    const { jti } = await verified(parameters['access_token']);
    expect(minted.target.slice(2)).toMatchObject([
      { type: 'access_token', id: jti, detailEntry: { hash: expect.any(String), claims: { cid: app.id } } },
      { type: 'id_token', id: expect.stringMatching(/^ID\./), detailEntry: { claims: { aud: app.id } } },
    ]);
    const text = JSON.stringify(events);
    for (const token of ['access_token', 'id_token']) {
      const [, , signature = ''] = (parameters[token] ?? '').split('.');
      expect(signature.length).toBeGreaterThan(100);
      expect(text).not.toContain(signature);
    }
  });
});

test('in the names of today each token has an event', async () => {
  const other = await service.newOrg();
  await changeSettings(service, other, { eventNames: 'current' });
  const theirs = await newOidcApp(other, { settings: ALL_RESPONSES });
  const { client } = await newBrowser(service, other, theirs);
  await ask(client, theirs, { response_type: 'id_token token', nonce });
  await ask(client, theirs, { scope: 'openid nobodys' });
  const types = (await other.systemLog())
    .map(({ eventType }) => eventType)
    .filter((type) => type.includes('authorize'));
  expect(types).toEqual([
    'app.oauth2.authorize.implicit.access_token',
    'app.oauth2.authorize.implicit.id_token',
    'app.oauth2.authorize',
  ]);
});

describe('form_post', () => {
  test('is a form and its script, and nothing else', async () => {
    const response = await ask(browser.client, app, { response_mode: 'form_post' });
    const { parameters, to } = posted(response);
    expect(to).toBe(CALLBACK);
    expect(parameters).toEqual({ code: expect.any(String), state: 'xyz', iss: org.baseUrl });
    const policy = String(response.headers['content-security-policy']);
    const nonceOfScript = /<script nonce="([^"]+)">/.exec(response.text)?.[1] ?? '';
    expect(nonceOfScript.length).toBeGreaterThan(20);
    expect(policy).toContain(`script-src 'nonce-${nonceOfScript}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    const [, body = ''] = response.text.split('<body>');
    const tags = [...body.matchAll(/<([a-z]+)/g)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(new Set(['form', 'input', 'noscript', 'button', 'script']));
    expect(response.text).not.toMatch(/\son\w+=/);
  });

  test('speaks the language that the request asks for', async () => {
    const { text } = await ask(browser.client, app, { response_mode: 'form_post', ui_locales: 'ja' });
    expect(text).toContain('<html lang="ja">');
    expect(text).toContain('<button type="submit">続ける</button>');
  });

  test('has a new nonce each time', async () => {
    const texts = await Promise.all([1, 2].map(() => ask(browser.client, app, { response_mode: 'form_post' })));
    const [one, other] = texts.map(({ headers }) => headers['content-security-policy']);
    expect(one).not.toBe(other);
  });

  test('carries tokens, and errors', async () => {
    const tokens = await ask(browser.client, app, {
      response_mode: 'form_post',
      response_type: 'id_token token',
      nonce,
    });
    expect(posted(tokens).parameters).toMatchObject({ access_token: expect.any(String), id_token: expect.any(String) });
    const refused = await ask(org.anonymous, app, { response_mode: 'form_post', prompt: 'none' });
    expect(posted(refused).parameters).toMatchObject({ error: 'login_required', state: 'xyz' });
  });

  test.each(['"><script>alert(1)</script>', "'><img src=x onerror=alert(1)>", '</form><b>&quot;', '\r\nSet-Cookie: x'])(
    'state %j stays text',
    async (state) => {
      const response = await ask(browser.client, app, { response_mode: 'form_post', state });
      expect(posted(response).parameters['state']).toBe(state);
      expect(response.text.match(/<script/g)).toHaveLength(1);
      expect(response.text).not.toMatch(/<img|<b>/);
    },
  );
});

describe('a message to a window', () => {
  const mode = 'svc_post_message';

  test('goes to the origin of the redirect URI, whose frame alone may hold the page', async () => {
    const response = await ask(browser.client, app, { response_mode: mode, prompt: 'none' });
    expect(response.status).toBe(200);
    expect(response.headers['content-security-policy']).toContain('frame-ancestors https://app.example');
    expect(response.headers['x-frame-options']).toBeUndefined();
    expect(response.text).toMatch(
      /postMessage\(\{"code":"[\w-]{43}","state":"xyz","iss":"[^"]+"\}, "https:\/\/app\.example"\)/,
    );
  });

  test('tells errors too', async () => {
    const { text } = await ask(org.anonymous, app, { response_mode: mode, prompt: 'none' });
    expect(text).toContain('"error":"login_required"');
  });

  test('is not ended by what it says', async () => {
    const state = '</script><script>alert(1)//\u2028';
    const { text } = await ask(browser.client, app, { response_mode: mode, state });
    expect(text.match(/<\/script>/g)).toHaveLength(1);
    expect(text).toContain('\\u003c/script\\u003e');
    expect(text).not.toContain('\u2028');
  });

  test('has the word of the namespace', async () => {
    const { parameters } = answered(await ask(browser.client, app, { response_mode: 'okta_post_message' }));
    expect(parameters).toMatchObject({ error: 'unsupported_response_mode' });
  });
});
