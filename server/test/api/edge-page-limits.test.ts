import { expect, test } from 'vitest';
import { changeSettings } from '../support/org-settings.ts';
import { openPageClient, signInByPages } from '../support/page-client.ts';
import { postForm } from '../support/service-apps.ts';
import { exchange } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

const { service } = useService({ isShared: false });

/** Pages that can be viewed without using up the limits for signing in and for tokens. */
const PAGES = [
  '/signin',
  '/signin?step=password&login_hint=x',
  '/signin/step',
  '/signin/forgot-password',
  '/signin/mail-sent',
  '/welcome/aaaaaaaaaaaaaaaaaaaa',
  '/account/profile',
  '/account/consents',
  '/account/requests',
  '/signout',
  '/consent?request=x',
  '/oauth2/v1/authorize?client_id=x',
  '/oauth2/v1/authorize/resume?request=x',
  '/oauth2/v1/logout',
];

test('pages that are looked at use up nothing of what signing in and tokens need', async () => {
  const own = await service.newOrg();
  const { profile } = await own.createUser({ credentials: CREDENTIALS });
  await changeSettings(service, own, { rateLimits: { authn: 2, sessions: 1, oauth: 1 } });
  // The clock moves to the next minute, so that all counted requests fall into one window.
  service.clock.advance(60_000 - (service.clock.now().getTime() % 60_000));
  const browser = openPageClient(own);
  for (const page of PAGES) {
    for (let asked = 0; asked < 3; asked += 1) expect((await browser.get(page)).status, page).not.toBe(429);
  }
  expect((await signInByPages(browser, profile.login)).status).toBe(303);
  expect((await exchange(own.anonymous, 'x')).status).toBe(401);
  expect((await postForm(own.anonymous, '/oauth2/v1/token', { grant_type: 'x' })).status).not.toBe(429);
  const again = { username: profile.login, formToken: 'x' };
  expect((await browser.post('/signin', again)).status).toBe(429);
});
