import { describe, expect, test } from 'vitest';
import { assign, newOidcApp, type OidcApp } from '../support/authorization.ts';
import { type CustomServer, good } from '../support/custom-servers.ts';
import { openSession } from '../support/session-tokens.ts';
import {
  exchangeToken,
  ID_TOKEN,
  newExchanger,
  newExchangeServer,
  TOKEN_EXCHANGE,
  tokenAt,
  tokensAt,
  useExchange,
} from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, requestTokens, type UserApp } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const { server, front, api } = useExchange(org);

const at = (where: CustomServer = server) => ({ path: tokenAt(where) });
const tokenOf = async (scopes?: readonly string[], as = front): Promise<string> =>
  (await tokensAt(service, org, as, server, scopes)).access_token;

const INVALID = { status: 400, body: { error: 'invalid_request', error_description: "'subject_token' is invalid." } };

async function newCase(): Promise<{ own: UserApp; backend: OidcApp; token: string }> {
  const own = await newUserApp(org);
  return { own, backend: await newExchanger(org, [own.userId]), token: await tokenOf(undefined, own) };
}

const failuresOf = (app: OidcApp) =>
  org.systemLog(`eventType eq "app.oauth2.as.authorize.token.grant_failure" and target.id eq "${app.id}"`);

describe('a request is refused', () => {
  test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['without a token', { subject_token: undefined }, 'invalid_request'],
    ['without a type', { subject_token_type: undefined }, 'invalid_request'],
    ['of another type', { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    ['for a token of another type', { requested_token_type: ID_TOKEN }, 'invalid_request'],
    ['row 78: for another audience', { audience: 'api://payments' }, 'invalid_target'],
    ['for another resource', { resource: 'https://payments.example' }, 'invalid_target'],
    ['row 66: for a scope that the token does not have', { scope: 'orders.read orders.write' }, 'invalid_scope'],
    ['row 66: for more about the person', { scope: 'openid email' }, 'invalid_scope'],
    ['row 66: for an unending stay', { scope: 'openid offline_access' }, 'invalid_scope'],
    ['for a scope that nobody has', { scope: 'orders.none' }, 'invalid_scope'],
  ])('%s', async (_, changes, error) => {
    expect(await exchangeToken(org, api, await tokenOf(), changes, at())).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  test('with tokens in its address', async () => {
    const path = `${tokenAt(server)}?subject_token=x`;
    expect(await exchangeToken(org, api, await tokenOf(), {}, { path })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  test('from a page in a browser', async () => {
    const headers = { origin: 'https://spa.example' };
    expect(await exchangeToken(org, api, await tokenOf(), {}, { ...at(), headers })).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
  });

  test('of an app that may not exchange tokens, or proves nothing', async () => {
    const plain = await newOidcApp(org);
    await assign(org, plain, front.userId);
    const open = await newExchanger(org, [front.userId], {
      authMethod: 'none',
      settings: { grant_types: ['authorization_code', TOKEN_EXCHANGE], application_type: 'native' },
    });
    expect(await exchangeToken(org, plain, await tokenOf(), {}, at())).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
    expect(await exchangeToken(org, open, await tokenOf(), {}, at())).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const [event] = await failuresOf(open);
    expect(event).toMatchObject({
      outcome: { result: 'FAILURE', reason: 'missing_client_credentials' },
      debugContext: { debugData: { grantType: TOKEN_EXCHANGE } },
    });
  });

  test('where no policy exchanges tokens', async () => {
    const strict = await newExchangeServer(org, { grantTypes: ['authorization_code'] });
    const { access_token: token } = await tokensAt(service, org, front, strict);
    expect(await exchangeToken(org, api, token, {}, at(strict))).toMatchObject({
      status: 401,
      body: { error: 'access_denied' },
    });
  });

  test('for a scope that its user would be asked about', async () => {
    const asking = await newExchangeServer(org, { scopes: { 'orders.own': { consent: 'REQUIRED' } } });
    const { access_token: token } = await tokensAt(service, org, front, asking, ['orders.own']);
    const careful = await newExchanger(org, [front.userId], { settings: { consent_method: 'REQUIRED' } });
    expect(await exchangeToken(org, careful, token, {}, at(asking))).toMatchObject({
      status: 400,
      body: { error: 'consent_required', error_description: expect.stringContaining('[orders.own]') },
    });
    expect((await exchangeToken(org, api, token, {}, at(asking))).status).toBe(200);
  });
});

describe('a token is refused', () => {
  test('that is none, is somebody else’s work, or is another org’s', async () => {
    const elsewhere = await service.newOrg();
    const theirs = await newExchangeServer(elsewhere);
    const stranger = await newUserApp(elsewhere);
    const { access_token: foreign } = await tokensAt(service, elsewhere, stranger, theirs);
    const token = await tokenOf();
    const [head = '', , signature = ''] = token.split('.');
    const forged = [head, Buffer.from(JSON.stringify({ iss: server.issuer })).toString('base64url'), signature];
    for (const wrong of ['none', `${token.slice(0, -4)}AAAA`, forged.join('.'), foreign]) {
      expect(await exchangeToken(org, api, wrong, {}, at())).toMatchObject(INVALID);
    }
  });

  test('of an app for itself', async () => {
    const form = { grant_type: 'client_credentials', scope: 'orders.read' };
    const { access_token: token } = await good(requestTokens(org, api, form, at()));
    expect(await exchangeToken(org, api, token, {}, at())).toMatchObject(INVALID);
  });

  test('row 78: that was revoked', async () => {
    const { backend, own, token } = await newCase();
    await good(requestTokens(org, own, { token }, { path: `${server.oauth}/v1/revoke` }));
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject(INVALID);
  });

  test('that is over', async () => {
    const token = await tokenOf();
    service.clock.advance(31 * 60_000);
    expect(await exchangeToken(org, api, token, {}, at())).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: expect.stringContaining('expired') },
    });
  });

  test.each(['suspend', 'deactivate', 'expire_password'])('row 46: of a person after %s', async (operation) => {
    const { backend, own, token } = await newCase();
    await good(org.admin.post(`/api/v1/users/${own.userId}/lifecycle/${operation}?sendEmail=false`));
    service.clock.advance(1_100);
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject(INVALID);
  });

  test('of a person whose sessions were cleared', async () => {
    const { backend, own, token } = await newCase();
    await good(org.admin.del(`/api/v1/users/${own.userId}/sessions?oauthTokens=true`));
    service.clock.advance(1_100);
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject(INVALID);
  });

  test('of a person who does not have the app that asks, or has lost the one that had it', async () => {
    const { backend, own, token } = await newCase();
    const other = await newExchanger(org, []);
    expect(await exchangeToken(org, other, token, {}, at())).toMatchObject({
      status: 400,
      body: { error: 'access_denied' },
    });
    await good(org.admin.del(`/api/v1/apps/${own.id}/users/${own.userId}`));
    service.clock.advance(1_100);
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject(INVALID);
  });

  test('row 78: of an app that is not active, and by one that is not', async () => {
    const { backend, own, token } = await newCase();
    await good(org.admin.post(`/api/v1/apps/${backend.id}/lifecycle/deactivate`));
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    // The subject token was issued to `own`, so deactivating `backend` did not void it.
    await good(org.admin.post(`/api/v1/apps/${backend.id}/lifecycle/activate`));
    expect((await exchangeToken(org, backend, token, {}, at())).status).toBe(200);
    await good(org.admin.post(`/api/v1/apps/${own.id}/lifecycle/deactivate`));
    service.clock.advance(1_100);
    expect(await exchangeToken(org, backend, token, {}, at())).toMatchObject(INVALID);
  });

  test('with a scope that is another one by the same name since', async () => {
    const moving = await newExchangeServer(org, { scopes: { 'orders.read': {}, 'orders.kept': {} } });
    const { access_token: token } = await tokensAt(service, org, front, moving, ['orders.read', 'orders.kept']);
    const { body: scopes } = await org.admin.get(`${moving.path}/scopes`);
    const { id } = scopes.find(({ name }: { name: string }) => name === 'orders.read');
    await good(org.admin.del(`${moving.path}/scopes/${id}`));
    await good(org.admin.post(`${moving.path}/scopes`, { body: { name: 'orders.read' } }));
    service.clock.advance(1_100);
    const { body, status } = await exchangeToken(org, api, token, { scope: 'orders.read' }, at(moving));
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_scope' });
    expect((await exchangeToken(org, api, token, { scope: 'orders.kept' }, at(moving))).status).toBe(200);
  });
});

test('an ID token ends with its session', async () => {
  const own = await newUserApp(org, { settings: { grant_types: ['authorization_code', TOKEN_EXCHANGE] } });
  const session = await openSession(service, org, { userId: own.userId });
  const sessionExternalId = session.externalSessionId;
  const { id_token: token } = await tokensAt(service, org, own, server, ['openid'], { sessionExternalId });
  const ask = () => exchangeToken(org, own, token, { subject_token_type: ID_TOKEN, scope: 'openid orders.read' }, at());
  expect((await ask()).status).toBe(200);
  await good(org.admin.del(`/api/v1/sessions/${session.id}`));
  expect(await ask()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('a refusal of what was decided is told to the log, with the person', async () => {
  const { backend, own, token } = await newCase();
  expect((await exchangeToken(org, backend, token, { scope: 'openid orders.write' }, at())).status).toBe(400);
  const [event] = await failuresOf(backend);
  expect(event).toMatchObject({
    actor: { id: backend.id },
    outcome: { result: 'FAILURE', reason: 'invalid_scope' },
    debugContext: { debugData: { grantType: TOKEN_EXCHANGE, requestedScopes: 'openid orders.write' } },
  });
  expect(event.target.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([backend.id, own.userId, server.id]),
  );
});
