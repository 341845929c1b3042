import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { mailsPageUrl } from '../../src/sign-in/pages/mails-page.ts';
import { mailTo } from '../support/authn.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import type { TestOrg } from '../support/service.ts';
import { ANOTHER_PASSWORD, lockOut, PASSWORD, userIn } from '../support/users.ts';
import type { Body, Use } from './asking.ts';

/**
 * Returns the org with a `client` function whose clients send GET and POST requests through `ask`, so that operations
 * count as used.
 */
export function asking({ ask, org }: Use): TestOrg {
  const through = (client: TestClient): TestClient => {
    const send = async (...[method, path, options]: Parameters<TestClient['send']>): Promise<TestResponse> => {
      const seen: TestResponse[] = [];
      const watched = {
        ...client,
        send: async (...given: Parameters<TestClient['send']>) => {
          const response = await client.send(...given);
          seen.push(response);
          return response;
        },
      };
      await ask(method, path, undefined, { client: watched, ...options });
      const [response] = seen.slice(-1);
      if (response === undefined) throw new Error(`${method} ${path} was not sent`);
      return response;
    };
    return {
      ...client,
      send,
      get: (path, options) => send('GET', path, options),
      post: (path, options) => send('POST', path, options),
    };
  };
  return { ...org, client: (headers, hostname) => through(org.client(headers, hostname)) };
}

const passwords = (newPassword: string) => ({ newPassword, repeatPassword: newPassword });
const sessionIn = (text: string): string => /name="end" value="(trs[^"]+)"/.exec(text)?.[1] ?? '';

async function useAccount(browser: PageClient, another: PageClient, login: string): Promise<void> {
  for (const path of ['/', '/account/profile', '/account/password', '/account/sessions', '/signout']) {
    await browser.get(path);
  }
  await browser.submit('/account/profile', { 'profile.mobilePhone': '1' }, '/account/profile');
  await signInByPages(another, login);
  const end = sessionIn((await browser.get('/account/sessions')).text);
  await browser.submit('/account/sessions', { end }, '/account/sessions');
  const change = { oldPassword: PASSWORD, ...passwords(ANOTHER_PASSWORD) };
  await browser.submit('/account/password', change, '/account/password');
  await browser.submit('/signout', {}, '/signout');
}

export async function usePageRoutes(use: Use): Promise<void> {
  const { service } = use;
  const org = asking(use);
  const open = () => openPageClient(org);
  const linkOf = async (user: Body) => new URL((await mailTo(service, org, user)).url).pathname;
  const provisioned = await userIn(org, 'PROVISIONED');
  await open()
    .get(mailsPageUrl('', masterKeyOf(Buffer.alloc(32, 7))))
    .catch((error: unknown) => {
      // One test that uses all routes sends requests as a proxy would forward them. This page answers those with 404.
      if (!String(error).includes('answered 404')) throw error;
    });
  const browser = open();
  await browser.get('/');
  await browser.submit(await linkOf(provisioned), {}, '/signin/redeem');
  await browser.submit('/signin/step', { action: 'reset', ...passwords(PASSWORD) });
  await useAccount(browser, open(), provisioned.profile.login);

  const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
  for (const path of ['/reset_password', '/signin/reset-password', '/signin/address'])
    await open().get(`${path}/${'a'.repeat(20)}`);
  await open().submit('/signin/forgot-password', { username: user.profile.login });
  await open().get('/signin/mail-sent');
  await lockOut(org.admin, user.id);
  await open().submit('/signin/unlock', { username: user.profile.login });
  await open().submit(await linkOf(user), {}, '/signin/redeem');
}
