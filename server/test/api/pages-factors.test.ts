import { describe, expect, test } from 'vitest';
import { mailTo, signIn } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { deviceOf, enroll, factorsPath } from '../support/factors.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import {
  activationOf,
  mailedCode,
  requireFactor,
  userWhoNeedsCode,
  userWithoutFactor,
  userWithQuestion,
} from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const STEP = '/signin/step';
const locationOf = ({ headers }: TestResponse): string => String(headers['location']);
const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const meOf = (browser: PageClient): Promise<TestResponse> =>
  browser.get('/api/v1/users/me', { accept: 'application/json' });

async function begun(user: TestResponse['body'], fromUri = '/'): Promise<PageClient> {
  const browser = openPageClient(org);
  const proved = await signInByPages(browser, loginOf(user), { fromUri });
  expect([proved.status, locationOf(proved)]).toEqual([303, STEP]);
  expect(setCookies(proved)['__Host-sid']).toBeUndefined();
  return browser;
}

describe('a page asks for a second factor', () => {
  test('with one field for the code, and signs in with it', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const browser = await begun(user, '/account/profile');
    const { headers, text } = await browser.get(STEP);
    expect(text).toContain('Enter the code that Google Authenticator shows.');
    expect(text).toMatch(/inputmode="numeric"[^>]*autofocus/);
    expect(text).toContain('autocomplete="one-time-code"');
    expect(String(headers['content-security-policy'])).not.toContain('unsafe');
    const wrong = await browser.submit(STEP, { action: 'verify', passCode: device.code(40) });
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain('role="alert">This code is wrong or was used before.');
    expect(wrong.text).toContain('aria-invalid="true"');
    const [left, right] = [device.code(1).slice(0, 3), device.code(1).slice(3)];
    const signedIn = await browser.submit(STEP, { action: 'verify', passCode: `${left} ${right} ` });
    expect([signedIn.status, locationOf(signedIn)]).toEqual([303, '/account/profile']);
    expect((await meOf(browser)).body.id).toBe(user.id);
  });

  test('by the app that the user selects, if there are two', async () => {
    const { user } = await userWhoNeedsCode(service, org);
    const own = { factorType: 'token:software:totp', provider: 'SVC' };
    const second = deviceOf(service, user.id, (await enroll(org.admin, user.id, own)).body);
    await org.admin.post(`${second.path}/lifecycle/activate`, { body: { passCode: second.code() } });
    const browser = await begun(user);
    expect((await browser.get(STEP)).text).toContain(`<option value="${second.id}">Authenticator app</option>`);
    const signedIn = await browser.submit(STEP, { action: 'verify', factorId: second.id, passCode: second.code(1) });
    expect(locationOf(signedIn)).toBe('/');
  });

  test('with the question of a user who has nothing else', async () => {
    const browser = await begun(await userWithQuestion(service, org));
    expect((await browser.get(STEP)).text).toContain('What is the food you least liked as a child?');
    const wrong = await browser.submit(STEP, { action: 'verify', answer: 'fried cabbage' });
    expect(wrong.text).toContain('role="alert">This answer is incorrect.');
    expect(locationOf(await browser.submit(STEP, { action: 'verify', answer: 'boiled cabbage' }))).toBe('/');
  });

  test('and leads back to the beginning when the sign-in or its factor is over', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const browser = await begun(user);
    const form = await browser.open(STEP);
    await org.admin.del(`${factorsPath(user.id)}/${device.id}`);
    expect(locationOf(await form({ action: 'verify', passCode: device.code(1) }))).toBe('/signin?done=over');
    const other = await begun((await userWhoNeedsCode(service, org)).user);
    for (let tries = 0; tries < 4; tries += 1) await other.submit(STEP, { action: 'verify', passCode: '1' });
    expect(locationOf(await other.submit(STEP, { action: 'verify', passCode: '1' }))).toBe('/signin?done=tries');
    expect((await other.get('/signin?done=tries')).text).toContain('too many wrong attempts');
  });

  test('and says so while the factor waits', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const wrong = { passCode: device.code(40) };
    for (let tries = 0; tries < 5; tries += 1) await org.admin.post(`${device.path}/verify`, { body: wrong });
    const waits = await (await begun(user)).submit(STEP, { action: 'verify', passCode: device.code(1) });
    expect(waits.status).toBe(429);
    expect(waits.text).toMatch(/Try again in 5 minutes\./);
  });

  test('and shows the next step when its form comes twice', async () => {
    const user = await userWithoutFactor(service, org);
    const browser = await begun(user);
    await browser.submit(STEP, { action: 'send' });
    const form = await browser.open(STEP);
    const passCode = await mailedCode(service, org, user);
    for (const _ of [1, 2]) expect(locationOf(await form({ action: 'verify', passCode }))).toBe(STEP);
    expect((await browser.get(STEP)).text).toContain('Set up an authenticator app');
  });

  test('and takes no form of another site', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const browser = await begun(user);
    const foreign = await browser.post(STEP, { action: 'verify', factorId: device.id, passCode: device.code(1) });
    expect(foreign.status).toBe(403);
    expect((await meOf(browser)).status).not.toBe(200);
  });
});

describe('a page lets a user enroll the first factor', () => {
  test('behind a code that is sent on request, with a picture and a key', async () => {
    const user = await userWithoutFactor(service, org);
    const browser = await begun(user);
    const ask = await browser.get(STEP);
    expect(ask.text).toContain(`${user.profile.email[0]}***@`);
    expect(ask.text).not.toContain(user.profile.email);
    expect(locationOf(await browser.submit(STEP, { action: 'send' }))).toBe(STEP);
    const wrong = await browser.submit(STEP, { action: 'verify', passCode: '1' });
    expect(wrong.text).toContain('role="alert">This code is wrong or has expired.');
    const again = formsIn((await browser.get(STEP)).text).filter(({ action }) => action === STEP);
    expect(again).toHaveLength(3);
    expect(locationOf(await browser.submit(STEP, { action: 'send' }))).toBe(STEP);
    const passCode = await mailedCode(service, org, user);
    expect(locationOf(await browser.submit(STEP, { action: 'verify', passCode }))).toBe(STEP);
    expect(locationOf(await browser.submit(STEP, { action: 'enroll' }))).toBe(STEP);
    const { text } = await browser.get(STEP);
    const key = /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1] ?? '';
    expect(key).not.toBe('');
    expect(text).toContain('src="data:image/gif;base64,R0lGOD');
    const sharedSecret = key.replaceAll(' ', '');
    const account = encodeURIComponent(loginOf(user));
    expect(text).toMatch(new RegExp(`"otpauth://totp/${org.hostname}:${account}\\?secret=${sharedSecret}&amp;`));
    const device = deviceOf(service, user.id, { id: '', _embedded: { activation: { sharedSecret } } });
    const refused = await browser.submit(STEP, { action: 'activate', passCode: device.code(40) });
    expect(refused.text).toContain('This code is wrong');
    expect(refused.text).toContain(key);
    expect(locationOf(await browser.submit(STEP, { action: 'activate', passCode: device.code() }))).toBe('/');
    expect((await meOf(browser)).body.id).toBe(user.id);
    expect((await signIn(org.anonymous, loginOf(user))).body.status).toBe('MFA_REQUIRED');
  });

  test('in the sitting of the activation, without a code', async () => {
    const own = await service.newOrg();
    await requireFactor(service, own);
    const { user } = await activationOf(service, own);
    const browser = openPageClient(own);
    await browser.submit(new URL((await mailTo(service, own, user)).url).pathname, {});
    const passwords = { newPassword: ANOTHER_PASSWORD, repeatPassword: ANOTHER_PASSWORD };
    expect(locationOf(await browser.submit(STEP, { action: 'reset', ...passwords }))).toBe(STEP);
    expect((await browser.get(STEP)).text).toContain('Set up an authenticator app');
  });

  test('but not after a forgotten password: it is set, and they sign in with it', async () => {
    const own = await service.newOrg();
    const user = await own.createUser({ credentials: { password: { value: ANOTHER_PASSWORD } } });
    await requireFactor(service, own);
    const link = await own.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=false`);
    const browser = openPageClient(own);
    await browser.submit(new URL(link.body.resetPasswordUrl).pathname, {});
    const passwords = { newPassword: 'Correct-3-Staple', repeatPassword: 'Correct-3-Staple' };
    const set = await browser.submit(STEP, { action: 'reset', ...passwords });
    expect(locationOf(set)).toBe('/signin?done=set');
    expect((await browser.get('/signin?done=set')).text).toContain('Your password is set.');
  });
});
