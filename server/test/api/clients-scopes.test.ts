import { describe, expect, test } from 'vitest';
import { newPublicJwk, serviceApp } from '../support/apps.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { newServiceClient, withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

describe('a token that manages apps, of a client with every role', () => {
  const ways = [
    ['a key', (id: string) => ['POST', `/api/v1/apps/${id}/credentials/jwks`, newPublicJwk('another')] as const],
    ['a secret', (id: string) => ['POST', `/api/v1/apps/${id}/credentials/secrets`, {}] as const],
    ['other keys', (id: string) => ['PUT', `/api/v1/apps/${id}`, serviceApp({ jwks: { keys: [] } })] as const],
  ] as const;

  test.each(ways)('gives no client with wider scopes %s', async (_, request) => {
    const caller = await withScopes(service, org, ['apps.manage'], ['SUPER_ADMIN']);
    const wider = await newServiceClient(service, org, { scopes: ['users.manage'] });
    const [method, path, body] = request(wider.id);
    expect(await caller.send(method, path, { body })).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect((await org.admin.get(`/api/v1/apps/${wider.id}/credentials/jwks`)).body).toHaveLength(1);
    expect((await org.admin.get(`/api/v1/apps/${wider.id}/credentials/secrets`)).body).toEqual([]);
  });

  test('gives one to a client with no more scopes than its own', async () => {
    const caller = await withScopes(service, org, ['apps.manage', 'users.read'], ['SUPER_ADMIN']);
    const app = await newServiceClient(service, org, { scopes: ['users.read', 'apps.read'] });
    const path = `/api/v1/apps/${app.id}/credentials/jwks`;
    expect(await caller.post(path, { body: newPublicJwk('another') })).toMatchObject({ status: 201 });
  });
});

describe('a secret is shown by roles and scopes together', () => {
  const shownTo = async (appScopes: readonly string[], tokenScopes: readonly string[]) => {
    const app = await newServiceClient(service, org, { scopes: appScopes });
    const made = await org.admin.post(`/api/v1/apps/${app.id}/credentials/secrets`, { body: {} });
    expect(made.status).toBe(201);
    const caller = await withScopes(service, org, tokenScopes, ['SUPER_ADMIN']);
    const path = `/api/v1/apps/${app.id}/credentials/secrets`;
    const [list, one] = await Promise.all([caller.get(path), caller.get(`${path}/${made.body.id}`)]);
    expect([list.status, one.status]).toEqual([200, 200]);
    const value = made.body.client_secret;
    return [list.body[0], one.body].map(({ client_secret: shown }) => shown === value);
  };

  test('of a client with wider scopes than the token: not', async () => {
    expect(await shownTo(['users.manage'], ['apps.manage', 'users.read'])).toEqual([false, false]);
  });

  test('of a client with no more scopes than the token: it is', async () => {
    expect(await shownTo(['users.read'], ['apps.read', 'users.read'])).toEqual([true, true]);
  });

  test('of an identity provider: to a token that may also set it', async () => {
    const { id } = (await org.admin.post('/api/v1/idps', { body: newOidcProvider() })).body;
    const secretSeenBy = async (scope: string) => {
      const caller = await withScopes(service, org, [scope], ['SUPER_ADMIN']);
      const { body } = await caller.get(`/api/v1/idps/${id}`);
      return body.protocol.credentials.client;
    };
    expect(await secretSeenBy('idps.read')).toEqual({ client_id: 'gatehouse' });
    expect(await secretSeenBy('idps.manage')).toMatchObject({ client_secret: expect.any(String) });
  });
});
