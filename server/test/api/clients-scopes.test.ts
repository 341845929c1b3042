import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPublicJwk, serviceApp } from '../support/apps.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { newServiceClient, withScopes } from '../support/service-clients.ts';

let service: TestService;
let org: TestOrg;

beforeAll(async () => {
  service = await startTestService();
  org = service.org;
});
afterAll(() => service.close());

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
