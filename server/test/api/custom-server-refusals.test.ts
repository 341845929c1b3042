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
  sendAs,
} from '../support/custom-servers.ts';
import { newServiceApp, postForm } from '../support/service-apps.ts';
import { TOKEN_ERRORS } from '../support/token-errors.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const KEY = 'private_key_jwt';

const app = beforeTests(() => newServerClient(org, KEY));
const server = beforeTests(() => newOrdersServer(org));

const tokenPath = (of: CustomServer = server) => `${of.oauth}/v1/token`;
const ask = (form: Readonly<Record<string, string>>, of = server, as = app) =>
  sendAs(org, as, KEY, tokenPath(of), form);

describe('refused at a custom server is', () => {
  const policy = {
    status: 401,
    body: {
      error: 'access_denied',
      error_description: 'Policy evaluation failed for this request, please check the policy configurations.',
    },
  };
  const scope = { status: 400, body: { error: 'invalid_scope' } };

  test.each([
    ['an unknown scope', { scope: 'orders.read orders.delete' }, scope],
    ['a scope of the API', { scope: 'svc.users.read' }, scope],
    ['a scope about a user', { scope: 'orders.read openid' }, scope],
    [
      'a scope that a person must consent to',
      { scope: 'orders.read orders.own' },
      {
        status: 400,
        body: {
          error: 'consent_required',
          error_description:
            'The following scopes require user consent and cannot be granted for the client credentials grant type: ' +
            '[orders.own].',
        },
      },
    ],
    ['another grant', { grant_type: 'magic' }, { status: 400, body: { error: 'unsupported_grant_type' } }],
    ['no grant', { grant_type: '' }, { status: 400, body: { error: 'invalid_request' } }],
  ])('%s', async (_, form, refusal) => expect(await ask({ ...GRANT, ...form })).toMatchObject(refusal));

  test('who no policy is for, in the words of the contract', async () => {
    const other = await newServerClient(org, KEY);
    const servers = [
      await newCustomServer(org, { clients: [other.id] }),
      await newCustomServer(org, { grantTypes: ['authorization_code'] }),
      await newCustomServer(org, { ruleScopes: ['another'], scopes: { 'orders.read': {}, another: {} } }),
    ];
    for (const one of servers) expect(await ask(GRANT, one)).toMatchObject(policy);
    expect((await ask(GRANT, servers[0], other)).status).toBe(200);
  });

  test('whoever has a policy or a rule that was deactivated', async () => {
    const other = await newCustomServer(org);
    const rule = `${other.path}/policies/${other.policyId}/rules/${other.ruleId}`;
    for (const path of [rule, `${other.path}/policies/${other.policyId}`]) {
      expect((await ask(GRANT, other)).status).toBe(200);
      await good(org.admin.post(`${path}/lifecycle/deactivate`));
      expect(await ask(GRANT, other)).toMatchObject(policy);
      await good(org.admin.post(`${path}/lifecycle/activate`));
    }
  });

  test('a client that has other grant types', async () => {
    const web = await newServiceApp(org, { applicationType: 'web', authMethod: 'client_secret_post', scopes: [] });
    const answer = await sendAs(org, web, 'client_secret_post', tokenPath(), GRANT);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'unauthorized_client',
        error_description:
          'The client is not authorized to use the provided grant type. Configured grant types: [authorization_code].',
      },
    });
  });

  test('a public client', async () => {
    const spa = await newServiceApp(org, { applicationType: 'browser', authMethod: 'none', scopes: [] });
    const answer = await postForm(org.anonymous, tokenPath(), { ...GRANT, client_id: spa.id });
    expect(answer).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('wrong secrets, and clients that do not exist', async () => {
    const client = await newServerClient(org, 'client_secret_basic');
    const wrong = { ...client, secret: `${client.secret}x` };
    const { body, status } = await sendAs(org, wrong, 'client_secret_basic', tokenPath(), GRANT);
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    const nobody = await sendAs(org, { ...client, id: '0oanobody' }, 'client_secret_basic', tokenPath(), GRANT);
    expect(nobody).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('an assertion for another endpoint, and one that was used', async () => {
    const type = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const other = await newCustomServer(org);
    const send = async (aud: string, to = tokenPath()) =>
      postForm(org.anonymous, to, { ...type, ...GRANT, client_assertion: await assertionOf(org, app, KEY, { aud }) });
    const { status: _, ...audience } = TOKEN_ERRORS.audience;
    for (const path of ['/oauth2/v1/token', tokenPath(other), `${server.oauth}/v1/introspect`, other.oauth]) {
      expect(await send(org.baseUrl + path)).toMatchObject({ status: 401, body: audience });
    }
    expect((await send(`${org.baseUrl}${tokenPath()}`, '/oauth2/v1/token')).body).toEqual(audience);
    const client_assertion = await assertionOf(org, app, KEY, { aud: org.baseUrl + tokenPath() });
    const once = () => postForm(org.anonymous, tokenPath(), { ...type, ...GRANT, client_assertion });
    const answers = await Promise.all([once(), once(), once()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  test('an assertion of a secret that is signed by a key, of another secret, or by a longer algorithm', async () => {
    const client = await newServerClient(org, 'client_secret_jwt');
    const aud = org.baseUrl + tokenPath();
    const type = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const send = (client_assertion: string) =>
      postForm(org.anonymous, tokenPath(), { ...type, ...GRANT, client_assertion });
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      expect((await send(await assertionOf(org, client, 'client_secret_jwt', { aud }, alg))).status).toBe(200);
    }
    const byKey = await assertionOf(org, client, KEY, { aud });
    expect((await send(byKey)).body.error_description).toBe(TOKEN_ERRORS.algorithm.error_description);
    const other = { ...client, secret: 'x'.repeat(64) };
    const bySecret = await assertionOf(org, other, 'client_secret_jwt', { aud });
    expect((await send(bySecret)).body.error_description).toBe(TOKEN_ERRORS.signature.error_description);
    // A client with a public key must not sign with a secret, because an attacker could use that key as the secret.
    const asKeyClient = await assertionOf(org, { ...app, secret: client.secret }, 'client_secret_jwt', { aud });
    expect((await send(asKeyClient)).body.error_description).toBe(TOKEN_ERRORS.algorithm.error_description);
  });

  test('a client without a token binding that its app asks for', async () => {
    const bound = await newServerClient(org, KEY, { dpop_bound_access_tokens: true });
    expect(await ask(GRANT, server, bound)).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
  });

  test('whoever asks a server that is not there, not active, or another org has', async () => {
    const inactive = await newCustomServer(org);
    await good(org.admin.post(`${inactive.path}/lifecycle/deactivate`));
    const foreign = await newCustomServer(await service.newOrg());
    for (const oauth of [inactive.oauth, foreign.oauth, '/oauth2/ausnobody', '/oauth2/%00', '/oauth2/..']) {
      for (const endpoint of ['token', 'introspect', 'revoke']) {
        const path = `${oauth}/v1/${endpoint}`;
        const { body, status } = await sendAs(org, app, KEY, path, { ...GRANT, token: 'x' });
        if (oauth === '/oauth2/..' || oauth === '/oauth2/%00') {
          expect(status).toBeGreaterThanOrEqual(400);
          continue;
        }
        const told = { error: 'invalid_request', error_description: 'The authorization server id is invalid.' };
        expect([path, status, body]).toEqual([path, 400, told]);
      }
    }
  });

  test('whose claims cannot be calculated: nobody gets a token without what it should say', async () => {
    const claims = { fine: '"a"', broken: 'nothing.like.that' };
    const broken = await newCustomServer(org, { claims });
    expect(await ask(GRANT, broken)).toMatchObject({
      status: 400,
      body: { error: 'server_error', error_description: "=The 'broken' user claim could not be evaluated." },
    });
  });

  test('and told to the log, with the reason of the contract', async () => {
    const one = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    await ask(GRANT, one);
    const [event] = (await org.systemLog('eventType eq "app.oauth2.as.authorize.token.grant_failure"')).slice(-1);
    expect(event).toMatchObject({
      actor: { id: app.id, type: 'PublicClientApp' },
      outcome: { result: 'FAILURE', reason: 'no_matching_policy' },
      target: [
        { id: app.id, type: 'PublicClientApp' },
        { id: one.id, type: 'AuthorizationServer' },
      ],
      debugContext: { debugData: { requestedScopes: 'orders.read' } },
    });
  });
});
