import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  type Claims,
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  requestToken,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { answerOf, TOKEN_ERRORS } from '../support/token-errors.ts';
import { useService } from '../support/use-service.ts';

const stranger = newTestKey();

const { service, org } = useService();
const app = beforeTests(() => newServiceApp(org));

const now = () => service.clock.now();
const post = (form: string, headers: Record<string, string> = {}, path = '/oauth2/v1/token') =>
  postForm(org.anonymous, path, form, { headers });

const good = (changes: Claims = {}) => claimsOf(org, app.id, now(), changes);

describe('a request', () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const bare = { client_assertion: undefined, client_assertion_type: undefined };

  test.each<[string, keyof typeof TOKEN_ERRORS, Record<string, string | undefined>, (() => Record<string, string>)?]>([
    ['without grant type', 'grantMissing', { grant_type: undefined }],
    ['with an empty grant type', 'grantMissing', { grant_type: '' }],
    ['with a password grant', 'grantOfOthers', { grant_type: 'password' }],
    ['with an unknown grant', 'grantUnknown', { grant_type: 'constructor' }],
    ['with no credentials', 'missing', bare],
    ['with a type and no assertion', 'missing', { client_assertion: undefined }],
    ['with an assertion of no type', 'type', { client_assertion_type: undefined }],
    ['with an assertion of another type', 'type', { client_assertion_type: 'urn:saml2' }],
    ['with another client_id', 'clientId', { client_id: '0oaOther000000000000' }],
    ['with secret and assertion', 'multiple', { client_secret: 'a-secret' }],
    ['with header and assertion', 'multiple', {}, () => basic(`${app.id}:secret`)],
    ['with a secret in the body', 'method', { ...bare, client_id: 'ID', client_secret: 'a-secret' }],
    ['with a secret in the header', 'method', bare, () => basic(`${app.id}:secret`)],
    ['with a loosely encoded header', 'basic', bare, () => basic(`${app.id}:100%`)],
    ['with a header that is not Basic', 'basic', bare, () => ({ authorization: 'SSWS abc' })],
    ['with an id alone', 'method', { ...bare, client_id: 'ID' }],
    ['from a browser', 'browser', {}, () => ({ origin: 'https://spa.example' })],
    ['without scope', 'noScope', { scope: undefined }],
    ['with a blank scope', 'noScope', { scope: ' ' }],
    ['for a scope that is not granted', 'scope', { scope: 'svc.apps.read' }],
    ['for one scope of two that is not granted', 'scope', { scope: 'svc.users.read svc.users.manage' }],
    ['for a scope without the word', 'scope', { scope: 'users.read' }],
    ['for scopes without end', 'scope', { scope: `svc.users.read${' x'.repeat(600)}` }],
    ['for openid', 'openid', { scope: 'openid svc.users.read' }],
  ])('%s is refused', async (_, text, changes, headers) => {
    const assertion = await signAssertion(app.key, good());
    const named = changes['client_id'] === 'ID' ? { ...changes, client_id: app.id } : changes;
    const response = await post(tokenForm(assertion, named), headers?.());
    expect(answerOf(response)).toEqual(TOKEN_ERRORS[text]);
    expect(response.headers['cache-control']).toContain('no-store');
    const isChallenged = response.status === 401 && headers !== undefined;
    expect(response.headers['www-authenticate']).toBe(isChallenged ? 'Basic realm="oauth"' : undefined);
  });

  test('with a parameter twice is refused', async () => {
    const form = tokenForm(await signAssertion(app.key, good()));
    expect(answerOf(await post(`${form}&scope=svc.users.read`))).toEqual(TOKEN_ERRORS.duplicate);
    expect(answerOf(await post(`${form}&unknown=&unknown=`))).toEqual(TOKEN_ERRORS.duplicate);
  });

  test('with credentials in the address is refused', async () => {
    const assertion = await signAssertion(app.key, good());
    for (const name of ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']) {
      const response = await post(tokenForm(assertion), {}, `/oauth2/v1/token?${name}=x`);
      expect(answerOf(response)).toEqual(TOKEN_ERRORS.query);
    }
    const mixed = await post(tokenForm(assertion), {}, '/oauth2/v1/token?scope=svc.users.read');
    expect(answerOf(mixed)).toEqual({
      status: 400,
      error: 'invalid_request',
      error_description: 'Invalid request',
    });
  });

  test('in JSON is refused', async () => {
    const body = { grant_type: 'client_credentials', scope: 'svc.users.read' };
    const response = await org.anonymous.post('/oauth2/v1/token', { body });
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const disguised = await post(JSON.stringify(body));
    expect(disguised).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('by GET is refused', async () => {
    expect((await org.anonymous.get('/oauth2/v1/token')).status).toBe(405);
  });
});

describe('a client', () => {
  test('that is inactive gets none, and gets one again when it is active', async () => {
    const other = await newServiceApp(org);
    expect((await requestToken(org, other, now())).status).toBe(200);
    await org.admin.post(`/api/v1/apps/${other.id}/lifecycle/deactivate`);
    expect(answerOf(await requestToken(org, other, now()))).toEqual(TOKEN_ERRORS.inactive);
    await org.admin.post(`/api/v1/apps/${other.id}/lifecycle/activate`);
    expect((await requestToken(org, other, now())).status).toBe(200);
  });

  test('that was deleted is unknown', async () => {
    const other = await newServiceApp(org);
    await org.admin.post(`/api/v1/apps/${other.id}/lifecycle/deactivate`);
    await org.admin.del(`/api/v1/apps/${other.id}`);
    expect(answerOf(await requestToken(org, other, now()))).toEqual(TOKEN_ERRORS.issuer);
  });

  test('of another org is unknown', async () => {
    const other = await service.newOrg();
    const foreign = await newServiceApp(other);
    const assertion = await signAssertion(foreign.key, claimsOf(org, foreign.id, now()));
    expect(answerOf(await post(tokenForm(assertion)))).toEqual(TOKEN_ERRORS.issuer);
  });

  test('that is no service app gets none, with a key or with the right secret', async () => {
    const web = await newServiceApp(org, { applicationType: 'web' });
    expect(answerOf(await requestToken(org, web, now()))).toEqual(TOKEN_ERRORS.service);
    const withSecret = await newServiceApp(org, { applicationType: 'web', authMethod: 'client_secret_basic' });
    const authorization = `Basic ${Buffer.from(`${withSecret.id}:${withSecret.secret}`).toString('base64')}`;
    const form = 'grant_type=client_credentials&scope=svc.users.read';
    expect(answerOf(await post(form, { authorization }))).toEqual(TOKEN_ERRORS.method);
    expect(answerOf(await requestToken(org, withSecret, now()))).toEqual(TOKEN_ERRORS.method);
  });

  test('to which nothing is granted gets nothing', async () => {
    const other = await newServiceApp(org, { scopes: [] });
    expect(answerOf(await requestToken(org, other, now()))).toEqual(TOKEN_ERRORS.scope);
  });

  test('whose grant was revoked does not get that scope any more', async () => {
    const other = await newServiceApp(org, { scopes: ['svc.users.read', 'svc.apps.read'] });
    const scope = 'svc.users.read svc.apps.read';
    expect((await requestToken(org, other, now(), { scope })).status).toBe(200);
    const grants = await org.admin.get(`/api/v1/apps/${other.id}/grants`);
    const grant = grants.body.find((one: { scopeId: string }) => one.scopeId === 'svc.apps.read');
    await org.admin.del(`/api/v1/apps/${other.id}/grants/${grant.id}`);
    expect(answerOf(await requestToken(org, other, now(), { scope }))).toEqual(TOKEN_ERRORS.scope);
    expect((await requestToken(org, other, now())).status).toBe(200);
  });
});

describe('the log of refusals', () => {
  const failures = (clientId: string) =>
    org.systemLog(`eventType eq "app.oauth2.as.authorize.token.grant_failure" and target.id eq "${clientId}"`);

  test('names the reason and the client, and says who asked only where that is proven', async () => {
    const other = await newServiceApp(org);
    await requestToken(org, other, now(), { scope: 'svc.apps.read' });
    await requestToken(org, { ...other, key: { ...stranger, kid: other.key.kid } }, now());
    expect(await failures(other.id)).toMatchObject([
      {
        severity: 'WARN',
        actor: { id: other.id, type: 'PublicClientApp' },
        outcome: { result: 'FAILURE', reason: 'invalid_scope' },
        target: [{ id: other.id, type: 'PublicClientApp' }],
        debugContext: { debugData: { requestedScopes: 'svc.apps.read' } },
      },
      {
        actor: { id: 'unknown' },
        outcome: { result: 'FAILURE', reason: 'client_assertion_invalid_signature' },
        target: [{ id: other.id }],
      },
    ]);
  });

  test('is not flooded by whoever knows a client id: the rest is counted', async () => {
    const other = await newServiceApp(org);
    for (let count = 0; count < 65; count += 1) await post(`grant_type=client_credentials&client_id=${other.id}`);
    const written = (await failures(other.id)).length;
    // At most 60 refusals per client and minute get an event, but a new minute may have begun during the test.
    expect(written === 60 || (written > 60 && written <= 65)).toBe(true);
    await service.application.edgeEvents.flush(true);
    const counted = await org.systemLog('eventType eq "security.credential.refuse"');
    expect(counted.length).toBeGreaterThan(0);
  });
});
