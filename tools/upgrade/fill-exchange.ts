import { createHash, randomBytes } from 'node:crypto';
import { createTestClient, type TestResponse } from '../../server/test/support/client.ts';
import { openPageClient, signInByPages } from '../../server/test/support/page-client.ts';
import { type Administrator, good, type Json, PASSWORD } from './administrator.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const CALLBACK = 'https://exchanger.example/cb';

async function newServer(admin: Administrator): Promise<string> {
  const { id } = await admin.post('/api/v1/authorizationServers', {
    name: 'Exchange',
    description: 'Of before',
    audiences: ['api://exchange'],
  });
  const path = `/api/v1/authorizationServers/${id}`;
  const { id: policyId } = await admin.post(`${path}/policies`, {
    type: 'OAUTH_AUTHORIZATION_POLICY',
    name: 'Everybody',
    description: 'Of before',
    priority: 1,
    status: 'ACTIVE',
    conditions: { clients: { include: ['ALL_CLIENTS'] } },
  });
  await admin.post(`${path}/policies/${policyId}/rules`, {
    type: 'RESOURCE_ACCESS',
    name: 'Everything',
    priority: 1,
    status: 'ACTIVE',
    conditions: {
      people: { users: { include: [], exclude: [] }, groups: { include: ['EVERYONE'], exclude: [] } },
      grantTypes: { include: ['authorization_code', EXCHANGE] },
      scopes: { include: ['*'] },
    },
    actions: { token: { accessTokenLifetimeMinutes: 60, refreshTokenLifetimeMinutes: 0 } },
  });
  return id;
}

/**
 * Signs a user in, and exchanges the access token for a refresh token. Also returns the sign-in's own refresh token, as
 * `parent`.
 */
export async function exchangedToken(
  { port }: { readonly port: number },
  ca: string,
  admin: Administrator,
  user: TestResponse['body'],
): Promise<Json> {
  const serverId = await newServer(admin);
  const app = await admin.app('Exchanger', {
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token', EXCHANGE],
  });
  await admin.assign(app, user.id);
  const { client_id: clientId, client_secret: clientSecret } = app.credentials.oauthClient;
  const hostname = 'localhost';
  const client = (headers: Readonly<Record<string, string>>) => createTestClient({ port, hostname, ca, headers });
  const browser = openPageClient({ hostname, baseUrl: `https://localhost:${port}`, client });
  await signInByPages(browser, user.profile.login, { password: PASSWORD });
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid offline_access',
    state: 'before',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await browser.get(`/oauth2/${serverId}/v1/authorize?${query.toString()}`);
  const code = new URL(String(answer.headers['location'])).searchParams.get('code') ?? '';
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const ask = (form: Readonly<Record<string, string>>) =>
    good(
      client({}).post(`/oauth2/${serverId}/v1/token`, {
        raw: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization },
      }),
    );
  const first = await ask({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier });
  const second = await ask({
    grant_type: EXCHANGE,
    subject_token: first.access_token,
    subject_token_type: ACCESS_TOKEN,
    scope: 'openid offline_access',
  });
  return {
    appId: app.id,
    serverId,
    clientId,
    clientSecret,
    parent: first.refresh_token,
    refreshToken: second.refresh_token,
  };
}
