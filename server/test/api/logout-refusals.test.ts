import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { APPS, createApp, webApp } from '../support/apps.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { AFTER_LOGOUT, aboutSession, browserOf, holds, idTokenOf, logoutPath, sendForm } from '../support/logout.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { type OpenSession, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
let clientId: string;
let session: OpenSession;

beforeAll(async () => {
  ({ id: clientId } = await createApp(org, webApp({ post_logout_redirect_uris: [AFTER_LOGOUT] })));
  session = await openSession(service, org);
});
beforeEach(async () => {
  expect(await holds(session)).toBe(true);
});

/** Expects an error page without a redirect or a cookie, and a session that is still valid. */
async function refusedWith(parameters: Readonly<Record<string, string>>, text: string, path?: string): Promise<void> {
  const browser = browserOf(org, session);
  const headers = { origin: org.baseUrl };
  for (const answer of [
    await browser.get(logoutPath(parameters, path)),
    await sendForm(browser, parameters, path === undefined ? { headers } : { headers, path }),
  ]) {
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(answer.text).toContain(text);
    expect(answer.headers['location']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
  expect(await holds(session)).toBe(true);
}

const hintOf = (claims: Readonly<Record<string, unknown>> = {}, options = {}) =>
  idTokenOf(service, org, { ...aboutSession(session, clientId), ...claims }, options);

describe('row 80: a forged hint is refused', () => {
  const about = () => ({ ...aboutSession(session, clientId), iss: org.baseUrl, jti: 'ID.abc' });

  test.each<[string, () => Promise<string>]>([
    ['signed by a stranger', () => new SignJWT(about()).setProtectedHeader({ alg: 'RS256' }).sign(strangersKey)],
    ['signed by a stranger under our kid', () => underOurKid()],
    [
      'without a signature',
      async () => {
        const [header = '', claims = ''] = (await hintOf()).split('.');
        const none = Buffer.from(
          JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg: 'none' }),
        );
        return `${none.toString('base64url')}.${claims}.`;
      },
    ],
    ['with other claims', async () => altered(await hintOf())],
    ['of another issuer', () => hintOf({ iss: 'https://evil.example' })],
    ['of a longer issuer', () => hintOf({ iss: `${org.baseUrl}/oauth2/default` })],
    ['of several clients', () => hintOf({ aud: [clientId, 'other'] })],
    ['of nobody', () => hintOf({ sub: undefined })],
    ['that is no ID token by its name', () => hintOf({ jti: 'AT.abc' })],
    ['that is another kind by its header', () => hintOf({}, { header: { typ: 'logout+jwt' } })],
    ['that is no token', () => Promise.resolve('nonsense')],
  ])('%s', async (_, make) => {
    await refusedWith({ id_token_hint: await make() }, 'id_token_hint');
  });

  const strangersKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;

  async function underOurKid(): Promise<string> {
    const { kid } = await service.application.oauth.signingKeys.signer(org.id);
    return new SignJWT(about()).setProtectedHeader({ alg: 'RS256', kid }).sign(strangersKey);
  }

  function altered(token: string): string {
    const [header, , signature] = token.split('.');
    const claims = { ...about(), sub: 'someone' };
    return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  }

  test('an access token', async () => {
    const client = await newServiceClient(service, org, { scopes: ['users.read'] });
    await refusedWith({ id_token_hint: await client.token('users.read') }, 'id_token_hint');
  });

  test("another org's, and another server's of the org", async () => {
    const other = await service.newOrg();
    const claims = aboutSession(session, clientId);
    await refusedWith({ id_token_hint: await idTokenOf(service, other, claims) }, 'id_token_hint');
    const server = await newCustomServer(org);
    const foreign = await hintOf({ iss: server.issuer }, { serverId: server.id });
    await refusedWith({ id_token_hint: foreign }, 'id_token_hint');
    await refusedWith({ id_token_hint: await hintOf() }, 'id_token_hint', `${server.oauth}/v1/logout`);
  });

  test('of another client than the request names', async () => {
    const { id } = await createApp(org);
    await refusedWith({ id_token_hint: await hintOf(), client_id: id }, 'id_token_hint');
  });
});

describe('row 80: where to go on is registered to the letter', () => {
  test.each([
    'https://evil.example',
    `${AFTER_LOGOUT}/`,
    `${AFTER_LOGOUT}?x=1`,
    `${AFTER_LOGOUT}#x`,
    `${AFTER_LOGOUT}/../evil`,
    AFTER_LOGOUT.toUpperCase(),
    AFTER_LOGOUT.replace('https:', 'http:'),
    AFTER_LOGOUT.replace('app.example.com', 'app.example.com:443'),
    AFTER_LOGOUT.replace('app.example.com', 'app.example.com@evil.example'),
    'https://app.example.com/cb',
    '//app.example.com/signed-out',
    'javascript:alert(1)',
    '/signed-out',
  ])('not %s', async (uri) => {
    await refusedWith({ id_token_hint: await hintOf(), post_logout_redirect_uri: uri }, 'post_logout_redirect_uri');
    await refusedWith({ client_id: clientId, post_logout_redirect_uri: uri }, 'post_logout_redirect_uri');
  });

  test("not another client's, nobody's, nor that of a client that is not active", async () => {
    const { id } = await createApp(org, webApp({ post_logout_redirect_uris: ['https://other.example.com/out'] }));
    const uri = { post_logout_redirect_uri: AFTER_LOGOUT };
    for (const client of [id, '0oanobody'])
      await refusedWith({ ...uri, client_id: client }, 'post_logout_redirect_uri');
    await refusedWith(uri, 'post_logout_redirect_uri');
    const inactive = await createApp(org, webApp({ post_logout_redirect_uris: [AFTER_LOGOUT] }));
    await org.admin.post(`${APPS}/${inactive.id}/lifecycle/deactivate`);
    await refusedWith({ ...uri, client_id: inactive.id }, 'post_logout_redirect_uri');
  });

  test('row 56: what the request says stands escaped in pages', async () => {
    const state = '"><script>alert(1)</script>';
    const parameters = { client_id: clientId, post_logout_redirect_uri: AFTER_LOGOUT, state };
    const page = await browserOf(org, session).get(logoutPath(parameters));
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('&lt;script&gt;');
  });
});

test('a server that is not there, or not active, is a page', async () => {
  const server = await newCustomServer(org);
  await org.admin.post(`${server.path}/lifecycle/deactivate`);
  for (const id of [server.id, 'ausnobody']) {
    await refusedWith({}, 'authorization server', `/oauth2/${id}/v1/logout`);
  }
});
