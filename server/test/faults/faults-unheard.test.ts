import { expect, test } from 'vitest';
import { createApiToken } from '../../src/management/api-tokens/index.ts';
import { newPublicJwk } from '../support/apps.ts';
import { denySignOn, newUser, REFUSED, signIn } from '../support/authn.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { operatorContext } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { postForm, tokenForm } from '../support/service-apps.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { ME, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

// F20 (docs/faults.md): these processes send each other no messages. Each one sees the other's changes once its own
// cache is 1 s old.

const { service } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));

/** `ask` sends a request to the second process; `change` makes a change at the first process. */
interface Case {
  readonly ask: () => Promise<TestResponse>;
  readonly change: () => Promise<TestResponse>;
}

const there = (org: TestOrg, headers: Readonly<Record<string, string>> = {}): TestClient =>
  second.org.client(headers, org.hostname);

const bearer = (org: TestOrg, token: string): TestClient => there(org, { authorization: `Bearer ${token}` });
const listUsers = (client: TestClient) => () => client.get('/api/v1/users?limit=1');

const newClient = (org: TestOrg) =>
  newServiceClient(service, org, { scopes: ['users.read'], roles: ['READ_ONLY_ADMIN'] });

async function removeFirst(org: TestOrg, list: string): Promise<TestResponse> {
  const [{ id }] = (await org.admin.get(list)).body;
  return org.admin.del(`${list}/${id}`);
}

const CASES: Readonly<Record<string, (org: TestOrg) => Promise<Case>>> = {
  'a session that is ended': async (org) => {
    const { id } = await openSession(service, org);
    return {
      ask: () => there(org, { cookie: `sid=${id}` }).get('/api/v1/users/me'),
      change: () => org.admin.del(`/api/v1/sessions/${id}`),
    };
  },
  'a session whose user is suspended': async (org) => {
    const { id, userId } = await openSession(service, org);
    return {
      ask: () => there(org, { cookie: `sid=${id}` }).get(ME),
      change: () => org.admin.post(`${userPath(userId)}/lifecycle/suspend`),
    };
  },
  'an API token that is revoked': async (org) => {
    const input = { userId: org.adminUserId, name: 'unheard' };
    const { id, value } = await createApiToken(service.application, operatorContext(service, org), input);
    return {
      ask: listUsers(there(org, { authorization: `SSWS ${value}` })),
      change: () => org.admin.del(`/api/v1/api-tokens/${id}`),
    };
  },
  'an API token whose owner is suspended': async (org) => {
    const { userId } = await org.withRoles('ORG_ADMIN');
    const input = { userId, name: 'unheard' };
    const { value } = await createApiToken(service.application, operatorContext(service, org), input);
    return {
      ask: listUsers(there(org, { authorization: `SSWS ${value}` })),
      change: () => org.admin.post(`${userPath(userId)}/lifecycle/suspend`),
    };
  },
  'a role that is taken from a user': async (org) => {
    const { userId } = await org.withRoles('ORG_ADMIN');
    const session = await openSession(service, org, { userId });
    return {
      ask: () => there(org, { cookie: `sid=${session.id}` }).get('/api/v1/org'),
      change: () => removeFirst(org, `${userPath(userId)}/roles`),
    };
  },
  'an access token that is revoked': async (org) => {
    const client = await newClient(org);
    const token = await client.token('users.read');
    return { ask: listUsers(bearer(org, token)), change: () => client.post('revoke', { token }) };
  },
  'an access token whose app is deactivated': async (org) => {
    const client = await newClient(org);
    return {
      ask: listUsers(bearer(org, await client.token('users.read'))),
      change: () => org.admin.post(`/api/v1/apps/${client.id}/lifecycle/deactivate`),
    };
  },
  'an access token whose scope is not granted any more': async (org) => {
    const client = await newClient(org);
    return {
      ask: listUsers(bearer(org, await client.token('users.read'))),
      change: () => removeFirst(org, `/api/v1/apps/${client.id}/grants`),
    };
  },
  'a role that is taken from a client': async (org) => {
    const client = await newClient(org);
    return {
      ask: listUsers(bearer(org, await client.token('users.read'))),
      change: () => removeFirst(org, `/oauth2/v1/clients/${client.id}/roles`),
    };
  },
  'a key that is taken from a client': async (org) => {
    const client = await newClient(org);
    const keys = `/api/v1/apps/${client.id}/credentials/jwks`;
    const [{ id: keyId }] = (await org.admin.get(keys)).body;
    return {
      ask: async () => postForm(there(org), '/oauth2/v1/token', tokenForm(await client.assertion('token'))),
      change: async () => {
        // A client's only active key cannot be deactivated.
        await org.admin.post(keys, { body: newPublicJwk('spare') });
        return org.admin.post(`${keys}/${keyId}/lifecycle/deactivate`);
      },
    };
  },
  'an address that is blocked': async (org) => {
    const body = {
      type: 'IP',
      name: 'unheard',
      usage: 'BLOCKLIST',
      gateways: [{ type: 'CIDR', value: '127.0.0.0/8' }],
    };
    return {
      ask: () => there(org).get('/.well-known/svc-organization'),
      change: () => org.admin.post('/api/v1/zones', { body }),
    };
  },
  'a sign-in that a policy denies': async (org) => {
    const user = await newUser(org);
    return {
      ask: () => signIn(there(org), user.profile.login),
      change: async () => {
        const { ruleId } = await denySignOn(service, org, { connection: 'ANYWHERE' });
        return { status: ruleId === '' ? 500 : 200 } as TestResponse;
      },
    };
  },
  'an origin that is trusted no more': async (org) => {
    const origin = 'https://once.example';
    const body = { name: origin, origin, scopes: [{ type: 'CORS' }] };
    const { id } = (await org.admin.post('/api/v1/trustedOrigins', { body })).body;
    const { id: session } = await openSession(service, org);
    const headers = { cookie: `__Host-sid=${session}`, origin, 'x-requested-with': 'XMLHttpRequest' };
    return {
      ask: () => there(org, headers).post(`${ME}/refresh`),
      change: () => org.admin.del(`/api/v1/trustedOrigins/${id}`),
    };
  },
};

test.each(Object.entries(CASES))('%s: the other process knows within a second', async (_, prepare) => {
  const org = await service.newOrg();
  // If the second process has cached that this org does not exist, that entry expires now.
  second.clock.advance(1_000);
  const { ask, change } = await prepare(org);
  const before = await ask();
  expect(before.status, before.text).toBeLessThan(300);
  const changed = await change();
  expect(changed.status, changed.text).toBeLessThan(300);
  second.clock.advance(1_000);
  const after = await ask();
  expect([400, 401, 403, 404], after.text).toContain(after.status);
});

test('what was allowed is seen within a second too', async () => {
  const org = await service.newOrg();
  second.clock.advance(1_000);
  const user = await newUser(org);
  const { policyId } = await denySignOn(service, org, { connection: 'ANYWHERE' });
  expect(await signIn(there(org), user.profile.login)).toMatchObject(REFUSED);
  expect((await org.admin.post(`/api/v1/policies/${policyId}/lifecycle/deactivate`)).status).toBe(204);
  second.clock.advance(1_000);
  expect((await signIn(there(org), user.profile.login)).status).toBe(200);
});
