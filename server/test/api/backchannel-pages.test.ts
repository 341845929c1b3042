import { describe, expect, test } from 'vitest';
import { mailTo } from '../support/authn.ts';
import {
  answerRequest,
  CIBA_GRANT,
  CONFIRM,
  lookAt,
  newBackchannelApp,
  pollRequest,
  REQUEST_ALLOWED,
  REQUEST_DENIED,
  REQUESTS,
  startRequest,
  waitingOf,
} from '../support/backchannel.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { type DeviceUser, ENTER, locationOf, newDeviceUser, shownForm } from '../support/devices.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf } from '../support/user-tokens.ts';
import { userPath } from '../support/users.ts';

// This file tests backchannel authentication (CIBA Core 1.0), from the side of the user who approves or denies the
// request.

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newBackchannelApp(org));
let user: DeviceUser;

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const newUser = async (): Promise<DeviceUser> => {
  user = await newDeviceUser(service, org, app);
  return user;
};

describe('the list', () => {
  test('is found by who signs in first, from the mail', async () => {
    const { login, userId } = await newUser();
    await startRequest(org, app, user);
    const mail = await mailTo(service, org, { id: userId });
    expect(mail).toMatchObject({
      kind: 'signInRequest',
      url: `https://localhost:${service.port}${REQUESTS}`,
      count: 1,
    });
    const browser = openPageClient(org);
    const led = await browser.get(REQUESTS);
    expect(locationOf(led)).toBe(`/signin?fromURI=${encodeURIComponent(REQUESTS)}`);
    expect(locationOf(await signInByPages(browser, login, { fromUri: REQUESTS }))).toBe(REQUESTS);
    expect(await waitingOf({ browser })).toHaveLength(1);
  });

  test('names app and message, of the user’s own requests alone, and no id of a client', async () => {
    await newUser();
    const other = await newDeviceUser(service, org, app);
    const { authReqId } = await startRequest(org, app, user, { binding_message: 'Pay <12> & go' });
    await startRequest(org, app, other, { binding_message: 'of somebody else' });
    const { text } = await user.browser.get(REQUESTS);
    for (const shown of [app.label, 'Pay &lt;12&gt; &amp; go']) expect(text).toContain(shown);
    expect(text).not.toContain('of somebody else');
    expect(text).not.toContain(authReqId);
    expect((await other.browser.get(REQUESTS)).text).toContain('of somebody else');
    const german = await user.browser.get(REQUESTS, { 'accept-language': 'de' });
    expect(german.text).toContain('Diese Apps warten auf Ihre Antwort');
  });

  test('leads to nobody else’s request, and to none that is over', async () => {
    await newUser();
    const other = await newDeviceUser(service, org, app);
    const request = await startRequest(org, app, user);
    await startRequest(org, app, other);
    const [mine = ''] = await waitingOf(user);
    await expect(lookAt(other, mine)).rejects.toThrow('answered 400');
    for (const waiting of ['x', 'A'.repeat(43)]) {
      await expect(lookAt(other, waiting)).rejects.toThrow('answered 400');
    }
    service.clock.advance(300_000);
    await startRequest(org, app, user);
    await expect(lookAt(user, mine)).rejects.toThrow('answered 400');
    expect(await pollRequest(org, app, request)).toMatchObject({ body: { error: 'expired_token' } });
  });

  test('takes its own form alone', async () => {
    await newUser();
    await startRequest(org, app, user);
    const [waiting = ''] = await waitingOf(user);
    const fields = shownForm(await user.browser.get(REQUESTS), REQUESTS);
    expect((await user.browser.post(REQUESTS, { waiting })).status).toBe(403);
    expect((await user.browser.post(REQUESTS, { ...fields, waiting }, { origin: 'https://evil.example' })).status).toBe(
      403,
    );
    expect(locationOf(await openPageClient(org).post(REQUESTS, { waiting }))).toContain('/signin?');
    expect((await user.browser.post(REQUESTS, { ...fields, waiting })).status).toBe(303);
  });
});

describe('a mail', () => {
  test('is sent for the first that waits, and names neither app nor message', async () => {
    const { userId } = await newUser();
    await startRequest(org, app, user, { binding_message: 'secret words' });
    await startRequest(org, app, user);
    const mail = await mailTo(service, org, { id: userId });
    expect(mail.count).toBe(1);
    for (const hidden of ['secret words', app.label]) expect(mail.text).not.toContain(hidden);
    await answerRequest(user, 'deny');
    await answerRequest(user, 'deny');
    await startRequest(org, app, user);
    expect((await mailTo(service, org, { id: userId })).count).toBe(2);
  });

  test('is in the language of its reader', async () => {
    await newUser();
    await org.admin.post(userPath(user.userId), { body: { profile: { locale: 'de_DE' } } });
    await startRequest(org, app, user);
    const { subject, text } = await mailTo(service, org, { id: user.userId });
    expect(subject).toContain('wartet auf Sie');
    expect(text).toContain('lehnen Sie sie ab');
  });

  test('is one of ten in an hour at most: a password can still be asked for', async () => {
    const { login, userId } = await newUser();
    for (let times = 1; times <= 12; times += 1) {
      await startRequest(org, app, user);
      await answerRequest(user, 'deny');
    }
    expect((await mailTo(service, org, { id: userId })).count).toBe(10);
    await org.anonymous.post('/api/v1/authn/recovery/password', { body: { username: login, factorType: 'EMAIL' } });
    expect(await mailTo(service, org, { id: userId })).toMatchObject({ kind: 'passwordReset', count: 11 });
  });
});

describe('the question', () => {
  test('names app, message and scopes, to its user', async () => {
    await newUser();
    const server = await newCustomServer(org, {
      grantTypes: [CIBA_GRANT],
      scopes: { 'orders.read': { displayName: 'See your orders', description: 'All of <them>' } },
    });
    const sent = { path: `${server.oauth}/v1/bc/authorize` };
    await startRequest(org, app, user, { scope: 'openid orders.read', binding_message: 'W4<SCT' }, sent);
    const page = await user.browser.get(await lookAt(user));
    expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    for (const text of [app.label, user.login, 'W4&lt;SCT', 'See your orders', 'All of &lt;them&gt;']) {
      expect(page.text).toContain(text);
    }
  });

  async function asked() {
    const request = await startRequest(org, app, user);
    const address = await lookAt(user);
    return { request, address, fields: shownForm(await user.browser.get(address), CONFIRM) };
  }

  test('is answered by its own form in its own browser alone', async () => {
    await newUser();
    const { address, fields, request } = await asked();
    const other = await newDeviceUser(service, org, app);
    const again = await newDeviceUser(service, org, null, user.userId);
    const { formToken: _, ...withoutToken } = fields;
    const decision = 'allow';
    const send = async (by: PageClient, sent: Record<string, string>, headers = {}) =>
      (await by.post(CONFIRM, { ...sent, decision }, headers)).status;
    expect([
      await send(user.browser, withoutToken),
      await send(user.browser, fields, { origin: 'https://evil.example' }),
      await send(other.browser, fields),
      await send(again.browser, fields),
    ]).toEqual([403, 403, 400, 400]);
    expect((await other.browser.get(address)).status).toBe(400);
    expect(await pollRequest(org, app, request)).toMatchObject(PENDING);
    expect((await user.browser.post(CONFIRM, fields)).status).toBe(200);
    expect(locationOf(await user.browser.post(CONFIRM, { ...fields, decision }))).toBe(REQUEST_ALLOWED);
    expect((await user.browser.get(REQUEST_ALLOWED)).text).toContain('Approved.');
    expect((await user.browser.get(address)).status).toBe(400);
  });

  test('is over for whoever signs in there instead', async () => {
    await newUser();
    const { address, fields, request } = await asked();
    const other = await newDeviceUser(service, org, app);
    const shared = openPageClient(org);
    for (const [name, value] of user.browser.cookies) shared.cookies.set(name, value);
    shared.cookies.set('__Host-sid', other.browser.cookies.get('__Host-sid') ?? '');
    expect((await shared.get(address)).status).toBe(400);
    expect((await shared.post(CONFIRM, { ...fields, decision: 'allow' })).status).toBe(400);
    expect(await pollRequest(org, app, request)).toMatchObject(PENDING);
  });

  test('is none of a device or of an authorization request', async () => {
    await newUser();
    const { address } = await asked();
    const request = new URL(address, org.baseUrl).searchParams.get('request');
    for (const path of [`${ENTER}/confirm`, '/oauth2/v1/authorize/resume']) {
      expect((await user.browser.get(`${path}?request=${request}`)).status).toBe(400);
    }
  });

  test('leads through consent where it is due, and is answered then', async () => {
    const server = await newCustomServer(org, {
      grantTypes: [CIBA_GRANT],
      scopes: { 'orders.read': { consent: 'REQUIRED' }, 'orders.write': { consent: 'REQUIRED', optional: true } },
    });
    const asking = await newBackchannelApp(org, { settings: { consent_method: 'REQUIRED' } });
    const own = await newDeviceUser(service, org, asking);
    const sent = { path: `${server.oauth}/v1/bc/authorize` };
    const polled = { path: `${server.oauth}/v1/token` };
    const begin = () => startRequest(org, asking, own, { scope: 'openid orders.read orders.write' }, sent);
    const refused = await begin();
    const page = locationOf(await answerRequest(own));
    expect(page).toMatch(/^\/consent\?request=[\w-]{43}$/);
    const back = locationOf(await own.browser.submit(page, { decision: 'deny' }, '/consent'));
    expect(locationOf(await own.browser.get(back))).toBe(REQUEST_DENIED);
    expect(await pollRequest(org, asking, refused, polled)).toMatchObject({ body: { error: 'access_denied' } });
    const request = await begin();
    const consent = locationOf(await answerRequest(own));
    const fields = shownForm(await own.browser.get(consent), '/consent');
    const some = Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('scope.')));
    const on = locationOf(await own.browser.post('/consent', { ...some, decision: 'allow' }));
    expect(locationOf(await own.browser.get(on))).toBe(REQUEST_ALLOWED);
    const { body } = await pollRequest(org, asking, request, polled);
    expect(payloadOf(body.access_token).scp).toEqual(['openid', 'orders.read']);
  });
});
