import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import {
  createServerPath,
  createServerPolicy,
  createServerPolicyPath,
  createServerRule,
  DEFAULT_SERVER,
  missing,
  newServerPolicy,
  refusedWith,
} from '../support/authorization-servers.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const { service, org } = useService();
let server: string;

beforeAll(async () => {
  server = await createServerPath(org);
});

const orderOf = async (path: string): Promise<[number, string][]> =>
  (await org.admin.get(`${path}/policies`)).body.map(({ name, priority }: { name: string; priority: number }) => [
    priority,
    name,
  ]);
const namesOf = async (path: string): Promise<string> => (await orderOf(path)).map(([, name]) => name).join(' ');

describe('create', () => {
  test('answers as the contract has it', async () => {
    const path = await createServerPath(org);
    const body = {
      conditions: { clients: { include: ['ALL_CLIENTS'] } },
      description: 'test',
      name: 'test',
      priority: 1,
      status: 'ACTIVE',
      type: 'OAUTH_AUTHORIZATION_POLICY',
    };
    const made = await org.admin.post(`${path}/policies`, { body });
    const address = `${org.baseUrl}${path}/policies/${made.body.id}`;
    expect(made).toMatchObject({ status: 201, headers: { etag: expect.stringContaining('W/"') } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^00p[0-9A-Za-z]{17}$/),
      ...body,
      system: false,
      created: expect.any(String),
      lastUpdated: made.body.created,
      _links: {
        self: { href: address, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
        rules: { href: `${address}/rules`, hints: { allow: ['GET', 'POST'] } },
        deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
    });
    expect((await org.admin.get(`${path}/policies/${made.body.id}`)).body).toEqual(made.body);
  });

  test('is for named clients, or for all', async () => {
    const { id } = await createApp(org);
    const named = await createServerPolicy(org, server, { conditions: { clients: { include: [id] } } });
    expect(named.conditions.clients.include).toEqual([id]);
    const all = await createServerPolicy(org, server, { conditions: { clients: { include: [id, 'ALL_CLIENTS'] } } });
    expect(all.conditions.clients.include).toEqual(['ALL_CLIENTS']);
  });

  test('without conditions it is for no client, and may be put back as it was read', async () => {
    const made = await org.admin.post(`${server}/policies`, { body: newServerPolicy({ conditions: undefined }) });
    expect(made).toMatchObject({ status: 201, body: { conditions: { clients: { include: [] } } } });
    const put = await org.admin.put(`${server}/policies/${made.body.id}`, { body: made.body });
    expect(put).toMatchObject({ status: 200, body: made.body });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['type: must be one of OAUTH_AUTHORIZATION_POLICY', { type: 'PASSWORD' }],
    ['name: must be at most 100', { name: 'x'.repeat(101) }],
    ['conditions.clients.include: The field cannot be left blank', { conditions: { clients: {} } }],
    ['There is no client 0oa00000000000000000.', { conditions: { clients: { include: ['0oa00000000000000000'] } } }],
    ['conditions.people: is not supported yet', { conditions: { people: {} } }],
    ['priority: must be a whole number', { priority: 0 }],
  ])('refuses: %s', async (cause, given) => {
    expect(await org.admin.post(`${server}/policies`, { body: newServerPolicy(given) })).toMatchObject(
      refusedWith(cause),
    );
  });

  test('a name stands once in a server; of two at once one is made', async () => {
    const body = newServerPolicy({ name: 'Default Policy' });
    expect(await org.admin.post(`${DEFAULT_SERVER}/policies`, { body })).toMatchObject(refusedWith('already exists'));
    const answers = await Promise.all([1, 2].map(() => org.admin.post(`${server}/policies`, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });
});

describe('order', () => {
  test('who comes in at a place moves the others; replace moves; delete closes the gap', async () => {
    const path = await createServerPath(org);
    await createServerPolicy(org, path, { name: 'A' });
    await createServerPolicy(org, path, { name: 'B', priority: 99 });
    expect(await createServerPolicy(org, path, { name: 'C', priority: 1 })).toMatchObject({ priority: 1 });
    const d = await createServerPolicy(org, path, { name: 'D', priority: 2 });
    expect(await orderOf(path)).toEqual([
      [1, 'C'],
      [2, 'D'],
      [3, 'A'],
      [4, 'B'],
    ]);
    const move = async (priority: number): Promise<string> => {
      const body = newServerPolicy({ name: 'D', priority });
      expect(await org.admin.put(`${path}/policies/${d.id}`, { body })).toMatchObject({ status: 200 });
      return namesOf(path);
    };
    expect(await move(4)).toBe('C A B D');
    expect(await move(1)).toBe('D C A B');
    expect(await move(50)).toBe('C A B D');
    expect(await move(3)).toBe('C A D B');
    expect(await org.admin.del(`${path}/policies/${d.id}`)).toMatchObject({ status: 204 });
    expect(await orderOf(path)).toEqual([
      [1, 'C'],
      [2, 'A'],
      [3, 'B'],
    ]);
  });

  test('without gaps also when many come, move and go at once', async () => {
    const path = await createServerPath(org);
    const first = await Promise.all(
      Array.from({ length: 8 }, (_, n) => createServerPolicy(org, path, { priority: 1 + (n % 3) })),
    );
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () =>
        org.admin.post(`${path}/policies`, { body: newServerPolicy({ priority: 2 }) }),
      ),
      ...first.slice(0, 3).map(({ id }) => org.admin.del(`${path}/policies/${id}`)),
      ...first
        .slice(3)
        .map(({ id, name }, n) =>
          org.admin.put(`${path}/policies/${id}`, { body: newServerPolicy({ name, priority: n + 1 }) }),
        ),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const places = (await orderOf(path)).map(([priority]) => priority);
    expect(places).toEqual(Array.from({ length: 9 }, (_, n) => n + 1));
  });

  test('pages follow it', async () => {
    const path = await createServerPath(org);
    for (const name of ['A', 'B', 'C']) await createServerPolicy(org, path, { name, priority: 1 });
    const first = await org.admin.get(`${path}/policies?limit=2`);
    const second = await org.admin.get(linksOf(first).next ?? '');
    expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['C', 'B', 'A']);
  });

  test('a server holds a hundred', async () => {
    const path = await createServerPath(org);
    for (let made = 0; made < 100; made += 10) {
      await Promise.all(Array.from({ length: 10 }, () => createServerPolicy(org, path)));
    }
    expect(await org.admin.post(`${path}/policies`, { body: newServerPolicy() })).toMatchObject(
      refusedWith('at most 100 policies'),
    );
  });
});

describe('GET /policies?type=OAUTH_AUTHORIZATION_POLICY&resourceId=', () => {
  const list = (more: string) => `/api/v1/policies?type=OAUTH_AUTHORIZATION_POLICY${more}`;

  test('shows the policies of that server, narrowed, sorted and in pages', async () => {
    const path = await createServerPath(org);
    const id = path.split('/').at(-1);
    for (const name of ['beta', 'alpha', 'alps']) await createServerPolicy(org, path, { name });
    await createServerPolicy(org, await createServerPath(org), { name: 'of another' });
    const [beta] = (await org.admin.get(`${path}/policies`)).body;
    await org.admin.post(`${path}/policies/${beta.id}/lifecycle/deactivate`);
    const found = async (more: string): Promise<string[]> =>
      (await org.admin.get(list(`&resourceId=${id}${more}`))).body.map(({ name }: { name: string }) => name);
    expect(await found('')).toEqual(['beta', 'alpha', 'alps']);
    expect(await found('&sortBy=name')).toEqual(['alpha', 'alps', 'beta']);
    expect(await found('&q=al')).toEqual(['alpha', 'alps']);
    expect(await found('&status=INACTIVE')).toEqual(['beta']);
    const first = await org.admin.get(list(`&resourceId=${id}&sortBy=name&limit=2`));
    const second = await org.admin.get(linksOf(first)['next'] ?? '');
    expect(second.body).toEqual((await org.admin.get(`${path}/policies`)).body.slice(0, 1));
  });

  test('refuses no server, unknown ones, those of another org, and who may not see servers', async () => {
    const id = server.split('/').at(-1);
    expect(await org.admin.get(list(''))).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    for (const client of [org.admin, (await service.newOrg()).admin]) {
      const asked = client === org.admin ? 'nobody' : id;
      expect(await client.get(list(`&resourceId=${asked}`))).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007' },
      });
    }
    expect(await org.admin.get(`/api/v1/policies?type=PASSWORD&resourceId=${id}`)).toMatchObject({ status: 400 });
    const narrow = await withScopes(service, org, ['policies.read'], ['SUPER_ADMIN']);
    expect(await narrow.get('/api/v1/policies?type=PASSWORD')).toMatchObject({ status: 200 });
    expect(await narrow.get(list(`&resourceId=${id}`))).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
  });
});

describe('replace, lifecycle and delete', () => {
  test('leave events that name the policy first, and nothing where nothing changes', async () => {
    const own = await service.newOrg();
    const path = await createServerPath(own);
    const made = await createServerPolicy(own, path);
    const single = `${path}/policies/${made.id}`;
    expect((await own.admin.put(single, { body: made })).body).toEqual(made);
    expect((await own.admin.put(single, { body: newServerPolicy({ name: 'B' }) })).body).toMatchObject({ name: 'B' });
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${single}/lifecycle/${action}`)).toMatchObject({ status: 204, text: '' });
      expect((await own.admin.get(single)).body).toMatchObject({ status });
    }
    const off = { body: newServerPolicy({ name: 'B', status: 'INACTIVE' }) };
    expect((await own.admin.put(single, off)).body).toMatchObject({ status: 'INACTIVE' });
    await own.admin.del(single);
    const events = await own.systemLog('eventType sw "policy.lifecycle."');
    expect(events.map(({ eventType }) => eventType.slice('policy.lifecycle.'.length))).toEqual([
      'create',
      'update',
      'deactivate',
      'activate',
      'update',
      'deactivate',
      'delete',
    ]);
    for (const { target } of events) {
      expect(target).toMatchObject([{ type: 'Policy', id: made.id }, { type: 'AuthorizationServer' }]);
    }
  });

  test('refuse an old tag, unknown ids and those of other servers', async () => {
    const path = await createServerPolicyPath(org, server);
    const id = path.split('/').at(-1) ?? '';
    const headers = { 'if-match': String((await org.admin.get(path)).headers['etag']) };
    expect(await org.admin.put(path, { body: newServerPolicy(), headers })).toMatchObject({ status: 200 });
    expect(await org.admin.put(path, { body: newServerPolicy(), headers })).toMatchObject({ status: 412 });
    expect(await org.admin.post(`${path}/lifecycle/deactivate`, { headers })).toMatchObject({ status: 412 });
    expect(await org.admin.del(path, { headers })).toMatchObject({ status: 412 });
    const elsewhere = `${DEFAULT_SERVER}/policies/${id}`;
    expect(await org.admin.get(elsewhere)).toMatchObject(missing(id, 'Policy'));
    expect(await org.admin.put(elsewhere, { body: newServerPolicy() })).toMatchObject(missing(id, 'Policy'));
    expect(await org.admin.post(`${elsewhere}/lifecycle/deactivate`)).toMatchObject(missing(id, 'Policy'));
    expect(await org.admin.del(elsewhere)).toMatchObject(missing(id, 'Policy'));
    const other = await service.newOrg();
    expect(await other.admin.get(elsewhere)).toMatchObject(missing(id, 'Policy'));
    expect(await org.admin.get(`/api/v1/policies/${id}`)).toMatchObject(missing(id, 'Policy'));
  });

  test('delete takes the rules along', async () => {
    const path = await createServerPolicyPath(org, server);
    const id = path.split('/').at(-1) ?? '';
    const rule = await createServerRule(org, path);
    expect(await org.admin.del(path)).toMatchObject({ status: 204 });
    for (const part of ['', '/rules', `/rules/${rule.id}`]) {
      expect(await org.admin.get(`${path}${part}`)).toMatchObject(missing(id, 'Policy'));
    }
  });

  test('a client that is gone does not stand in the way of other changes', async () => {
    const app = await createApp(org);
    const conditions = { clients: { include: [app.id] } };
    const made = await createServerPolicy(org, server, { conditions });
    await org.admin.post(`/api/v1/apps/${app.id}/lifecycle/deactivate`);
    expect(await org.admin.del(`/api/v1/apps/${app.id}`)).toMatchObject({ status: 204 });
    const body = newServerPolicy({ conditions, description: 'still there' });
    expect(await org.admin.put(`${server}/policies/${made.id}`, { body })).toMatchObject({ status: 200, body });
  });
});
