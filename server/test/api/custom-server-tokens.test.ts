import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  assertionOf,
  type CustomServer,
  GRANT,
  good,
  newCustomServer,
  newOrdersServer,
  newServerClient,
  type ServerProof,
  sendAs,
  tokenAt,
} from '../support/custom-servers.ts';
import { postForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const KEY = 'private_key_jwt';

const app = beforeTests(() => newServerClient(org, KEY));
const server = beforeTests(() => newOrdersServer(org));

const tokenPath = (of: CustomServer = server) => `${of.oauth}/v1/token`;
const ask = (form: Readonly<Record<string, string>>, of = server, as = app) =>
  sendAs(org, as, KEY, tokenPath(of), form);

describe('a token of a custom server', () => {
  test('is for its audience, says what its claims say, lives as the rule says, and anybody can verify it', async () => {
    const response = await ask(GRANT);
    expect(response).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 1_800, scope: 'orders.read' },
    });
    expect(Object.keys(response.body)).toEqual(['token_type', 'expires_in', 'access_token', 'scope']);
    expect(response.headers['cache-control']).toContain('no-store');
    const keys = await org.anonymous.get(`${server.oauth}/v1/keys`);
    const { payload } = await jwtVerify(response.body.access_token, createLocalJWKSet(keys.body), {
      issuer: server.issuer,
      audience: 'api://orders',
    });
    expect(Object.keys(payload)).toEqual([
      'ver',
      'jti',
      'iss',
      'aud',
      'sub',
      'iat',
      'exp',
      'cid',
      'scp',
      'reader',
      'tier',
    ]);
    expect(payload).toMatchObject({ ver: 1, sub: app.id, cid: app.id, scp: ['orders.read'], tier: 'gold' });
    expect(payload['reader']).toBe(app.id);
    expect(Number(payload.exp) - Number(payload.iat)).toBe(1_800);
    expect(decodeProtectedHeader(response.body.access_token)).toEqual({ alg: 'RS256', kid: expect.any(String) });
  });

  test('has the scopes asked for, those that a person could refuse too', async () => {
    const { body } = await ask({ ...GRANT, scope: 'orders.write orders.read orders.write' });
    expect(body.scope).toBe('orders.write orders.read');
    expect(decodeJwt(body.access_token)).toMatchObject({ scp: ['orders.write', 'orders.read'], writer: app.id });
  });

  test.each(['private_key_jwt', 'client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const)(
    'is given to a client that proves itself by %s, and to nobody by another way',
    async (proof) => {
      const client = await newServerClient(org, proof);
      const attempt = (by: ServerProof) => sendAs(org, client, by, tokenPath(), GRANT);
      expect(await attempt(proof)).toMatchObject({ status: 200, body: { scope: 'orders.read' } });
      const others = (['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const).filter(
        (other) => other !== proof,
      );
      for (const other of others) {
        const { body, status } = await attempt(other);
        expect([other, status, body.error]).toEqual([other, 401, 'invalid_client']);
      }
    },
  );

  test('of the default server is asked for by either of its names, and names its issuer', async () => {
    const { id } = await good(org.admin.get('/api/v1/authorizationServers/default'));
    await good(org.admin.post('/api/v1/authorizationServers/default/scopes', { body: { name: 'orders.read' } }));
    for (const oauth of [`/oauth2/${id}`, '/oauth2/default']) {
      const claims = decodeJwt(await tokenAt(org, { oauth }, app));
      expect(claims).toMatchObject({ iss: `${org.baseUrl}/oauth2/default`, aud: 'api://default' });
    }
    const form = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', ...GRANT };
    const aud = `${org.baseUrl}/oauth2/${id}/v1/token`;
    const assertion = { client_assertion: await assertionOf(org, app, KEY, { aud }) };
    const answer = await postForm(org.anonymous, '/oauth2/default/v1/token', { ...form, ...assertion });
    expect(answer.status).toBe(200);
  });

  test('has the default scopes where none is asked for', async () => {
    const scopes = { a: { default: true }, b: { default: true }, c: {} };
    const other = await newCustomServer(org, { scopes });
    const { grant_type } = GRANT;
    expect((await ask({ grant_type }, other)).body.scope).toBe('a b');
    expect(await ask({ grant_type }, server)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_scope',
        error_description:
          "The authorization server resource does not have any configured default scopes, 'scope' must be provided.",
      },
    });
  });

  test('is told to the log, without its signature', async () => {
    const { body } = await ask(GRANT);
    const { jti } = decodeJwt(body.access_token);
    const [event] = (await org.systemLog('eventType eq "app.oauth2.as.token.grant.access_token"')).slice(-1);
    expect(event).toMatchObject({
      actor: { id: app.id, type: 'PublicClientApp' },
      outcome: { result: 'SUCCESS' },
      target: [
        { id: app.id, type: 'PublicClientApp' },
        { id: jti, type: 'access_token' },
        { id: server.id, type: 'AuthorizationServer' },
      ],
      debugContext: {
        debugData: {
          grantType: 'client_credentials',
          clientAuthType: 'private_key_jwt',
          grantedScopes: 'orders.read',
          policyId: server.policyId,
          ruleId: server.ruleId,
        },
      },
    });
    const signature = String(body.access_token).split('.')[2] ?? '';
    expect(JSON.stringify(event)).not.toContain(signature);
    expect(service.logged()).not.toContain(signature);
  });

  test('opens nothing of the API, nor at any other server', async () => {
    const token = await tokenAt(org, server, app);
    const refused = await org.client({ authorization: `Bearer ${token}` }).get('/api/v1/users');
    expect(refused).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    const other = await newCustomServer(org);
    for (const path of [`${other.oauth}/v1/introspect`, '/oauth2/v1/introspect', '/oauth2/default/v1/introspect']) {
      expect((await sendAs(org, app, KEY, path, { token })).body).toEqual({ active: false });
    }
  });
});
