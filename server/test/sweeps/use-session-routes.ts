import { AUTHN } from '../support/authn.ts';
import { exchange, ME, REFRESH_PATHS } from '../support/session-tokens.ts';
import { CREDENTIALS, PASSWORD, userPath } from '../support/users.ts';
import type { Body, Use } from './asking.ts';

const SESSIONS = '/api/v1/sessions';

async function signedIn({ ask, org }: Use, user: Body): Promise<string> {
  const body = { username: user.profile.login, password: PASSWORD };
  const { sessionToken } = await ask('POST', AUTHN, body, { client: org.anonymous });
  return String(sessionToken);
}

async function useById(use: Use, user: Body): Promise<void> {
  const { ask, org } = use;
  const sessionToken = await signedIn(use, user);
  const { id } = await ask('POST', SESSIONS, { sessionToken }, { client: org.anonymous });
  await exchange(org.anonymous, sessionToken);
  const session = `${SESSIONS}/${id}`;
  await ask('GET', session);
  for (const path of REFRESH_PATHS) await ask('POST', `${session}/${path}`);
  await ask('PUT', session, undefined, { headers: { prefer: 'return=minimal' } });
  await ask('DELETE', session);
}

async function useCookie(use: Use, user: Body): Promise<void> {
  const { ask, org } = use;
  const { id } = await ask('POST', SESSIONS, { sessionToken: await signedIn(use, user) }, { client: org.anonymous });
  const client = org.client({ cookie: `sid=${id}` });
  await ask('GET', ME, undefined, { client });
  for (const path of REFRESH_PATHS) await ask('POST', `${ME}/${path}`, undefined, { client });
  await ask('GET', userPath('me'), undefined, { client });
  await ask('DELETE', ME, undefined, { client });
  const token = encodeURIComponent(await signedIn(use, user));
  const redirectUrl = encodeURIComponent(`${org.baseUrl}/`);
  await ask('GET', `/login/sessionCookieRedirect?token=${token}&redirectUrl=${redirectUrl}`);
  const elsewhere = encodeURIComponent('https://elsewhere.example/');
  await org.anonymous.get(`/login/sessionCookieRedirect?token=${token}&redirectUrl=${elsewhere}`);
}

export async function useSessionRoutes(use: Use): Promise<void> {
  const { ask, org } = use;
  const user = await org.createUser({ credentials: CREDENTIALS });
  await useById(use, user);
  await useCookie(use, user);
  await ask('DELETE', `${userPath(user.id)}/sessions?oauthTokens=true`);
  await ask('DELETE', `${userPath(user.id)}/sessions?forgetDevices=false`);
}
