import { rotateSigningKey } from '../../src/oauth/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { GRANT, newCustomServer, newServerClient, proofAt, sendAs } from '../support/custom-servers.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { operatorContext } from '../support/org-settings.ts';
import { postForm } from '../support/service-apps.ts';
import { newServiceClient, type ServiceClient } from '../support/service-clients.ts';
import type { Use } from './asking.ts';

const SCOPES = ['users.read', 'logs.read'];

async function send(
  { ask, org }: Use,
  client: ServiceClient,
  endpoint: 'token' | 'introspect' | 'revoke',
  form: object,
) {
  const parameters = new URLSearchParams({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await client.assertion(endpoint),
    ...form,
  });
  return ask('POST', `/oauth2/v1/${endpoint}`, undefined, {
    client: org.anonymous,
    raw: parameters.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export async function useOAuthRoutes(use: Use): Promise<void> {
  const { ask, org, service } = use;
  for (const path of ['openid-configuration', 'oauth-authorization-server']) await ask('GET', `/.well-known/${path}`);
  const client = await newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] });
  const form = { grant_type: 'client_credentials', scope: SCOPES.map((scope) => `svc.${scope}`).join(' ') };
  const { access_token: token } = await send(use, client, 'token', form);
  await client.requestToken('users.manage');
  await ask('GET', '/oauth2/v1/keys');
  await ask('GET', '/api/v1/users?limit=1', undefined, { client: client.bearer(token) });
  await send(use, client, 'introspect', { token });
  await send(use, client, 'revoke', { token });
  await client.bearer(token).get('/api/v1/users?limit=1');
  await postForm(org.anonymous, '/oauth2/v1/introspect', { token, client_id: client.id, client_secret: 'x' });
  const ports = {
    work: service.application.work,
    makeKeyPair: makeTestKeyPair,
    masterKey: masterKeyOf(Buffer.alloc(32, 7)),
  };
  for (const atOnce of [false, true]) await rotateSigningKey(ports, operatorContext(service, org), { atOnce });
  await useCustomServer(use);
}

async function useCustomServer({ ask, org }: Use): Promise<void> {
  const server = await newCustomServer(org, { claims: { tier: '"gold"' } });
  const app = await newServerClient(org, 'client_secret_jwt');
  for (const path of [
    `${server.oauth}/.well-known/openid-configuration`,
    `${server.oauth}/.well-known/oauth-authorization-server`,
    `/.well-known/oauth-authorization-server${server.oauth}`,
    `${server.oauth}/v1/keys`,
    `${server.path}/credentials/keys`,
  ]) {
    await ask('GET', path);
  }
  const [{ kid }] = await ask('GET', `${server.path}/credentials/keys`);
  await ask('GET', `${server.path}/credentials/keys/${kid}`);
  await ask('POST', `${server.path}/credentials/lifecycle/keyRotate`, { use: 'sig' });
  const sendProven = async (endpoint: string, form: object) => {
    const path = `${server.oauth}/v1/${endpoint}`;
    const proven = await proofAt(org, app, 'client_secret_jwt', path);
    return ask('POST', path, undefined, {
      client: org.anonymous,
      raw: new URLSearchParams({ ...proven.form, ...form }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  };
  const { access_token: token } = await sendProven('token', GRANT);
  await sendAs(org, app, 'client_secret_jwt', `${server.oauth}/v1/token`, { ...GRANT, scope: 'unknown' });
  await sendProven('introspect', { token });
  await sendProven('revoke', { token });
}
