import { beforeEach, describe, expect, test } from 'vitest';
import { AUTHORIZE, ageSignIns, answered, assign, newOidcApp, requestOf } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { formsIn } from '../support/forms.ts';
import { idTokenOf, LOGOUT } from '../support/logout.ts';
import { logoutReceiver, newListener, noteClient, noticesSettled } from '../support/logout-receiver.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { exchange, openSession, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

// This file tests sign-ins in a browser where somebody is already signed in (ADR 0013, 0036, 0040).

const receiver = logoutReceiver();
const { service, org } = useService({ outbound: receiver.outbound });
const app = beforeTests(() => newOidcApp(org));
beforeEach(() => {
  receiver.received.length = 0;
});

interface Person {
  readonly id: string;
  readonly login: string;
}

async function newPerson(): Promise<Person> {
  const { id, profile } = await org.createUser({ credentials: CREDENTIALS });
  await assign(org, app, id);
  return { id, login: profile.login };
}

const sidOf = (browser: PageClient): string => browser.cookies.get('__Host-sid') ?? '';
const sessionOf = async (id: string) => org.client({ cookie: `sid=${id}` }).get('/api/v1/sessions/me');

/** The new session includes an app that receives logout notices. */
async function signedInBrowser(person: Person) {
  const [browser, listener] = [openPageClient(org), await newListener(org)];
  await signInByPages(browser, person.login);
  const { rows } = await service.database.pool.query(
    'select external_id from sessions where org_id = $1 and user_id = $2 order by created_at desc limit 1',
    [org.id, person.id],
  );
  const externalSessionId: string = rows[0].external_id;
  await noteClient(service, org, { externalSessionId }, listener.id);
  return { browser, listener, externalSessionId, id: sidOf(browser) };
}

async function authorize(browser: PageClient, changes: Record<string, string> = {}) {
  const query = new URLSearchParams(requestOf(app, changes)).toString();
  return answered(await browser.get(`${AUTHORIZE}?${query}`));
}

async function signInAt(browser: PageClient, page: string, person: Person) {
  const named = await browser.submit(page, { username: person.login });
  const done = await browser.submit(String(named.headers['location']), { password: CREDENTIALS.password.value });
  return answered(await browser.get(String(done.headers['location'])));
}

const pageOf = (parameters: Readonly<Record<string, string>>): string =>
  `/signin?${new URLSearchParams(parameters).toString()}`;

const ends = async (userId: string) =>
  (await org.systemLog('eventType eq "user.session.end"')).filter(({ target }) => target?.[0].id === userId);

describe('the same user', () => {
  test('goes on in the same session, with a new id, as fresh as the sign-in', async () => {
    const person = await newPerson();
    const { browser, externalSessionId, id, listener } = await signedInBrowser(person);
    const { parameters, to } = await authorize(browser, { prompt: 'login' });
    expect([to, parameters['reauthenticate']]).toEqual(['/signin', 'true']);
    expect((await signInAt(browser, pageOf(parameters), person)).parameters).toHaveProperty('code');
    expect(sidOf(browser)).not.toBe(id);
    expect((await sessionOf(id)).status).toBe(404);
    expect((await sessionOf(sidOf(browser))).body).toMatchObject({ userId: person.id });
    const { rows } = await service.database.pool.query(
      'select external_id from sessions where org_id = $1 and user_id = $2',
      [org.id, person.id],
    );
    expect(rows).toEqual([{ external_id: externalSessionId }]);
    expect(await ends(person.id)).toEqual([]);
    // The client that joined the session before the second sign-in is notified when the session ends.
    const form = formsIn((await browser.get('/signout')).text).find(({ action }) => action === '/signout');
    await browser.post('/signout', { ...form?.fields });
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url)).toEqual([listener.uri]);
  });

  test('ends it by an ID token of before as well', async () => {
    const person = await newPerson();
    const { browser, externalSessionId, listener } = await signedInBrowser(person);
    const { parameters } = await authorize(browser, { max_age: '0' });
    await signInAt(browser, pageOf(parameters), person);
    const claims = { sub: person.id, sid: externalSessionId, aud: listener.id };
    const hint = await idTokenOf(service, org, claims);
    await browser.get(`${LOGOUT}?${new URLSearchParams({ id_token_hint: hint }).toString()}`);
    expect(sidOf(browser)).toBe('');
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url)).toEqual([listener.uri]);
  });

  test('the log tells which sign-in it was', async () => {
    const person = await newPerson();
    const { browser, externalSessionId } = await signedInBrowser(person);
    const { parameters } = await authorize(browser, { prompt: 'login' });
    await signInAt(browser, pageOf(parameters), person);
    const starts = await org.systemLog(`eventType eq "user.session.start" and actor.id eq "${person.id}"`);
    const [refreshed, ...others] = await org.systemLog(
      `eventType eq "user.session.refresh" and actor.id eq "${person.id}"`,
    );
    expect(others).toEqual([]);
    expect(refreshed?.authenticationContext).toMatchObject({ externalSessionId });
    const { externalSessionIdOfSignIn } = refreshed?.debugContext.debugData ?? {};
    expect(starts.map(({ authenticationContext }) => authenticationContext.externalSessionId)).toContain(
      externalSessionIdOfSignIn,
    );
  });

  test('a session whose time is over, or that was voided, does not go on', async () => {
    const person = await newPerson();
    const { browser, externalSessionId } = await signedInBrowser(person);
    await org.admin.post(`/api/v1/users/${person.id}`, { body: { credentials: CREDENTIALS } });
    await signInByPages(browser, person.login);
    const { rows } = await service.database.pool.query(
      `select external_id from live_sessions where org_id = $1 and user_id = $2`,
      [org.id, person.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows).not.toEqual([{ external_id: externalSessionId }]);
  });

  test('of two who bring the same session at once one goes on in it, and both are signed in', async () => {
    const { id, userId } = await openSession(service, org);
    const tokens = await Promise.all([1, 2].map(() => signedIn(service, org, userId)));
    const target = encodeURIComponent(`${org.baseUrl}/`);
    const client = org.client({ cookie: `__Host-sid=${id}` });
    const answers = await Promise.all(
      tokens.map(({ sessionToken }) =>
        client.get(`/login/sessionCookieRedirect?token=${sessionToken}&redirectUrl=${target}`),
      ),
    );
    const ids = answers.map(
      ({ headers }) => /__Host-sid=(102[\w-]{22})/.exec(String(headers['set-cookie']))?.[1] ?? '',
    );
    expect(await Promise.all(ids.map(async (one) => (await sessionOf(one)).status))).toEqual([200, 200]);
    expect((await sessionOf(id)).status).toBe(404);
  });

  test('a program that exchanges a token leaves other sessions alone', async () => {
    const { id, userId } = await openSession(service, org);
    const { sessionToken } = await signedIn(service, org, userId);
    const client = org.client({ cookie: `sid=${id}` });
    expect((await exchange(client, sessionToken)).status).toBe(200);
    expect((await sessionOf(id)).status).toBe(200);
  });
});

describe('another user', () => {
  test.each(['the pages', 'sessionCookieRedirect', 'a sessionToken'])('by %s ends the session', async (way) => {
    const [first, second] = [await newPerson(), await newPerson()];
    const { browser, id, listener } = await signedInBrowser(first);
    const { sessionToken } = await signedIn(service, org, second.id);
    if (way === 'the pages') {
      const { parameters } = await authorize(browser, { prompt: 'login' });
      await signInAt(browser, pageOf(parameters), second);
    } else if (way === 'a sessionToken') await authorize(browser, { sessionToken });
    else {
      const query = new URLSearchParams({ token: sessionToken, redirectUrl: org.baseUrl }).toString();
      await browser.get(`/login/sessionCookieRedirect?${query}`);
    }
    expect((await sessionOf(id)).status).toBe(404);
    expect((await sessionOf(sidOf(browser))).body).toMatchObject({ userId: second.id });
    await noticesSettled(service);
    // Apps of the previous test may still be notified, so only the notices of this test's app count.
    expect(receiver.received.map(({ url }) => url).filter((url) => url === listener.uri)).toHaveLength(1);
    expect(await ends(first.id)).toMatchObject([{ actor: { id: second.id }, target: [{ id: first.id }] }]);
  });
});

describe('freshness is by the database’s clock', () => {
  test('a machine whose clock is behind signs in for a request of one that is ahead', async () => {
    const person = await newPerson();
    const { browser } = await signedInBrowser(person);
    for (const asked of [{ prompt: 'login' }, { max_age: '0' }]) {
      const { parameters } = await authorize(browser, asked);
      service.clock.advance(-300_000);
      expect((await signInAt(browser, pageOf(parameters), person)).parameters).toHaveProperty('code');
      service.clock.advance(300_000);
    }
  });

  test('a sign-in of a machine whose clock is ahead is no later than it was', async () => {
    const person = await newPerson();
    service.clock.advance(300_000);
    const { browser } = await signedInBrowser(person);
    service.clock.advance(-300_000);
    const { parameters } = await authorize(browser, { prompt: 'login' });
    const resumed = answered(await browser.get(parameters['fromURI'] ?? ''));
    expect(resumed.to).toBe('/signin');
  });

  test('max_age counts from there too', async () => {
    const person = await newPerson();
    service.clock.advance(300_000);
    const { browser } = await signedInBrowser(person);
    service.clock.advance(-300_000);
    await ageSignIns(service, org, person.id, 61);
    expect((await authorize(browser, { max_age: '60' })).to).toBe('/signin');
    expect((await authorize(browser, { max_age: '120' })).parameters).toHaveProperty('code');
  });
});
