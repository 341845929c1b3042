import { assertUser, JWT_BEARER, newAsserter } from '../support/assertion-grant.ts';
import { allowedRequest, askUser, CIBA_GRANT, pollRequest } from '../support/backchannel.ts';
import type { TestResponse } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { allowedDevice, DEVICE_GRANT, newDeviceUser, poll } from '../support/devices.ts';
import { exchangeToken, TOKEN_EXCHANGE } from '../support/token-exchange.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens, tokensOf, type UserApp } from '../support/user-tokens.ts';
import { CREDENTIALS, PASSWORD } from '../support/users.ts';
import type { Bench, Refusal, UserWay } from './admission-ways.ts';

const INVALID_GRANT: Refusal = { status: 400, body: { error: 'invalid_grant' } };
const INVALID_TOKEN: Refusal = {
  status: 401,
  body: { errorCode: 'E0000011', errorSummary: 'Invalid token provided', errorCauses: [] },
};

const byApp = (
  name: string,
  credential: UserWay['credential'],
  refusal: Refusal,
  give: (bench: Bench, app: UserApp) => Promise<() => Promise<TestResponse>>,
): UserWay => ({
  name,
  credential,
  status: 'ACTIVE',
  refusal,
  hold: async (bench) => {
    const app = await newUserApp(bench.org, {
      scopes: ['svc.users.read'],
      settings: {
        grant_types: ['authorization_code', 'refresh_token', 'password', DEVICE_GRANT, TOKEN_EXCHANGE, CIBA_GRANT],
      },
    });
    return { userId: app.userId, attempt: await give(bench, app) };
  },
});

const redeeming = byApp('a code', 'oauth', INVALID_GRANT, async ({ org, service }, app) => {
  const code = await newCode(service, org, app);
  return () => redeem(org, app, code);
});

const refreshing = byApp('a refresh token', 'oauth', INVALID_GRANT, async ({ org, service }, app) => {
  const { refresh_token: token } = await tokensOf(service, org, app);
  return () => refresh(org, app, token);
});

const provingPassword = byApp('a password at the token endpoint', 'password', INVALID_GRANT, async ({ org }, app) => {
  const form = { grant_type: 'password', username: app.login, password: PASSWORD, scope: 'openid' };
  return () => requestTokens(org, app, form);
});

const bearing = byApp('a user’s access token', 'oauth', INVALID_TOKEN, async ({ org, service }, app) => {
  const { access_token: token } = await tokensOf(service, org, app, { scopes: ['svc.users.read'] });
  return () => org.client({ authorization: `Bearer ${token}` }).get('/api/v1/users/me');
});

const INVALID_SUBJECT: Refusal = { status: 400, body: { error: 'invalid_request' } };

const exchanging = byApp('a token to be exchanged', 'oauth', INVALID_SUBJECT, async ({ org, service }, app) => {
  const { access_token: token } = await tokensOf(service, org, app, { scopes: ['openid'] });
  return () => exchangeToken(org, app, token);
});

const asserting: UserWay = {
  name: 'an assertion of an app',
  credential: 'assertion',
  status: 'ACTIVE',
  refusal: INVALID_GRANT,
  hold: async ({ org }) => {
    const { id, profile } = await org.createUser({ credentials: CREDENTIALS });
    const server = await newCustomServer(org, { grantTypes: [JWT_BEARER] });
    const app = await newAsserter(org, [id]);
    return { userId: id, attempt: () => assertUser(org, server, app, profile.login) };
  },
};

const redeemingDevice = byApp('a device that was allowed', 'oauth', INVALID_GRANT, async ({ org, service }, app) => {
  const user = await newDeviceUser(service, org, null, app.userId);
  const device = await allowedDevice(org, app, user);
  return () => poll(org, app, device);
});

const redeemingRequest = byApp('a request that was allowed', 'oauth', INVALID_GRANT, async ({ org, service }, app) => {
  const user = await newDeviceUser(service, org, null, app.userId);
  const request = await allowedRequest(org, app, user);
  return () => pollRequest(org, app, request);
});

/** The refusal is the same as for a user who does not exist. */
const UNKNOWN_USER: Refusal = { status: 400, body: { error: 'invalid_request' } };

const askingElsewhere = byApp('a request for its user', 'assertion', UNKNOWN_USER, async ({ org }, app) => {
  const { login } = app;
  return () => askUser(org, app, { login_hint: login });
});

export const TOKEN_WAYS = {
  redeemCode: [redeeming],
  redeemDeviceCode: [redeemingDevice],
  redeemBackchannelRequest: [redeemingRequest],
  refreshToken: [refreshing],
  passwordGrant: [provingPassword],
  // If the app's policy refuses the user, the subject token counts as void.
  exchangeToken: [{ ...exchanging, appRefusal: INVALID_SUBJECT }],
  assertionGrant: [asserting],
  useUserToken: [{ ...bearing, appRefusal: INVALID_TOKEN }],
  askUserElsewhere: [askingElsewhere],
} as const satisfies Readonly<Record<string, readonly [UserWay, ...UserWay[]]>>;
