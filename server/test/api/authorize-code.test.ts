import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  AUTHORIZE,
  answered,
  ask,
  assign,
  CALLBACK,
  cookieOf,
  newBrowser,
  newOidcApp,
  newPkce,
  post,
  withCookies,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { openSession, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests the authorization code flow (specification 4.7; RFC 6749 4.1; OpenID Connect Core 3.1.2; RFC 9207).
 */
const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newOidcApp(org));
const browser = beforeTests(() => newBrowser(service, org, app));

const stored = async (code: string) => {
  const hash = createHash('sha256').update(code).digest();
  const text = 'select * from authorization_codes where org_id = $1 and code_hash = $2';
  return (await service.database.pool.query(text, [org.id, hash])).rows[0];
};

describe('a user who is signed in', () => {
  test('sends the browser back with a code, the state and the issuer', async () => {
    const response = await ask(browser.client, app);
    const { parameters, to } = answered(response);
    expect(to).toBe(CALLBACK);
    expect(parameters).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state: 'xyz', iss: org.baseUrl });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('by a form as well', async () => {
    const { parameters } = answered(await post(browser.client, app, { state: 'form' }));
    expect(parameters).toMatchObject({ code: expect.any(String), state: 'form' });
  });

  test('the code is bound to client, redirect URI, challenge and session', async () => {
    const pkce = newPkce();
    const { parameters } = answered(await ask(browser.client, app, { ...pkce.parameters, nonce: 'n-1' }));
    const row = await stored(parameters['code'] ?? '');
    expect(row).toMatchObject({
      client_id: app.id,
      user_id: browser.userId,
      redirect_uri: CALLBACK,
      code_challenge: pkce.parameters['code_challenge'],
      nonce: 'n-1',
      scopes: ['openid'],
      session_external_id: browser.externalSessionId,
      amr: ['pwd'],
      server_id: '',
    });
    expect(row.expires_at - row.created_at).toBe(60_000);
  });

  test('the session knows its apps', async () => {
    await ask(browser.client, app);
    const text = 'select client_id from session_clients where org_id = $1 and session_external_id = $2';
    const { rows } = await service.database.pool.query(text, [org.id, browser.externalSessionId]);
    expect(rows).toEqual([{ client_id: app.id }]);
  });

  test('without state where a code challenge protects the request', async () => {
    const { parameters } = answered(await ask(browser.client, app, { ...newPkce().parameters, state: undefined }));
    expect(Object.keys(parameters)).toEqual(['code', 'iss']);
  });

  test('the log tells who signed on to what, and nothing that could be used', async () => {
    const { parameters } = answered(await ask(browser.client, app, { scope: 'openid email' }));
    const events = await org.systemLog(`target.id eq "${app.id}" and actor.id eq "${browser.userId}"`);
    const [code, sso] = [
      events.findLast(({ eventType }) => eventType === 'app.oauth2.authorize.code'),
      events.findLast(({ eventType }) => eventType === 'user.authentication.sso'),
    ];
    expect(code).toMatchObject({
      actor: { type: 'User', alternateId: browser.login },
      authenticationContext: { externalSessionId: browser.externalSessionId },
      debugContext: { debugData: { grantedScopes: 'openid email', responseType: 'code' } },
    });
    expect(sso.target.map(({ type }: { type: string }) => type)).toEqual(['User', 'AppInstance']);
    expect(JSON.stringify(events)).not.toContain(parameters['code']);
  });

  test('at a custom server its policies decide, and it is the issuer', async () => {
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const path = `${server.oauth}/v1/authorize`;
    const changes = { scope: 'openid orders.read' };
    const { parameters } = answered(await ask(browser.client, app, changes, path));
    expect(parameters).toMatchObject({ code: expect.any(String), iss: server.issuer });
    expect(await stored(parameters['code'] ?? '')).toMatchObject({
      server_id: server.id,
      scopes: changes.scope.split(' '),
    });
    const byForm = answered(await post(browser.client, app, changes, path));
    expect(byForm.parameters).toMatchObject({ code: expect.any(String), iss: server.issuer });
  });
});

describe('a user who is not signed in', () => {
  const start = async (changes = {}) => {
    const response = await ask(org.client({ accept: 'text/html' }), app, changes);
    const { parameters, to } = answered(response);
    return { to, parameters, flow: cookieOf(response, '__Host-flow'), response };
  };

  test('is sent to sign in, by a cookie that names the browser', async () => {
    const { flow, parameters, response, to } = await start({ login_hint: 'ada@example.com' });
    expect(to).toBe('/signin');
    expect(parameters).toEqual({
      fromURI: expect.stringMatching(/^\/oauth2\/v1\/authorize\/resume\?request=[\w-]{43}$/),
      login_hint: 'ada@example.com',
    });
    expect(flow).toMatch(/^[\w-]{43}$/);
    expect(String(response.headers['set-cookie'])).toMatch(/Secure; HttpOnly; SameSite=Lax/);
  });

  test('goes on where it was, once', async () => {
    const { flow, parameters } = await start({ state: 'kept' });
    const resume = parameters['fromURI'] ?? '';
    const client = withCookies(org, `__Host-flow=${flow}`, browser.cookie);
    const done = answered(await client.get(resume));
    expect(done).toMatchObject({ to: CALLBACK, parameters: { code: expect.any(String), state: 'kept' } });
    const again = await client.get(resume);
    expect(again).toMatchObject({ status: 400 });
    expect(again.text).toContain('Request expired');
  });

  test('of two browsers that go on at once one gets a code', async () => {
    const { flow, parameters } = await start();
    const client = withCookies(org, `__Host-flow=${flow}`, browser.cookie);
    const answers = await Promise.all([1, 2, 3].map(() => client.get(parameters['fromURI'] ?? '')));
    const codes = answers.filter(({ headers }) => String(headers['location']).includes('code='));
    expect(codes).toHaveLength(1);
  });

  test('an hour later it is over', async () => {
    const { flow, parameters } = await start();
    service.clock.advance(61 * 60_000);
    const { cookie } = await newBrowser(service, org, null, { userId: browser.userId });
    const client = withCookies(org, `__Host-flow=${flow}`, cookie);
    expect((await client.get(parameters['fromURI'] ?? '')).status).toBe(400);
  });

  test('a flow cookie that is there stays', async () => {
    const { flow } = await start();
    const response = await ask(withCookies(org, `__Host-flow=${flow}`), app);
    expect(response.headers['set-cookie']).toBeUndefined();
  });
});

describe('a session token', () => {
  test('opens the session, sets its cookie and is gone', async () => {
    const { externalSessionId, sessionToken } = await signedIn(service, org, browser.userId);
    const anonymous = org.client({ accept: 'text/html' });
    const response = await ask(anonymous, app, { sessionToken });
    expect(answered(response).parameters).toMatchObject({ code: expect.any(String) });
    expect(cookieOf(response, '__Host-sid')).toMatch(/^102/);
    expect(await stored(answered(response).parameters['code'] ?? '')).toMatchObject({
      session_external_id: externalSessionId,
    });
    const again = answered(await ask(anonymous, app, { sessionToken, prompt: 'none' }));
    expect(again.parameters).toMatchObject({ error: 'login_required' });
  });

  test('of a page of a stranger is as good as none', async () => {
    const { sessionToken } = await signedIn(service, org, browser.userId);
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document', referer: 'https://evil.example/' };
    const { parameters } = answered(await ask(org.client(headers), app, { sessionToken, prompt: 'none' }));
    expect(parameters['error']).toBe('login_required');
    expect(answered(await ask(org.anonymous, app, { sessionToken })).parameters).toHaveProperty('code');
  });

  test('is not kept while its user signs in', async () => {
    await ask(org.anonymous, app, { sessionToken: 'spent-and-secret' });
    const { rows } = await service.database.pool.query('select parameters from authorization_requests');
    expect(JSON.stringify(rows)).not.toContain('spent-and-secret');
  });
});

test('no code is born behind the suspension of its user', async () => {
  const { client, userId } = await newBrowser(service, org, app);
  const [suspended, ...answers] = await Promise.all([
    org.admin.post(`/api/v1/users/${userId}/lifecycle/suspend`),
    ...Array.from({ length: 6 }, () => ask(client, app)),
  ]);
  expect(suspended.status).toBe(200);
  expect(answers.every(({ status }) => status === 303)).toBe(true);
  const text = `select count(*)::int as alive from authorization_codes c join users u on u.org_id = c.org_id
    and u.id = c.user_id where c.org_id = $1 and c.user_id = $2 and c.issued_at > u.valid_after`;
  expect((await service.database.pool.query(text, [org.id, userId])).rows).toEqual([{ alive: 0 }]);
});

test('another org has neither the app nor the session', async () => {
  const other = await service.newOrg();
  const response = await other.client({ cookie: browser.cookie }).get(`${AUTHORIZE}?client_id=${app.id}`);
  expect(response.status).toBe(400);
  const theirs = await newOidcApp(other);
  await assign(other, theirs, other.adminUserId);
  const { to } = answered(await ask(other.client({ cookie: browser.cookie }), theirs));
  expect(to).toBe('/signin');
  const { id } = await openSession(service, other, { userId: other.adminUserId });
  expect(answered(await ask(other.client({ cookie: `__Host-sid=${id}` }), theirs)).parameters).toHaveProperty('code');
});
