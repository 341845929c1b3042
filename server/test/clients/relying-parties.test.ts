import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';
import { newAppUser, newWebApp, type WebApp } from '../support/web-apps.ts';
import { openWebWalk, type WebPage, type WebWalk } from '../support/web-walk.ts';
import { freePort, type RelyingParty, startRelyingParty } from './relying-party.ts';

const { service, org } = useService({ isShared: false });
let party: RelyingParty;
let issuer: string;
const open: WebWalk[] = [];

beforeAll(async () => {
  party = await startRelyingParty(service.caFile);
  issuer = `https://localhost:${service.port}`;
});
afterAll(async () => {
  for (const walk of open) await walk.close();
  await party.close();
});

function browser(stopsAt?: (url: URL) => boolean): WebWalk {
  const walk = openWebWalk({ ca: service.ca, ...(stopsAt === undefined ? {} : { stopsAt }) });
  open.push(walk);
  return walk;
}

async function signInBy(walk: WebWalk, page: WebPage, login: string): Promise<WebPage> {
  const asked = await walk.submit(page, { username: login });
  return walk.submit(asked, { username: login, password: PASSWORD });
}

const jsonOf = ({ html, status, url }: WebPage): TestResponse['body'] => {
  if (status !== 200) throw new Error(`${status} at ${url.href}: ${html.slice(0, 2_000)}`);
  return JSON.parse(html);
};

describe.each(['org', 'default'] as const)('at the %s authorization server', (kind) => {
  const issuerOf = () => (kind === 'org' ? issuer : `${issuer}/oauth2/default`);

  test.each(['oidc-middleware', 'passport-openidconnect'] as const)('%s signs a user in', async (client) => {
    const port = await freePort();
    const home = `http://localhost:${port}`;
    const app = await newWebApp(org, {
      redirectUris: [`${home}/authorization-code/callback`],
      authMethod: client === 'oidc-middleware' ? 'client_secret_basic' : 'client_secret_post',
      postLogoutRedirectUris: [`${home}/`],
    });
    const user = await newAppUser(org, app);
    await party.serve({
      kind: client,
      issuer: issuerOf(),
      clientId: app.id,
      clientSecret: app.clientSecret,
      scope: 'openid profile email',
      port,
    });
    const walk = browser();
    const shown = jsonOf(await signInBy(walk, await walk.go(`${home}/protected`), user.profile.login));
    expect(shown).toMatchObject(
      client === 'oidc-middleware'
        ? { userinfo: { sub: user.id, email: user.profile.email, preferred_username: user.profile.login } }
        : { id: user.id, username: user.profile.login },
    );
    expect(jsonOf(await walk.go(`${home}/protected`))).toEqual(shown);
  });

  test('okta-auth-js: code and PKCE, tokens that jwt-verifier takes, userinfo, renewal, revocation', async () => {
    const callback = 'http://localhost:1/callback';
    const app: WebApp = await newWebApp(org, {
      applicationType: 'browser',
      authMethod: 'none',
      redirectUris: [callback],
      settings: { refresh_token: { rotation_type: 'ROTATE', leeway: 0 } },
    });
    const user = await newAppUser(org, app);
    const { body } = await signIn(org.anonymous, user.profile.login);
    const scopes = ['openid', 'profile', 'email', 'offline_access'];
    const options = { issuer: issuerOf(), clientId: app.id, redirectUri: callback, scopes };
    const params = await party.authJs(options, 'token.prepareTokenParams', { sessionToken: body.sessionToken });
    const base = kind === 'org' ? `${issuer}/oauth2` : issuerOf();
    const url = new URL(`${base}/v1/authorize`);
    const sent = {
      client_id: app.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: scopes.join(' '),
      state: params.state,
      nonce: params.nonce,
      code_challenge: params.codeChallenge,
      code_challenge_method: params.codeChallengeMethod,
      sessionToken: body.sessionToken,
    };
    for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
    const walk = browser(({ port }) => port === '1');
    const arrived = await walk.go(url);
    expect(Object.fromEntries(arrived.url.searchParams)).toMatchObject({ state: params.state });
    const authorizationCode = arrived.url.searchParams.get('code');
    const { tokens } = await party.authJs(options, 'token.exchangeCodeForTokens', { ...params, authorizationCode });
    expect(tokens.idToken.claims).toMatchObject({ sub: user.id, nonce: params.nonce });
    const { accessToken, idToken } = tokens;
    const audience = kind === 'org' ? issuer : 'api://default';
    // By default, the verifier fetches `/v1/keys` under the issuer, but the org's own server has `/oauth2/v1/keys`.
    const keys = kind === 'org' ? { jwksUri: `${base}/v1/keys` } : {};
    const verifier = { issuer: issuerOf(), clientId: app.id, ...keys };
    const verified = await party.verify(verifier, 'verifyAccessToken', accessToken.accessToken, audience);
    expect(verified.claims).toMatchObject({ cid: app.id, uid: user.id, sub: user.profile.login });
    const identity = await party.verify(verifier, 'verifyIdToken', idToken.idToken, app.id, params.nonce);
    expect(identity.claims).toMatchObject({ sub: user.id });
    await expect(party.verify(verifier, 'verifyAccessToken', accessToken.accessToken, 'api://other')).rejects.toThrow(
      'audience',
    );
    await expect(party.verify(verifier, 'verifyIdToken', idToken.idToken, app.id, 'other')).rejects.toThrow('nonce');
    const told = await party.authJs(options, 'token.getUserInfo', tokens.accessToken, tokens.idToken);
    expect(told).toMatchObject({ sub: user.id, email: user.profile.email });
    const renewed = await party.authJs(options, 'token.renewTokensWithRefresh', { ...options }, tokens.refreshToken);
    expect(renewed.accessToken.accessToken).not.toBe(tokens.accessToken.accessToken);
    expect(renewed.refreshToken.refreshToken).not.toBe(tokens.refreshToken.refreshToken);
    await party.authJs(options, 'token.revoke', renewed.accessToken);
  });
});
