import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { APPS, createApp } from '../support/apps.ts';
import { answered, ask, newBrowser, newOidcApp, newPkce } from '../support/authorization.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { formsIn } from '../support/forms.ts';
import { aboutSession, browserOf, idTokenOf, logoutPath } from '../support/logout.ts';
import {
  logoutReceiver,
  newListener,
  noteClient,
  noticesSettled,
  verifyLogoutToken,
} from '../support/logout-receiver.ts';
import { giveDomain } from '../support/org-settings.ts';
import { openPageClient } from '../support/page-client.ts';
import { ME, type OpenSession, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf, redeem } from '../support/user-tokens.ts';

const receiver = logoutReceiver();
const { service, org } = useService({ outbound: receiver.outbound });
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => 200;
});

interface SignedIn {
  readonly session: OpenSession;
  readonly app: { readonly id: string; readonly uri: string };
}

async function signedInToApp(): Promise<SignedIn> {
  const [session, app] = await Promise.all([openSession(service, org), newListener(org)]);
  await noteClient(service, org, session, app.id);
  return { session, app };
}

const slo = async (externalSessionId: string) =>
  (await org.systemLog('eventType eq "user.authentication.slo"')).filter(
    ({ authenticationContext }) => authenticationContext.externalSessionId === externalSessionId,
  );

const ENDS: readonly (readonly [string, (given: SignedIn) => Promise<unknown>])[] = [
  [
    'its user signs out by an app',
    async ({ app, session }) => {
      const hint = await idTokenOf(service, org, aboutSession(session, app.id));
      return browserOf(org, session).get(logoutPath({ id_token_hint: hint }));
    },
  ],
  ['its user closes it', ({ session }) => session.client.del(ME)],
  ['an administrator revokes it', ({ session }) => org.admin.del(`/api/v1/sessions/${session.id}`)],
  ['all of its user are cleared', ({ session }) => org.admin.del(`/api/v1/users/${session.userId}/sessions`)],
  ['its user is suspended', ({ session }) => org.admin.post(`/api/v1/users/${session.userId}/lifecycle/suspend`)],
  ['its user is deactivated', ({ session }) => org.admin.post(`/api/v1/users/${session.userId}/lifecycle/deactivate`)],
  [
    'its user ends it on the page of sessions',
    async ({ session }) => {
      const other = await openSession(service, org, { userId: session.userId });
      const browser = openPageClient(org);
      browser.cookies.set('__Host-sid', other.id);
      const page = await browser.get('/account/sessions');
      const form = formsIn(page.text).find(({ action }) => action === '/account/sessions');
      const ended = await browser.post('/account/sessions', { ...form?.fields, end: session.externalSessionId });
      return { ...ended, status: ended.status === 303 ? 200 : ended.status };
    },
  ],
  [
    'its user gets another password',
    ({ session }) =>
      org.admin.post(`/api/v1/users/${session.userId}`, {
        body: { credentials: { password: { value: 'Another-Passw0rd-7' } } },
      }),
  ],
];

describe('an app is told by a logout token', () => {
  test.each(ENDS)('when %s', async (_, end) => {
    const given = await signedInToApp();
    const { app, session } = given;
    const answer = await end(given);
    expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url)).toEqual([app.uri]);
    const token = receiver.received[0]?.token ?? '';
    const claims = await verifyLogoutToken(service, org, token, { clientId: app.id });
    expect(claims).toMatchObject({
      sub: session.userId,
      sid: session.externalSessionId,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(claims).not.toHaveProperty('nonce');
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(120);
    expect(await slo(session.externalSessionId)).toMatchObject([
      {
        outcome: { result: 'SUCCESS' },
        target: [
          { id: app.id, type: 'AppInstance' },
          { id: session.userId, type: 'User' },
        ],
      },
    ]);
    expect(
      await service.application.pool.query('select from session_clients where client_id = $1', [app.id]),
    ).toMatchObject({
      rowCount: 0,
    });
  });

  test('once, and none whose session goes on, who wants nothing, or who is not active', async () => {
    const { app, session } = await signedInToApp();
    const other = await openSession(service, org, { userId: session.userId });
    const silent = await createApp(org);
    const stopped = await newListener(org);
    for (const id of [silent.id, stopped.id]) await noteClient(service, org, session, id);
    const going = await newListener(org);
    await noteClient(service, org, other, going.id);
    await org.admin.post(`${APPS}/${stopped.id}/lifecycle/deactivate`);
    await session.client.del(ME);
    await session.client.del(ME);
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url)).toEqual([app.uri]);
    await other.client.del(ME);
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url)).toEqual([app.uri, going.uri]);
  });

  test('each app of a session, and nothing where the session was not to be ended', async () => {
    const { app, session } = await signedInToApp();
    const second = await newListener(org);
    await noteClient(service, org, session, second.id);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.del(`/api/v1/sessions/${session.id}`)).toMatchObject({ status: 403 });
    expect(await org.admin.del('/api/v1/sessions/102nobodynobodynobodyxx')).toMatchObject({ status: 404 });
    await noticesSettled(service);
    expect(receiver.received).toEqual([]);
    await session.client.del(ME);
    await noticesSettled(service);
    expect(receiver.received.map(({ url }) => url).toSorted()).toEqual([app.uri, second.uri].toSorted());
  });

  test('by the keys and issuer of the server that signed its user in', async () => {
    const server = await newCustomServer(org);
    const [session, app] = await Promise.all([openSession(service, org), newListener(org)]);
    await noteClient(service, org, session, app.id, server.id);
    await session.client.del(ME);
    await noticesSettled(service);
    const of = { clientId: app.id, issuer: server.issuer, keys: `${server.oauth}/v1/keys` };
    const claims = await verifyLogoutToken(service, org, receiver.received[0]?.token ?? '', of);
    expect(claims).toMatchObject({ sid: session.externalSessionId });
  });
});

describe('an org of several addresses', () => {
  const SETTINGS = { backchannel_logout_uri: 'https://app.example/several' };
  let domain: string;

  beforeAll(async () => {
    domain = `${org.subdomain}.example.com`;
    await giveDomain(service, org, domain);
  });

  /** Returns the issuers in the ID token and the logout tokens. */
  async function issuersOf(authorizedBy: string, redeemedBy: string) {
    const app = await newOidcApp(org, { settings: SETTINGS });
    const person = await newBrowser(service, org, app);
    const { parameters, verifier } = newPkce();
    const browser = org.client({ cookie: person.cookie, accept: 'text/html', host: authorizedBy });
    const { code = '' } = answered(await ask(browser, app, parameters)).parameters;
    const tokens = await redeem(org, app, { code, verifier }, {}, { client: org.client({ host: redeemedBy }) });
    const { iss } = payloadOf(tokens.body.id_token);
    await org.admin.del(`/api/v1/users/${person.userId}/sessions`);
    await noticesSettled(service);
    return { iss: String(iss), told: receiver.received.map(({ token }) => payloadOf(token).iss) };
  }

  test.each([
    ['one', true, true],
    ['both', true, false],
    ['the other', false, true],
  ])('names in logout tokens the issuer that ID tokens named: %s', async (_, isAuthorizedThere, isRedeemedThere) => {
    const hostOf = (isThere: boolean): string => (isThere ? domain : new URL(org.baseUrl).host);
    const { iss, told } = await issuersOf(hostOf(isAuthorizedThere), hostOf(isRedeemedThere));
    expect(new URL(iss).hostname).toBe(isRedeemedThere ? domain : org.hostname);
    expect(told).toEqual([iss]);
  });
});

test('the address is a setting of apps, and stands in what they are', async () => {
  const app = await newListener(org);
  const { body } = await org.admin.get(`${APPS}/${app.id}`);
  expect(body.settings.oauthClient).toMatchObject({ backchannel_logout_uri: app.uri });
  const client = await org.admin.get(`/oauth2/v1/clients/${app.id}`);
  expect(client).toMatchObject({ status: 200, body: { backchannel_logout_uri: app.uri } });
});

test('a logout token is good for nothing else', async () => {
  const { app, session } = await signedInToApp();
  await session.client.del(ME);
  await noticesSettled(service);
  const token = receiver.received[0]?.token ?? '';
  expect(await org.client({ authorization: `Bearer ${token}` }).get('/api/v1/users')).toMatchObject({ status: 401 });
  const next = await openSession(service, org, { userId: session.userId });
  const answer = await browserOf(org, next).get(logoutPath({ id_token_hint: token, client_id: app.id }));
  expect(answer.status).toBe(400);
});
