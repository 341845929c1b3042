import { beforeAll, describe, expect, test } from 'vitest';
import {
  AUTHORIZE,
  answered,
  assign,
  CALLBACK,
  type Changes,
  newBrowser,
  newOidcApp,
  posted,
  requestOf,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import { signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

/** This file tests requests from several tabs of one browser, and requests from forms on other sites (ADR 0036). */
const { service, org } = useService();
const app = beforeTests(() => newOidcApp(org));
let person: { readonly id: string; readonly login: string };

beforeAll(async () => {
  const { id, profile } = await org.createUser({ credentials: CREDENTIALS });
  person = { id, login: profile.login };
  await assign(org, app, id);
});

const query = (changes: Changes = {}): string => new URLSearchParams(requestOf(app, changes)).toString();

async function openTabs(browser: PageClient, states: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(states.map((state) => openPageClient(org).get(`${AUTHORIZE}?${query({ state })}`)));
  for (const answer of answers) {
    for (const [name, line] of Object.entries(setCookies(answer))) browser.cookies.set(name, line.split(';')[0] ?? '');
  }
  return answers.map((answer) => answered(answer).parameters['fromURI'] ?? '');
}

describe('tabs that a browser opens at once', () => {
  test('all go on when its user has signed in in one of them', async () => {
    const browser = openPageClient(org);
    const states = ['one', 'two', 'three'];
    const tabs = await openTabs(browser, states);
    await signInByPages(browser, person.login, { fromUri: tabs[1] ?? '' });
    for (const [index, state] of states.entries()) {
      const { parameters, to } = answered(await browser.get(tabs[index] ?? ''));
      expect([to, parameters['state'], typeof parameters['code']]).toEqual([CALLBACK, state, 'string']);
    }
  });

  test('a form that one of them shows is taken when another has its cookie', async () => {
    const [first, second] = [openPageClient(org), openPageClient(org)];
    const page = await first.get('/signin');
    await second.get('/signin');
    for (const [name, value] of second.cookies) first.cookies.set(name, value);
    const token = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const answer = await first.post('/signin', { formToken: token, username: person.login });
    expect([answer.status, String(answer.headers['location'])]).toEqual([
      303,
      expect.stringContaining('step=password'),
    ]);
  });

  test('one that comes later shares the cookie, and sets none', async () => {
    const browser = openPageClient(org);
    await browser.get(`${AUTHORIZE}?${query()}`);
    const held = [...browser.cookies];
    expect(setCookies(await browser.get(`${AUTHORIZE}?${query()}`))).toEqual({});
    expect([...browser.cookies]).toEqual(held);
  });

  test('those of another browser are nobody’s here', async () => {
    const [mine, theirs] = [openPageClient(org), openPageClient(org)];
    const [request = ''] = await openTabs(theirs, ['theirs']);
    await openTabs(mine, ['mine']);
    expect((await mine.get(request)).status).toBe(400);
  });
});

describe('a form of another site’s page', () => {
  const FROM_ELSEWHERE = {
    origin: 'https://app.example',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  const browser = beforeTests(() => newBrowser(service, org, app));

  /** `again` repeats the request with the session cookie of the browser, as the page of the service does. */
  async function send(changes: Changes = {}, headers: Readonly<Record<string, string>> = {}, path = AUTHORIZE) {
    const stranger = openPageClient(org);
    const answer = await stranger.post(path, requestOf(app, changes), { ...FROM_ELSEWHERE, ...headers });
    const again = async () => {
      const { parameters, to } = posted(answer);
      const mine = openPageClient(org);
      mine.cookies.set('__Host-sid', browser.cookie.replace('__Host-sid=', ''));
      return mine.post(to, parameters, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' });
    };
    return { answer, again };
  }

  test('is sent again by ours, so that whoever is signed in is known', async () => {
    const { again, answer } = await send({ prompt: 'none', state: 'a "quoted" <state>' });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
    expect(posted(answer).to).toBe(AUTHORIZE);
    expect(String(answer.headers['content-security-policy'])).toContain("frame-ancestors 'none'");
    const { parameters, to } = answered(await again());
    expect([to, parameters['state']]).toEqual([CALLBACK, 'a "quoted" <state>']);
    expect(parameters).toHaveProperty('code');
  });

  test('at a custom server too', async () => {
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const { again, answer } = await send({ scope: 'openid orders.read' }, {}, `${server.oauth}/v1/authorize`);
    expect(posted(answer).to).toBe(`${server.oauth}/v1/authorize`);
    expect(answered(await again()).parameters).toMatchObject({ code: expect.any(String), iss: server.issuer });
  });

  test('leaves out what is no parameter', async () => {
    const stranger = openPageClient(org);
    const answer = await stranger.post(AUTHORIZE, { ...requestOf(app), 'on"x': '1' }, FROM_ELSEWHERE);
    expect(posted(answer).parameters).toEqual(requestOf(app));
  });

  test('is answered at once where our own page, or a program, sent it', async () => {
    const own = { origin: org.baseUrl, 'sec-fetch-site': 'same-origin' };
    expect(answered((await send({ prompt: 'none' }, own)).answer).parameters['error']).toBe('login_required');
    const program = { origin: '', 'sec-fetch-site': '', 'sec-fetch-mode': '', 'sec-fetch-dest': '' };
    expect(answered((await send({}, program)).answer).to).toBe('/signin');
  });

  test('is answered at once in a frame, for a window that waits, and where it bears a session of its own', async () => {
    const message = { prompt: 'none', response_mode: 'svc_post_message' };
    expect((await send(message)).answer.text).toContain('login_required');
    const frame = { 'sec-fetch-dest': 'iframe' };
    expect(answered((await send({ prompt: 'none' }, frame)).answer).parameters['error']).toBe('login_required');
    const { sessionToken } = await signedIn(service, org, person.id);
    expect(answered((await send({ prompt: 'none', sessionToken })).answer).parameters['error']).toBe('login_required');
  });

  test('with parameters in its address is refused', async () => {
    expect((await send({}, {}, `${AUTHORIZE}?state=x`)).answer.status).toBe(400);
  });
});

describe('a link with a sessionToken', () => {
  test('of a mail signs nobody in', async () => {
    const { sessionToken } = await signedIn(service, org, person.id);
    const mailed = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const browser = openPageClient(org);
    const { to } = answered(await browser.get(`${AUTHORIZE}?${query({ sessionToken })}`, mailed));
    expect([to, browser.cookies.has('__Host-sid')]).toEqual(['/signin', false]);
  });
});
