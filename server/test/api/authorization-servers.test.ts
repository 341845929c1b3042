import { describe, expect, test } from 'vitest';
import {
  createClaim,
  createScope,
  createServer,
  createServerPath,
  createServerPolicyPath,
  createServerRule,
  DEFAULT_SERVER,
  missing,
  namesAt,
  newScope,
  newServer,
  refusedWith,
  SERVERS,
} from '../support/authorization-servers.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const { service, org } = useService();

describe('the default server', () => {
  test('is there from the start, under a word in place of its id', async () => {
    const own = await service.newOrg();
    const { body, status } = await own.admin.get(DEFAULT_SERVER);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^aus[0-9A-Za-z]{17}$/),
      name: 'default',
      audiences: ['api://default'],
      issuer: `${own.baseUrl}/oauth2/default`,
      status: 'ACTIVE',
      default: true,
      credentials: { signing: { rotationMode: 'AUTO' } },
    });
    expect(body._links.metadata[1].href).toBe(`${own.baseUrl}/oauth2/default/.well-known/openid-configuration`);
    // A background job may have created the server's key in the meantime.
    const known = { ...body, credentials: expect.anything() };
    expect((await own.admin.get(`${SERVERS}/${body.id}`)).body).toEqual(known);
    expect((await own.admin.get(SERVERS)).body).toEqual([known]);
  });

  test('has scopes, claims, and a policy with a rule for everyone', async () => {
    const own = await service.newOrg();
    expect((await namesAt(own, `${DEFAULT_SERVER}/scopes`)).toSorted()).toEqual([
      'address',
      'device_sso',
      'email',
      'offline_access',
      'openid',
      'phone',
      'profile',
    ]);
    expect(await namesAt(own, `${DEFAULT_SERVER}/claims`)).toHaveLength(19);
    const [policy] = (await own.admin.get(`${DEFAULT_SERVER}/policies`)).body;
    expect(policy).toMatchObject({ name: 'Default Policy', conditions: { clients: { include: ['ALL_CLIENTS'] } } });
    const rules = await own.admin.get(`${DEFAULT_SERVER}/policies/${policy.id}/rules`);
    expect(rules.body).toMatchObject([
      {
        name: 'Default Policy Rule',
        conditions: { people: { groups: { include: ['EVERYONE'] } }, scopes: { include: ['*'] } },
        actions: {
          token: {
            accessTokenLifetimeMinutes: 60,
            refreshTokenLifetimeMinutes: 0,
            refreshTokenWindowMinutes: 10_080,
          },
        },
      },
    ]);
  });

  test('can be changed and deactivated, and not deleted', async () => {
    const own = await service.newOrg();
    const before = (await own.admin.get(DEFAULT_SERVER)).body;
    const changed = await own.admin.put(DEFAULT_SERVER, { body: { ...before, audiences: ['api://shop'] } });
    expect(changed).toMatchObject({ status: 200, body: { audiences: ['api://shop'], default: true } });
    expect(await own.admin.post(`${DEFAULT_SERVER}/lifecycle/deactivate`)).toMatchObject({ status: 204 });
    for (const path of [DEFAULT_SERVER, `${SERVERS}/${before.id}`]) {
      expect(await own.admin.del(path)).toMatchObject(refusedWith('cannot be deleted'));
    }
    expect((await own.admin.get(DEFAULT_SERVER)).body).toMatchObject({ status: 'INACTIVE' });
  });
});

describe('create', () => {
  test('answers 201 with the server as the contract has it, without a policy', async () => {
    const body = {
      name: 'testAcc_1758795252',
      description: 'test',
      audiences: ['whatever.rise.zone'],
      credentials: { signing: { rotationMode: 'AUTO' } },
      issuerMode: 'ORG_URL',
    };
    const made = await org.admin.post(SERVERS, { body });
    const { id } = made.body;
    const address = `${org.baseUrl}${SERVERS}/${id}`;
    const issuer = `${org.baseUrl}/oauth2/${id}`;
    const link = (href: string, ...allow: string[]) => ({ href, hints: { allow } });
    expect(made).toMatchObject({
      status: 201,
      headers: { etag: expect.stringMatching(/^W\/"[0-9a-f]{64}"$/) },
      body: { ...body, issuer, status: 'ACTIVE', default: false, created: expect.stringMatching(/\.000Z$/) },
    });
    expect(made.body._links).toEqual({
      rotateKey: link(`${address}/credentials/lifecycle/keyRotate`, 'POST'),
      metadata: ['oauth-authorization-server', 'openid-configuration'].map((name) => ({
        name,
        ...link(`${issuer}/.well-known/${name}`, 'GET'),
      })),
      keys: link(`${address}/credentials/keys`, 'GET'),
      claims: link(`${address}/claims`, 'GET', 'POST'),
      policies: link(`${address}/policies`, 'GET', 'POST'),
      self: link(address, 'GET', 'PUT', 'DELETE'),
      scopes: link(`${address}/scopes`, 'GET', 'POST'),
      deactivate: link(`${address}/lifecycle/deactivate`, 'POST'),
    });
    const again = await org.admin.get(`${SERVERS}/${id}`);
    expect(again.body).toEqual(made.body);
    expect(again.headers['etag']).toBe(made.headers['etag']);
    expect(await namesAt(org, `${SERVERS}/${id}/scopes`)).toHaveLength(7);
    expect(await namesAt(org, `${SERVERS}/${id}/policies`)).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['name: The field cannot be left blank', { name: ' ' }],
    ['audiences: must have at most one entry', { audiences: ['a', 'b'] }],
    ['audiences: The field cannot be left blank', { audiences: [] }],
    ['issuerMode: is not supported yet', { issuerMode: 'CUSTOM_URL' }],
    ['credentials.signing.rotationMode: must be one of', { credentials: { signing: { rotationMode: 'NEVER' } } }],
    ['jwks_uri: is not supported yet', { jwks_uri: 'https://keys.example' }],
    ['name: An object with this field already exists', { name: 'default' }],
  ])('refuses: %s', async (cause, given) => {
    expect(await org.admin.post(SERVERS, { body: newServer(given) })).toMatchObject(refusedWith(cause));
  });

  test('of two with one name at once, one is made', async () => {
    const answers = await Promise.all([1, 2].map(() => org.admin.post(SERVERS, { body: newServer({ name: 'once' }) })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });

  test('of the same Idempotency-Key is made once', async () => {
    const body = newServer();
    const headers = { 'idempotency-key': 'server-1' };
    const first = await org.admin.post(SERVERS, { body, headers });
    const second = await org.admin.post(SERVERS, { body, headers });
    expect(second).toMatchObject({ status: 201, body: { id: first.body.id } });
    await org.admin.del(`${SERVERS}/${first.body.id}`);
    expect(await org.admin.post(SERVERS, { body, headers })).toMatchObject({ status: 409 });
  });
});

describe('list', () => {
  test('pages through all, forwards and backwards, and finds by name and audience', async () => {
    const own = await service.newOrg();
    // The default server changes once more when a job makes its first key, so the test waits for that job.
    await service.drained();
    for (const name of ['Alpha', 'Beta', 'Gamma']) await createServer(own, { name, audiences: [`api://${name}`] });
    const all = (await own.admin.get(SERVERS)).body.map(({ id }: { id: string }) => id);
    expect(all).toEqual([...all].toSorted());
    const first = await own.admin.get(`${SERVERS}?limit=3`);
    const second = await own.admin.get(linksOf(first).next ?? '');
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(all);
    expect(linksOf(second).next).toBeUndefined();
    expect((await own.admin.get(linksOf(second).prev ?? '')).body).toEqual(first.body);
    expect(await namesAt(own, `${SERVERS}?q=bet`)).toEqual(['Beta']);
    expect(await namesAt(own, `${SERVERS}?q=API://GAM`)).toEqual(['Gamma']);
    expect(await namesAt(own, `${SERVERS}?q=nothing`)).toEqual([]);
    expect(await namesAt(own, `${SERVERS}?q=`)).toHaveLength(4);
  });

  test.each(['limit=0', 'after=garbage'])('refuses %s', async (query) => {
    expect(await org.admin.get(`${SERVERS}?${query}`)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });
});

describe('replace', () => {
  test('takes what was read back, and what changes nothing leaves no event', async () => {
    const own = await service.newOrg();
    const server = await createServer(own, { issuerMode: 'ORG_URL' });
    const path = `${SERVERS}/${server.id}`;
    expect(await own.admin.put(path, { body: server })).toMatchObject({ status: 200, body: server });
    const body = { name: 'renamed', audiences: ['api://other'], credentials: { signing: { rotationMode: 'MANUAL' } } };
    const changed = await own.admin.put(path, { body });
    expect(changed.body).toMatchObject({ ...body, description: '', issuerMode: 'ORG_URL', status: 'ACTIVE' });
    const { name, audiences } = body;
    const kept = await own.admin.put(path, { body: { name, audiences, status: 'INACTIVE' } });
    expect(kept.body).toMatchObject({ ...body, status: 'INACTIVE' });
    const events = await own.systemLog('eventType sw "oauth2.as."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'oauth2.as.created',
      'oauth2.as.updated',
      'oauth2.as.updated',
      'oauth2.as.deactivated',
    ]);
    expect(events[1].target).toMatchObject([
      {
        id: server.id,
        type: 'AuthorizationServer',
        displayName: 'renamed',
        changeDetails: { from: { rotationMode: 'AUTO' }, to: { rotationMode: 'MANUAL' } },
      },
    ]);
  });

  test('refuses a name that another has, an unknown id, and a tag that is old', async () => {
    const path = await createServerPath(org);
    const { headers } = await org.admin.get(path);
    expect(await org.admin.put(path, { body: newServer({ name: 'default' }) })).toMatchObject(
      refusedWith('already exists'),
    );
    const unknown = 'aus00000000000000000';
    expect(await org.admin.put(`${SERVERS}/${unknown}`, { body: newServer() })).toMatchObject(
      missing(unknown, 'AuthorizationServer'),
    );
    const tagged = { 'if-match': String(headers['etag']) };
    expect(await org.admin.put(path, { body: newServer(), headers: tagged })).toMatchObject({ status: 200 });
    expect(await org.admin.put(path, { body: newServer(), headers: tagged })).toMatchObject({ status: 412 });
    expect(await org.admin.del(path, { headers: tagged })).toMatchObject({ status: 412 });
    expect(await org.admin.post(`${path}/lifecycle/deactivate`, { headers: tagged })).toMatchObject({ status: 412 });
  });
});

describe('lifecycle and delete', () => {
  test('what is so already stays, without an event; only the other operation is linked', async () => {
    const own = await service.newOrg();
    const path = await createServerPath(own);
    for (const [action, status, other] of [
      ['deactivate', 'INACTIVE', 'activate'],
      ['deactivate', 'INACTIVE', 'activate'],
      ['activate', 'ACTIVE', 'deactivate'],
      ['activate', 'ACTIVE', 'deactivate'],
    ] as const) {
      expect(await own.admin.post(`${path}/lifecycle/${action}`)).toMatchObject({ status: 204, text: '' });
      const { body } = await own.admin.get(path);
      expect(body.status).toBe(status);
      expect(Object.keys(body._links).filter((name) => name.endsWith('activate'))).toEqual([other]);
    }
    const events = await own.systemLog('eventType sw "oauth2.as."');
    expect(events.map(({ eventType }) => eventType).slice(1)).toEqual(['oauth2.as.deactivated', 'oauth2.as.activated']);
  });

  test('what is deleted is gone, and all its parts with it', async () => {
    const own = await service.newOrg();
    const path = await createServerPath(own);
    await createScope(own, path);
    await createClaim(own, path);
    const policy = await createServerPolicyPath(own, path);
    await createServerRule(own, policy);
    expect(await own.admin.del(path)).toMatchObject({ status: 204, text: '' });
    const id = path.split('/').at(-1) ?? '';
    for (const part of [path, `${path}/scopes`, `${path}/claims`, `${path}/policies`, policy, `${policy}/rules`]) {
      expect(await own.admin.get(part)).toMatchObject(missing(id, 'AuthorizationServer'));
    }
    expect(await own.admin.del(path)).toMatchObject(missing(id, 'AuthorizationServer'));
    for (const table of ['scopes', 'claims', 'policies', 'rules']) {
      const text = `select 1 from authorization_server_${table} where org_id = $1 and server_id = $2`;
      expect((await service.database.pool.query(text, [own.id, id])).rowCount).toBe(0);
    }
    const [event] = await own.systemLog('eventType eq "oauth2.as.deleted"');
    expect(event.target).toMatchObject([{ id, type: 'AuthorizationServer' }]);
  });
});

describe('who may', () => {
  test.each([
    ['API_ACCESS_MANAGEMENT_ADMIN', 200, 201],
    ['ORG_ADMIN', 200, 201],
    ['READ_ONLY_ADMIN', 200, 403],
    ['APP_ADMIN', 403, 403],
    ['HELP_DESK_ADMIN', 403, 403],
  ])('%s', async (role, reads, writes) => {
    const client = await org.withRoles(role);
    expect((await client.get(DEFAULT_SERVER)).status).toBe(reads);
    expect((await client.get(`${DEFAULT_SERVER}/claims`)).status).toBe(reads);
    expect((await client.post(SERVERS, { body: newServer() })).status).toBe(writes);
    expect((await client.post(`${DEFAULT_SERVER}/scopes`, { body: newScope() })).status).toBe(writes);
  });

  test('nobody without a credential, and no administrator of another org', async () => {
    const path = await createServerPath(org);
    const id = path.split('/').at(-1) ?? '';
    expect(await org.anonymous.get(path)).toMatchObject({ status: 401 });
    const other = await service.newOrg();
    for (const part of ['', '/scopes', '/claims', '/policies']) {
      expect(await other.admin.get(`${path}${part}`)).toMatchObject(missing(id, 'AuthorizationServer'));
    }
    expect(await other.admin.put(path, { body: newServer() })).toMatchObject({ status: 404 });
    expect(await other.admin.post(`${path}/lifecycle/deactivate`)).toMatchObject({ status: 404 });
    expect(await other.admin.del(path)).toMatchObject({ status: 404 });
    expect((await org.admin.get(path)).body).toMatchObject({ status: 'ACTIVE' });
  });
});
