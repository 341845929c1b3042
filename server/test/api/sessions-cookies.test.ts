import { beforeAll, describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import {
  exchange,
  type Limits,
  ME,
  NO_SESSION,
  openSession,
  REFRESH_PATHS,
  signedIn,
} from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

/** This file tests session cookies (attacks 53, 54 and 57 in docs/security-rows.md). */
const { service, org } = useService({ isShared: false });
let userId: string;

const TRUSTED = 'https://app.example';
const REDIRECTED = 'https://go.example:8443';

const trust = async (of: TestOrg, origin: string, ...types: readonly string[]): Promise<string> => {
  const scopes = types.map((type) => ({ type }));
  const { body } = await of.admin.post('/api/v1/trustedOrigins', { body: { name: origin, origin, scopes } });
  return body.id;
};

beforeAll(async () => {
  userId = (await org.createUser({ credentials: CREDENTIALS })).id;
  await trust(org, TRUSTED, 'CORS');
  await trust(org, REDIRECTED, 'REDIRECT');
});

const PAGE = 'text/html; charset=utf-8';
const FORGED = { status: 403, body: { errorCode: 'E0000005' } };
const JSON_BODY = { raw: '{}', headers: { 'content-type': 'application/json' } };

describe('the cookie', () => {
  test.each<[string, (id: string) => Record<string, string>]>([
    ['__Host-sid', (id) => ({ cookie: `__Host-sid=${id}` })],
    ['__Host-sid before a bare sid', (id) => ({ cookie: `sid=102${'x'.repeat(22)}; __Host-sid=${id}` })],
    ['__Host-sid of a browser', (id) => ({ cookie: `__Host-sid=${id}`, 'sec-fetch-site': 'same-origin' })],
    ['a bare sid of a client', (id) => ({ cookie: `a=b; sid=${id}` })],
  ])('%s counts', async (_name, headersFor) => {
    const { id } = await openSession(service, org, { userId });
    expect(await org.client(headersFor(id)).get(ME)).toMatchObject({ status: 200, body: { id } });
  });

  test.each<[string, (id: string) => Record<string, string>]>([
    ['a bare sid with Origin', (id) => ({ cookie: `sid=${id}`, origin: TRUSTED })],
    ["a bare sid with the org's own Origin", (id) => ({ cookie: `sid=${id}`, origin: org.baseUrl })],
    ['a bare sid with Sec-Fetch-Site', (id) => ({ cookie: `sid=${id}`, 'sec-fetch-site': 'none' })],
    ['a sid that comes twice', (id) => ({ cookie: `sid=${id}; sid=${id}` })],
    ['__Host-sid that comes twice', (id) => ({ cookie: `__Host-sid=${id}; __Host-sid=102${'x'.repeat(22)}` })],
    ['a sid behind a broken __Host-sid', (id) => ({ cookie: `__Host-sid=x; sid=${id}` })],
    ['a malformed value', (id) => ({ cookie: `__Host-sid="${id}"` })],
    ['another name', (id) => ({ cookie: `SID=${id}; idx=${id}; __Secure-sid=${id}` })],
    ['a header', (id) => ({ sid: id, 'x-session-id': id })],
  ])('%s is absent', async (_name, headersFor) => {
    const { id } = await openSession(service, org, { userId });
    const client = org.client(headersFor(id));
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 401, body: { errorCode: 'E0000004' } });
  });

  test('counts for nothing beside an Authorization header, which must hold by itself', async () => {
    const { id } = await openSession(service, org, { userId });
    const client = org.client({ cookie: `sid=${id}`, authorization: `SSWS 00${'x'.repeat(40)}` });
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
  });
});

describe('a write with __Host-sid', () => {
  const writes: readonly (readonly [string, string])[] = [
    ...REFRESH_PATHS.map((path) => ['POST', `${ME}/${path}`] as const),
    ['DELETE', ME],
    ['POST', '/api/v1/users/me'],
    ['DELETE', '/api/v1/users/me/sessions'],
  ];

  const refused: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['nothing else', {}],
    ['JSON, but no Origin', { 'content-type': 'application/json' }],
    ["a stranger's Origin", { origin: 'https://evil.example', 'content-type': 'application/json' }],
    ['Origin null', { origin: 'null', 'content-type': 'application/json' }],
    ['an origin trusted with REDIRECT alone', { origin: REDIRECTED, 'content-type': 'application/json' }],
  ];

  test.each(writes.flatMap((write) => refused.map(([name, headers]) => [...write, name, headers] as const)))(
    '%s %s with %s is refused, and nothing happens',
    async (method, path, _name, headers) => {
      const { client, id } = await openSession(service, org, { userId });
      const browser = org.client({ cookie: `__Host-sid=${id}`, ...headers });
      const body = 'content-type' in headers ? { raw: '{}' } : {};
      expect(await browser.send(method, path, body)).toMatchObject(FORGED);
      expect((await client.get(ME)).status).toBe(200);
    },
  );

  test('from another org of the same site is refused', async () => {
    const { id } = await openSession(service, org, { userId });
    const { baseUrl } = await service.newOrg();
    const browser = org.client({ cookie: `__Host-sid=${id}`, origin: baseUrl, 'sec-fetch-site': 'same-site' });
    expect(await browser.post(`${ME}/refresh`, JSON_BODY)).toMatchObject(FORGED);
  });

  test('as a form sends it is refused, even from the own origin', async () => {
    const { id } = await openSession(service, org, { userId });
    const browser = org.client({ cookie: `__Host-sid=${id}`, origin: org.baseUrl });
    const form = { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const plain = { raw: '{}', headers: { 'content-type': 'text/plain' } };
    for (const body of [form, plain]) {
      const response = await browser.post(`${ME}/refresh`, body);
      expect([400, 403]).toContain(response.status);
    }
    expect(await browser.post(`${ME}/refresh`)).toMatchObject(FORGED);
  });

  test.each(['own', 'trusted'])('from the %s origin passes, with JSON or an own header', async (kind) => {
    const { id } = await openSession(service, org, { userId });
    const origin = kind === 'own' ? org.baseUrl : TRUSTED;
    const browser = org.client({ cookie: `__Host-sid=${id}`, origin });
    expect((await browser.post(`${ME}/refresh`, JSON_BODY)).status).toBe(200);
    expect((await browser.post(`${ME}/refresh`, { headers: { 'x-svc-xsrftoken': '1' } })).status).toBe(200);
    expect((await browser.del(ME, { headers: { 'x-requested-with': 'XMLHttpRequest' } })).status).toBe(204);
  });

  test('by a bare sid, which no browser sends so, needs none of it', async () => {
    const { client } = await openSession(service, org, { userId });
    expect((await client.post(`${ME}/refresh`)).status).toBe(200);
    expect((await client.del(ME)).status).toBe(204);
  });
});

describe('/login/sessionCookieRedirect', () => {
  const go = async (
    redirectUrl: string | null,
    options: { token?: string; headers?: Record<string, string>; limits?: Limits } = {},
  ): Promise<TestResponse> => {
    const token = options.token ?? (await signedIn(service, org, userId, options.limits)).sessionToken;
    const target = redirectUrl === null ? '' : `&redirectUrl=${encodeURIComponent(redirectUrl)}`;
    const headers = { accept: '*/*', ...options.headers };
    return org.client(headers).get(`/login/sessionCookieRedirect?token=${encodeURIComponent(token)}${target}`);
  };
  const cookieOf = ({ headers }: TestResponse): string => String(headers['set-cookie']);
  const idOf = (response: TestResponse): string => /__Host-sid=([^;]*)/.exec(cookieOf(response))?.[1] ?? '';

  test.each(['/account/profile?x=1#y', '', '/'])("sends to the org's own %j with a session", async (path) => {
    const response = await go(`${org.baseUrl}${path}`);
    expect(response.status).toBe(302);
    expect(response.headers['location']).toBe(new URL(`${org.baseUrl}${path}`).href);
    expect(cookieOf(response)).toMatch(/^__Host-sid=102[\w-]{22}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    expect(response.headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
    expect(response.headers['cache-control']).toContain('no-store');
    const browser = org.client({ cookie: `__Host-sid=${idOf(response)}` });
    expect(await browser.get(ME)).toMatchObject({ status: 200, body: { userId } });
  });

  test('sends to an active trusted origin with scope REDIRECT', async () => {
    expect((await go(`${REDIRECTED}/back`)).headers['location']).toBe(`${REDIRECTED}/back`);
  });

  test('the cookie persists only where the session is to, and no longer than the session may live', async () => {
    const persistent = await go(org.baseUrl, { limits: { usePersistentCookie: true, lifetimeMinutes: 60 } });
    expect(cookieOf(persistent)).toContain('; Max-Age=3600; ');
    const unlimited = await go(org.baseUrl, { limits: { usePersistentCookie: true } });
    expect(cookieOf(unlimited)).toContain('; Max-Age=34560000; ');
    expect(cookieOf(await go(org.baseUrl, { limits: { lifetimeMinutes: 60 } }))).not.toContain('Max-Age');
  });

  test('gives a new id, whatever the browser had before (fixation)', async () => {
    const planted = `102${'p'.repeat(22)}`;
    const attackers = await openSession(service, org);
    for (const id of [planted, attackers.id]) {
      const response = await go(org.baseUrl, { headers: { cookie: `__Host-sid=${id}; sid=${id}` } });
      expect(response.status).toBe(302);
      expect(idOf(response)).not.toBe(id);
    }
    expect(await org.client({ cookie: `sid=${planted}` }).get(ME)).toMatchObject(NO_SESSION);
    // Signing in ends the session of another user in the same browser.
    expect(await attackers.client.get(ME)).toMatchObject(NO_SESSION);
  });

  test.each([
    'https://evil.example/',
    TRUSTED,
    'https://go.example/',
    'http://go.example:8443/',
    'https://go.example:8443@evil.example/',
    'https://user:password@go.example:8443/',
    'https://go.example:8443.evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/relative',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:\\\\evil.example',
    '\u0009https://evil.example',
    '',
    'x',
  ])('refuses to send to %j, and leaves the token unused', async (redirectUrl) => {
    const { sessionToken } = await signedIn(service, org, userId);
    const response = await go(redirectUrl, { token: sessionToken });
    expect(response).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(response.headers['location']).toBeUndefined();
    expect(response.headers['set-cookie']).toBeUndefined();
    expect((await exchange(org.anonymous, sessionToken)).status).toBe(200);
  });

  test('refuses without redirectUrl, to another org, and to its trusted origins', async () => {
    const other = await service.newOrg();
    const theirs = 'https://theirs.example';
    await trust(other, theirs, 'REDIRECT');
    for (const target of [null, other.baseUrl, theirs]) expect((await go(target)).status).toBe(400);
  });

  test('refuses a trusted origin that is inactive', async () => {
    const origin = 'https://once.example';
    const id = await trust(org, origin, 'REDIRECT');
    expect((await go(origin)).status).toBe(302);
    await org.admin.post(`/api/v1/trustedOrigins/${id}/lifecycle/deactivate`);
    expect((await go(origin)).status).toBe(400);
  });

  test('refuses a token that is used, unknown or absent: 401, no cookie', async () => {
    const { sessionToken } = await signedIn(service, org, userId);
    expect((await go(org.baseUrl, { token: sessionToken })).status).toBe(302);
    for (const token of [sessionToken, 'x', '']) {
      const response = await go(org.baseUrl, { token });
      expect(response).toMatchObject({ status: 401, body: { errorCode: 'E0000004' } });
      expect(response.headers['set-cookie']).toBeUndefined();
    }
    const target = encodeURIComponent(org.baseUrl);
    expect((await org.anonymous.get(`/login/sessionCookieRedirect?redirectUrl=${target}`)).status).toBe(401);
  });

  const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };

  test.each([
    ['the own pages', { 'sec-fetch-site': 'same-origin' }],
    ['a page of a trusted origin', { 'sec-fetch-site': 'cross-site', referer: `${TRUSTED}/` }],
    ['a page that may be sent to', { 'sec-fetch-site': 'cross-site', referer: `${REDIRECTED}/x?y` }],
  ])('a browser that comes from %s is let in', async (_name, headers) => {
    expect((await go(org.baseUrl, { headers: { ...page, ...headers } })).status).toBe(302);
  });

  test('a browser without Fetch metadata is let in from the own pages and from trusted ones', async () => {
    for (const referer of [`${org.baseUrl}/x`, `${TRUSTED}/`]) {
      expect((await go(org.baseUrl, { headers: { referer } })).status).toBe(302);
    }
  });

  test.each<Record<string, string>>([
    { referer: 'https://evil.example/x' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://evil.example', referer: `${TRUSTED}/` },
    { referer: 'https://other.localhost/' },
  ])('a browser without Fetch metadata that says %j is not signed in either', async (headers) => {
    const response = await go(org.baseUrl, { headers });
    expect(response).toMatchObject(FORGED);
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  test.each<[string, Record<string, string>]>([
    ["a stranger's page", { ...page, 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' }],
    ['a link of a mail, or the address bar', { ...page, 'sec-fetch-site': 'none' }],
    ['a page that hides where it is', { ...page, 'sec-fetch-site': 'cross-site' }],
    ['another org', { ...page, 'sec-fetch-site': 'same-site', referer: 'https://other.localhost/' }],
    ['an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image', referer: `${TRUSTED}/` }],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe', referer: `${TRUSTED}/` }],
  ])('a browser that comes from %s is not signed in as somebody else', async (_name, headers) => {
    const response = await go(org.baseUrl, { headers });
    // A navigation is refused with a page.
    if ('sec-fetch-mode' in headers) expect([response.status, response.headers['content-type']]).toEqual([403, PAGE]);
    else expect(response).toMatchObject(FORGED);
    expect(response.headers['set-cookie']).toBeUndefined();
  });
});
