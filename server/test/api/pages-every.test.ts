import { beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { newUser } from '../support/authn.ts';
import { assign } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import { good } from '../support/custom-servers.ts';
import { enterCode, newDeviceApp, startDevice } from '../support/devices.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { createProvider } from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD, userIn } from '../support/users.ts';

const { service, org } = useService();

const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const EVIL = '"><script>alert(1)</script>{0}';

async function signedIn(): Promise<{ browser: PageClient; user: TestResponse['body'] }> {
  const user = await newUser(org);
  const browser = openPageClient(org);
  await signInByPages(browser, loginOf(user));
  return { browser, user };
}

describe('what people write', () => {
  test('is text on every page: names, hints, addresses, providers', async () => {
    const own = await service.newOrg();
    const profile = { firstName: EVIL, lastName: EVIL };
    const user = await own.createUser({ profile, credentials: { password: { value: PASSWORD } } });
    const browser = openPageClient(own);
    await signInByPages(browser, loginOf(user));
    const hint = encodeURIComponent(EVIL);
    const pages = [
      '/',
      '/account/profile',
      '/account/sessions',
      '/signout',
      `/signin?reauthenticate=true&login_hint=${hint}`,
      `/signin?reauthenticate=true&step=password&login_hint=${hint}&fromURI=${encodeURIComponent(`/${EVIL}`)}`,
      `/signin?reauthenticate=true&ui_locales=${hint}&x=${hint}`,
      `/welcome/${hint}`,
    ];
    for (const path of pages) {
      const { status, text } = await browser.get(path);
      expect([path, status < 500]).toEqual([path, true]);
      expect(text).not.toContain('<script');
      expect(text).not.toMatch(/\son\w+=/);
    }
  });

  test('is text where apps are named', async () => {
    const { browser, user } = await signedIn();
    const app = await newDeviceApp(org);
    const { body } = await org.admin.get(`/api/v1/apps/${app.id}`);
    const oauthClient = { ...body.settings.oauthClient, client_uri: 'https://tv.example/' };
    const visibility = { hide: { web: false, iOS: false } };
    const named = { ...body, label: EVIL, visibility, settings: { ...body.settings, oauthClient } };
    await good(org.admin.put(`/api/v1/apps/${app.id}`, { body: named }));
    await assign(org, app, user.id);
    const question = await enterCode({ browser }, (await startDevice(org, app)).userCode);
    for (const path of ['/', question]) {
      const { text } = await browser.get(path);
      expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)');
      expect(text).not.toContain('<script');
    }
  });
});

describe('every page', () => {
  const PAGES = [
    '/',
    '/signin',
    '/signin?step=password&login_hint=x',
    '/signin/forgot-password',
    '/signin/unlock',
    '/signin/mail-sent',
    '/signin?reauthenticate=neither',
    '/signin?fromURI=/&fromURI=/',
    `/welcome/${'a'.repeat(20)}`,
    '/welcome/%3Cscript%3E',
    `/reset_password/${'a'.repeat(20)}`,
    `/signin/reset-password/${'a'.repeat(20)}`,
    `/signin/unlock/${'a'.repeat(20)}`,
    `/signin/address/${'a'.repeat(20)}`,
    '/signout',
    '/consent',
    '/oauth2/v1/authorize',
    '/oauth2/v1/authorize/resume',
    '/oauth2/ausnobody/v1/logout',
  ];
  const OWN_PAGES = [
    '/',
    '/account/profile',
    '/account/password',
    '/account/sessions',
    '/account/consents',
    '/account/requests',
    '/signout',
    '/oauth2/v1/logout',
  ];

  let own: PageClient;
  let stepping: PageClient;
  let providerId: string;
  beforeAll(async () => {
    providerId = (await createProvider(org)).id;
    own = (await signedIn()).browser;
    stepping = openPageClient(org);
    await signInByPages(stepping, loginOf(await userIn(org, 'PASSWORD_EXPIRED')));
  });

  /** The test client also checks the headers of each page. */
  async function seen(browser: PageClient, pages: readonly string[]): Promise<string[]> {
    const texts: string[] = [];
    for (const path of pages) {
      const { headers, text } = await browser.get(path);
      expect([path, headers['content-type']]).toEqual([path, 'text/html; charset=utf-8']);
      expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
      expect(String(headers['content-security-policy'])).toContain("img-src 'self' data:");
      texts.push(text);
    }
    return texts;
  }

  test('has its headers and a nonce of its own, is kept by no cache, and runs no script', async () => {
    const { browser } = await signedIn();
    const texts = [...(await seen(openPageClient(org), PAGES)), ...(await seen(browser, OWN_PAGES))];
    const nonces = texts.map((text) => /<style nonce="([^"]{24})">/.exec(text)?.[1]);
    expect(nonces).not.toContain(undefined);
    expect(new Set(nonces).size).toBe(texts.length);
    for (const text of texts) expect(text).not.toMatch(/<script|javascript:|\sstyle=|\son[a-z]+=/);
  });

  const spoken = allRoutes.filter(({ query }) => query?.['ui_locales'] !== undefined);

  test.each(spoken.map(({ method, url }) => [method, url] as const))(
    '%s %s speaks the language that ui_locales names',
    async (method, url) => {
      const named = {
        ':token': 'a'.repeat(20),
        ':authorizationServerId': 'default',
        '/idps/:idpId': `/idps/${providerId}`,
      };
      const path = Object.entries(named).reduce((address, [name, value]) => address.replace(name, value), url);
      const isOwn = /^\/(account|activate|home)/.test(url);
      const browser = url === '/signin/step' ? stepping : isOwn ? own : openPageClient(org);
      const languageOf = async (language: string) => {
        const asked = `${path}?ui_locales=${language}`;
        const { text } = await (method === 'POST' ? browser.post(asked, {}) : browser.get(asked));
        return /<html lang="([^"]+)"/.exec(text)?.[1];
      };
      expect([await languageOf('ja'), await languageOf('fr-CH')]).toEqual(['ja', 'fr']);
    },
  );

  const told = allRoutes.flatMap(({ method, query, url }) => {
    const words: unknown = query?.['done']?.schema['enum'];
    return method === 'GET' && Array.isArray(words) ? words.map((word) => [url, String(word)] as const) : [];
  });

  test.each(told)('%s tells what was done by the word in its address (%s), and refuses others', async (path, word) => {
    const browser = path === '/signin' ? openPageClient(org) : own;
    const shown = async (query: string) => {
      const { status, text } = await browser.get(`${path}${query}`);
      return { status, words: text.replaceAll(/\s(nonce|value|href|action)="[^"]*"/g, '') };
    };
    const [before, after] = [await shown(''), await shown(`?done=${word}`)];
    expect([before.status, after.status]).toEqual([200, 200]);
    expect(after.words).not.toBe(before.words);
    expect((await shown('?done=other')).status).toBe(400);
  });

  test('sends its forms to the org alone, but where an application may come next', async () => {
    const policyOf = async (path: string) =>
      String((await openPageClient(org).get(path)).headers['content-security-policy']);
    expect(await policyOf('/signin/forgot-password')).toContain("form-action 'self'");
    expect(await policyOf('/signin')).not.toContain('form-action');
  });

  test('a refusal is a page for browsers, and the error object for others', async () => {
    const page = await openPageClient(org).get('/signin?reauthenticate=neither');
    expect(page.status).toBe(400);
    expect(page.text).toContain('Something went wrong');
    expect(page.text).toMatch(/Error ID: oae[\w-]+/);
    const error = await org.anonymous.get('/signin?reauthenticate=neither');
    expect(error).toMatchObject({ status: 400, body: { errorCode: 'E0000037' } });
    const posted = await openPageClient(org).post('/signin/redeem', { kind: 'other', token: 'x' });
    expect([posted.status, posted.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  });

  test('answers no form of another method or media type', async () => {
    const { browser, user } = await signedIn();
    const json = { 'content-type': 'application/json' };
    expect((await browser.post('/signout', { a: 'b' }, json)).status).toBe(400);
    expect((await browser.get('/signout?formToken=x')).text).toContain(loginOf(user));
    expect((await browser.get('/account/profile')).status).toBe(200);
  });
});

describe('languages', () => {
  const headingOf = ({ text }: TestResponse): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';

  test('of the browser, of the user, and what was chosen, which is remembered', async () => {
    const browser = openPageClient(org);
    const french = { 'accept-language': 'fr-CH, en;q=0.5' };
    expect(headingOf(await browser.get('/signin', french))).toBe('Se connecter');
    expect(headingOf(await browser.get('/signin?ui_locales=de', french))).toBe('Anmelden');
    expect(headingOf(await browser.get('/signin', french))).toBe('Anmelden');
    expect((await browser.get('/signin', french)).text).toContain('<html lang="de">');
    const user = await org.createUser({ profile: { locale: 'es_ES' }, credentials: { password: { value: PASSWORD } } });
    const own = openPageClient(org);
    await signInByPages(own, loginOf(user));
    expect(headingOf(await own.get('/account/profile', french))).toBe('Mi perfil');
  });

  test('the links to others keep what the page was asked for', async () => {
    const { text } = await openPageClient(org).get('/signin?fromURI=%2Fa%3Fb%3Dc&login_hint=x%40example.com');
    expect(text).toContain('href="/signin?fromURI=%2Fa%3Fb%3Dc&amp;login_hint=x%40example.com&amp;ui_locales=ja"');
  });

  test('are not offered by the answer to a form at whose address there is no page', async () => {
    const browser = openPageClient(org);
    const link = `/welcome/${'a'.repeat(20)}`;
    expect((await browser.get(link)).text).toContain(' hreflang="de"');
    const over = await browser.submit(link, {}, '/signin/redeem');
    expect([over.status, (await browser.get('/signin/redeem')).status]).toEqual([401, 405]);
    expect(over.text).not.toContain(' hreflang=');
  });
});
