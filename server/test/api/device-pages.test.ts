import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import {
  ALLOWED,
  answerAt,
  answerDevice,
  DENIED,
  DEVICE_GRANT,
  ENTER,
  enterCode,
  locationOf,
  newDeviceApp,
  newDeviceUser,
  poll,
  type StartedDevice,
  shownForm,
  startDevice,
} from '../support/devices.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf } from '../support/user-tokens.ts';

// This file tests device authorization (RFC 8628) from the perspective of the user who connects a device.

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newDeviceApp(org));
const user = beforeTests(() => newDeviceUser(service, org, app));

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const CONFIRM = `${ENTER}/confirm`;

describe('who is not signed in', () => {
  test('signs in first, and comes back to the code that was filled in', async () => {
    const { userCode } = await startDevice(org, app);
    const browser = openPageClient(org);
    const complete = `${ENTER}?user_code=${userCode}`;
    const led = await browser.get(complete);
    expect(led.status).toBe(303);
    expect(locationOf(led)).toBe(`/signin?fromURI=${encodeURIComponent(complete)}`);
    const back = locationOf(await signInByPages(browser, user.login, { fromUri: complete }));
    expect(back).toBe(complete);
    expect(shownForm(await browser.get(back), ENTER)['user_code']).toBe(userCode);
  });

  test('neither looks up a code nor answers', async () => {
    const { userCode } = await startDevice(org, app);
    const browser = openPageClient(org);
    expect(locationOf(await browser.post(ENTER, { user_code: userCode }))).toBe('/signin?fromURI=%2Factivate');
    expect(locationOf(await browser.post(CONFIRM, { request: 'x', decision: 'allow' }))).toContain('/signin?');
    expect(locationOf(await browser.get(`${CONFIRM}?request=x`))).toContain('/signin?fromURI=%2Factivate%2Fconfirm');
  });
});

describe('the code', () => {
  test('is taken in small letters, with what stands between them', async () => {
    const { userCode } = await startDevice(org, app);
    const typed = ` ${userCode.slice(0, 4).toLowerCase()}-${userCode.slice(4)} `;
    expect(await enterCode(user, typed)).toMatch(/^\/activate\/confirm\?request=[\w-]{43}$/);
  });

  test('in an address is filled in and nothing more; what is no code is not', async () => {
    const device = await startDevice(org, app);
    const page = await user.browser.get(`${ENTER}?user_code=${device.userCode}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(app.label);
    expect(await poll(org, app, device)).toMatchObject(PENDING);
    const marked = await user.browser.get(`${ENTER}?user_code=${encodeURIComponent('"><script>')}`);
    expect(shownForm(marked, ENTER)['user_code']).toBe('');
    expect(marked.text).not.toContain('<script');
  });

  test('row 77: is guessed ten times in five minutes by one user, and no right one is taken then', async () => {
    const own = await newDeviceUser(service, org, app);
    const { userCode } = await startDevice(org, app);
    const page = await own.browser.get(ENTER);
    const fields = shownForm(page, ENTER);
    const type = (code: string) => own.browser.post(ENTER, { ...fields, user_code: code });
    // The clock moves to the start of a rate limit window, so that one window contains all attempts.
    service.clock.advance(300_000 - (service.clock.now().getTime() % 300_000));
    for (let times = 1; times <= 10; times += 1) {
      const wrong = await type(times % 2 === 0 ? 'BCDFGHJK' : 'nonsense');
      expect(wrong).toMatchObject({
        status: 400,
        text: expect.stringContaining('This code is invalid or has expired.'),
      });
    }
    const limited = await type(userCode);
    expect(limited).toMatchObject({ status: 429, headers: { 'content-type': expect.stringContaining('text/html') } });
    const [event] = await org.systemLog('eventType eq "system.operation.rate_limit.violation"');
    expect(event.target[0].id).toBe('sign-in:USER_DEVICE_CODES');
    const { userCode: another } = await startDevice(org, app);
    expect(await enterCode(user, another)).toContain(CONFIRM);
    service.clock.advance(300_000);
    expect((await type((await startDevice(org, app)).userCode)).status).toBe(303);
  });
});

describe('the question', () => {
  test('names the app and what it asks for, to whoever is signed in', async () => {
    const server = await newCustomServer(org, {
      grantTypes: [DEVICE_GRANT],
      scopes: { 'orders.read': { displayName: 'See your orders', description: 'All of <them>' } },
    });
    const sent = { path: `${server.oauth}/v1/device/authorize` };
    const { userCode } = await startDevice(org, app, { scope: 'openid orders.read' }, sent);
    const page = await user.browser.get(await enterCode(user, userCode));
    expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    for (const text of [app.label, user.login, 'See your orders', 'All of &lt;them&gt;']) {
      expect(page.text).toContain(text);
    }
    const german = await user.browser.get(await enterCode(user, (await startDevice(org, app)).userCode), {
      'accept-language': 'de',
    });
    expect(german.text).toContain('bittet um Zugriff');
  });

  async function asked(): Promise<{ device: StartedDevice; address: string; fields: Record<string, string> }> {
    const device = await startDevice(org, app);
    const address = await enterCode(user, device.userCode);
    return { device, address, fields: shownForm(await user.browser.get(address), CONFIRM) };
  }

  test('is answered by its own form in its own browser alone', async () => {
    const { address, device, fields } = await asked();
    const other = await newDeviceUser(service, org, app);
    const { formToken: _, ...withoutToken } = fields;
    const another = await asked();
    const decision = 'allow';
    const send = async (by: PageClient, sent: Record<string, string>, headers = {}) =>
      (await by.post(CONFIRM, { ...sent, decision }, headers)).status;
    expect([
      await send(user.browser, withoutToken),
      await send(user.browser, { ...fields, formToken: another.fields['formToken'] ?? '' }),
      await send(user.browser, fields, { origin: 'https://evil.example' }),
      await send(user.browser, fields, { origin: '' }),
      await send(other.browser, fields),
    ]).toEqual([403, 403, 403, 403, 400]);
    expect((await other.browser.get(address)).status).toBe(400);
    expect(await poll(org, app, device)).toMatchObject(PENDING);
    expect((await user.browser.post(CONFIRM, fields)).status).toBe(200);
    expect(locationOf(await user.browser.post(CONFIRM, { ...fields, decision }))).toBe(ALLOWED);
  });

  test('that was shown to one user is not answered by another in the same browser', async () => {
    const { device, fields } = await asked();
    const other = await newDeviceUser(service, org, app);
    const shared = openPageClient(org);
    for (const [name, value] of user.browser.cookies) shared.cookies.set(name, value);
    shared.cookies.set('__Host-sid', other.browser.cookies.get('__Host-sid') ?? '');
    expect((await shared.post(CONFIRM, { ...fields, decision: 'allow' })).status).toBe(403);
    expect(await poll(org, app, device)).toMatchObject(PENDING);
  });

  test('is answered once', async () => {
    const { address, fields } = await asked();
    expect(locationOf(await user.browser.post(CONFIRM, { ...fields, decision: 'deny' }))).toBe(DENIED);
    const again = await user.browser.post(CONFIRM, { ...fields, decision: 'allow' });
    expect(again).toMatchObject({
      status: 400,
      text: expect.stringContaining('This code has expired or has already been used.'),
    });
    expect((await user.browser.get(address)).status).toBe(400);
  });

  test('of a code that was answered elsewhere is over', async () => {
    const { address, device, fields } = await asked();
    const other = await newDeviceUser(service, org, app);
    await answerDevice(other, device);
    expect((await user.browser.get(address)).status).toBe(400);
    expect((await user.browser.post(CONFIRM, { ...fields, decision: 'deny' })).status).toBe(400);
    await expect(enterCode(user, device.userCode)).rejects.toThrow('answered 400');
    expect((await poll(org, app, device)).status).toBe(200);
  });

  test('is none of an authorization request, and none of that is one of it', async () => {
    const { address } = await asked();
    const request = new URL(address, org.baseUrl).searchParams.get('request');
    expect((await user.browser.get(`/oauth2/v1/authorize/resume?request=${request}`)).status).toBe(400);
  });
});

test.each(['allowed', 'denied'])('the end says that it was %s', async (done) => {
  const page = await openPageClient(org).get(`${ENTER}?done=${done}`);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You can close this page') });
});

describe('at a server where consent is asked for', () => {
  const server = beforeTests(() =>
    newCustomServer(org, {
      grantTypes: [DEVICE_GRANT],
      scopes: { 'orders.read': { consent: 'REQUIRED' }, 'orders.write': { consent: 'REQUIRED', optional: true } },
    }),
  );
  const asking = beforeTests(() => newDeviceApp(org, { settings: { consent_method: 'REQUIRED' } }));
  const own = beforeTests(() => newDeviceUser(service, org, asking));
  const scope = 'openid orders.read orders.write';

  async function toConsent() {
    const device = await startDevice(org, asking, { scope }, { path: `${server.oauth}/v1/device/authorize` });
    const page = locationOf(await answerDevice(own, device));
    expect(page).toMatch(/^\/consent\?request=[\w-]{43}$/);
    return { device, page };
  }

  const polled = (device: StartedDevice) => poll(org, asking, device, { path: `${server.oauth}/v1/token` });

  test('who does not consent leaves the device without', async () => {
    const { device, page } = await toConsent();
    expect(await polled(device)).toMatchObject(PENDING);
    const back = locationOf(await own.browser.submit(page, { decision: 'deny' }, '/consent'));
    expect(back).toContain(`${CONFIRM}?request=`);
    expect(locationOf(await own.browser.get(back))).toBe(DENIED);
    expect(await polled(device)).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  });

  test('who consents to a part gives the device that part, and is not asked again', async () => {
    const { device, page } = await toConsent();
    const { text } = await own.browser.get(page);
    const fields = shownForm({ status: 200, headers: {}, body: null, text }, '/consent');
    const chosen = Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('scope.')));
    const back = locationOf(await own.browser.post('/consent', { ...chosen, decision: 'allow' }));
    expect(locationOf(await own.browser.get(back))).toBe(ALLOWED);
    expect(payloadOf((await polled(device)).body.access_token).scp).toEqual(['openid', 'orders.read']);
    const next = await startDevice(org, asking, { scope }, { path: `${server.oauth}/v1/device/authorize` });
    const address = await enterCode(own, next.userCode);
    expect(locationOf(await answerAt(own, address, 'allow'))).toBe(ALLOWED);
    await good(org.admin.del(`/api/v1/users/${own.userId}/grants`));
    expect(await polled(next)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('the page of consent allows nothing that was not allowed before', async () => {
    const device = await startDevice(org, asking, { scope }, { path: `${server.oauth}/v1/device/authorize` });
    const confirm = await enterCode(own, device.userCode);
    const consent = confirm.replace(CONFIRM, '/consent');
    const settled = await own.browser.submit(consent, { decision: 'allow' }, '/consent');
    expect(locationOf(settled)).toBe(confirm);
    const page = await own.browser.get(confirm);
    expect(page.status).toBe(200);
    expect(shownForm(page, CONFIRM)).toHaveProperty('formToken');
    expect(await polled(device)).toMatchObject(PENDING);
  });
});
