import { describe, expect, test } from 'vitest';
import { ROLE_TYPES } from '../../src/access/index.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { createGroup, groupPath } from '../support/groups.ts';
import { createResourceSet, RESOURCE_SETS, withCustomRole } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service, org } = useService();

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const UNKNOWN = { status: 404, body: { errorCode: 'E0000007' } };
const setPath = (id: string): string => `${RESOURCE_SETS}/${encodeURIComponent(id)}`;
const resourcesOf = (id: string): string => `${setPath(id)}/resources`;
let labels = 0;
const newSet = (given: Readonly<Record<string, unknown>> = {}) => {
  labels += 1;
  return {
    label: `Set ${labels} of it`,
    description: 'about it',
    resources: [`${org.baseUrl}/api/v1/users`],
    ...given,
  };
};
const ornsOf = async (id: string): Promise<string[]> =>
  (await org.admin.get(resourcesOf(id))).body.resources.map(({ orn }: { orn: string }) => orn);

describe('a resource set', () => {
  test('is made, read by id and by label, listed, replaced and deleted', async () => {
    const own = await service.newOrg();
    const body = { label: 'Paris', description: 'of Paris', resources: [`${own.baseUrl}/api/v1/users`] };
    const created = await own.admin.post(RESOURCE_SETS, { body });
    const { id } = created.body;
    const address = `${own.baseUrl}${RESOURCE_SETS}/${id}`;
    expect(created).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^iam[0-9A-Za-z]{17}$/),
        label: 'Paris',
        description: 'of Paris',
        _links: {
          self: { href: address },
          resources: { href: `${address}/resources` },
          bindings: { href: `${address}/bindings` },
        },
      },
    });
    for (const name of [id, 'Paris']) expect((await own.admin.get(setPath(name))).body).toEqual(created.body);
    expect((await own.admin.get(RESOURCE_SETS)).body).toEqual({
      'resource-sets': [created.body],
      _links: { self: { href: `${own.baseUrl}${RESOURCE_SETS}` } },
    });
    const replaced = await own.admin.put(setPath('Paris'), { body: { label: 'Lyon' } });
    expect(replaced).toMatchObject({ status: 200, body: { id, label: 'Lyon', description: 'of Paris' } });
    expect(await own.admin.del(setPath(id))).toMatchObject({ status: 204 });
    expect(await own.admin.get(setPath(id))).toMatchObject(UNKNOWN);
    const events = await own.systemLog('eventType sw "iam.resourceset"');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'iam.resourceset.create',
      'iam.resourceset.update',
      'iam.resourceset.delete',
    ]);
    expect(events[0].target[0]).toMatchObject({
      id,
      type: 'ResourceSet',
      changeDetails: { from: {}, to: { label: 'Paris', resources: [`orn:svc:directory:${own.id}:users`] } },
    });
  });

  test.each([
    ['label', { label: '' }],
    ['label', { label: 'iam123456789abcdeXYZ' }],
    ['description', { description: '' }],
    ['resources', { resources: [] }],
    ['resources', { resources: ['https://elsewhere.example/api/v1/users'] }],
    ['resources', { resources: ['nothing'] }],
  ])('is refused for its %s: %j', async (field, given) => {
    expect(await org.admin.post(RESOURCE_SETS, { body: newSet(given) })).toMatchObject(invalidField(field));
  });

  test('holds no more than 1,000 resources', async () => {
    const resources = Array.from({ length: 1_001 }, (_, index) => `orn:svc:idp:${org.id}:apps:name${index}`);
    expect(await org.admin.post(RESOURCE_SETS, { body: newSet({ resources }) })).toMatchObject(
      invalidField('resources'),
    );
  });

  test('has a label of its own', async () => {
    const body = newSet();
    const twice = await Promise.all([1, 2].map(() => org.admin.post(RESOURCE_SETS, { body })));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
  });

  test.each(ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN'))('is made and changed by no %s', async (type) => {
    const set = await createResourceSet(org);
    const client = await org.withRoles(type);
    expect(await client.post(RESOURCE_SETS, { body: newSet() })).toMatchObject(FORBIDDEN);
    expect(await client.put(setPath(set.id), { body: { label: 'x' } })).toMatchObject(FORBIDDEN);
    const additions = { additions: [`${org.baseUrl}/api/v1/groups`] };
    expect(await client.send('PATCH', resourcesOf(set.id), { body: additions })).toMatchObject(FORBIDDEN);
    expect(await client.del(setPath(set.id))).toMatchObject(FORBIDDEN);
  });
});

describe('resources', () => {
  test('are named by address or ORN, and told by both', async () => {
    const [user, group, app] = [await org.createUser(), await createGroup(org), await createApp(org)];
    const at = (path: string) => `${org.baseUrl}${path}`;
    const orn = (rest: string) => `orn:svc:${rest.replace('{org}', org.id)}`;
    const set = await createResourceSet(org, '/api/v1/users');
    const named = [
      [at(userPath(user.id)), orn(`directory:{org}:users:${user.id}`)],
      [`orn:svcpreview:directory:${org.id}:groups:${group.id}`, at(groupPath(group.id))],
      [at(`${groupPath(group.id)}/users`), orn(`directory:{org}:groups:${group.id}:contained_resources`)],
      [orn(`idp:{org}:apps:oidc_client:${app.id}`), at(`${APPS}/${app.id}`)],
      [at(`${APPS}?filter=name+eq+"slack"`), orn('idp:{org}:apps:slack')],
      [at('/api/v1/groups'), orn('directory:{org}:groups')],
    ] as const;
    const additions = named.map(([given]) => given);
    expect(await org.admin.send('PATCH', resourcesOf(set.id), { body: { additions } })).toMatchObject({
      status: 200,
      body: { id: set.id },
    });
    const { _links, resources } = (await org.admin.get(resourcesOf(set.id))).body;
    expect(_links['resource-set'].href).toBe(at(setPath(set.id)));
    const told = resources.map((one: { orn: string; _links: { self: { href: string } } }) => [
      one.orn,
      one._links.self.href,
    ]);
    for (const names of named) {
      const known = told.some((pair: string[]) => pair.includes(names[0]) || pair.includes(names[1]));
      expect(known, String(names)).toBe(true);
    }
    expect(told).toHaveLength(named.length + 1);
  });

  test('are added once, one by one or together, read and taken out', async () => {
    const set = await createResourceSet(org, '/api/v1/users');
    const apps = `idp:${org.id}:apps`;
    const additions = [`${org.baseUrl}/api/v1/apps`, `orn:svc:${apps}`, `orn:svcpreview:${apps}`];
    for (let time = 0; time < 2; time += 1) {
      expect(await org.admin.send('PATCH', resourcesOf(set.id), { body: { additions } })).toMatchObject({
        status: 200,
      });
    }
    expect((await ornsOf(set.id)).toSorted()).toEqual([
      `orn:svc:directory:${org.id}:users`,
      `orn:svc:idp:${org.id}:apps`,
    ]);
    const body = { resourceOrnOrUrl: `${org.baseUrl}/api/v1/groups`, conditions: {} };
    const added = await org.admin.post(resourcesOf(set.id), { body });
    expect(added).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^ire/) } });
    const path = `${resourcesOf(set.id)}/${added.body.id}`;
    expect((await org.admin.get(path)).body).toEqual(added.body);
    expect(await org.admin.post(resourcesOf(set.id), { body })).toMatchObject(invalidField('resourceOrnOrUrl'));
    expect(await org.admin.del(path)).toMatchObject({ status: 204 });
    expect(await org.admin.get(path)).toMatchObject(UNKNOWN);
    expect(await org.admin.del(path)).toMatchObject(UNKNOWN);
    const first = await org.admin.get(`${resourcesOf(set.id)}?limit=1`);
    const next = new URL(first.body._links.next.href);
    expect((await org.admin.get(next.pathname + next.search)).body.resources).toHaveLength(1);
  });

  test('that the org does not have are refused', async () => {
    const other = await service.newOrg();
    const [theirUser, theirGroup, theirApp] = [
      await other.createUser(),
      await createGroup(other),
      await createApp(other),
    ];
    const set = await createResourceSet(org);
    for (const path of [userPath(theirUser.id), groupPath(theirGroup.id), `${APPS}/${theirApp.id}`]) {
      const body = { additions: [`${org.baseUrl}${path}`] };
      expect(await org.admin.send('PATCH', resourcesOf(set.id), { body })).toMatchObject(invalidField('resources'));
    }
    const body = { additions: [`orn:svc:directory:${other.id}:users`] };
    expect(await org.admin.send('PATCH', resourcesOf(set.id), { body })).toMatchObject(invalidField('resources'));
  });

  test('of a set that is not there are not looked at', async () => {
    const path = '/api/v1/iam/resource-sets/nobody/resources';
    const gone = { status: 404, body: { errorCode: 'E0000007' } };
    expect(await org.admin.send('PATCH', path, { body: { additions: ['no name at all'] } })).toMatchObject(gone);
    expect(await org.admin.post(path, { body: { resourceOrnOrUrl: 'no name at all' } })).toMatchObject(gone);
  });

  test('that are deleted leave the set', async () => {
    const group = await createGroup(org);
    const set = await createResourceSet(org, '/api/v1/users', groupPath(group.id), `${groupPath(group.id)}/users`);
    await org.admin.del(groupPath(group.id));
    expect(await ornsOf(set.id)).toEqual([`orn:svc:directory:${org.id}:users`]);
  });
});

describe('conditions', () => {
  const orns = (...names: string[]) => ({ Exclude: { 'svc:ORN': names } });

  test('leave some out of all, are told, replaced and taken back', async () => {
    const [out, kept] = [await createApp(org), await createApp(org)];
    const set = await createResourceSet(org);
    const body = {
      resourceOrnOrUrl: `${org.baseUrl}/api/v1/apps`,
      conditions: orns(`orn:svc:idp:${org.id}:apps:${out.id}`, `orn:svc:idp:${org.id}:apps:slack`),
    };
    const added = await org.admin.post(resourcesOf(set.id), { body });
    expect(added.body.conditions).toEqual(body.conditions);
    const path = `${resourcesOf(set.id)}/${added.body.id}`;
    const conditions = orns(`orn:svc:idp:${org.id}:apps:${kept.id}`);
    expect((await org.admin.put(path, { body: { conditions } })).body.conditions).toEqual(conditions);
    expect((await org.admin.put(path, { body: {} })).body.conditions).toBeUndefined();
    const events = await org.systemLog(`target.id eq "${set.id}" and eventType sw "iam.resourceset.resources"`);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'iam.resourceset.resources.add',
      'iam.resourceset.resources.update',
      'iam.resourceset.resources.update',
    ]);
  });

  test.each([
    ['/api/v1/apps', { Exclude: { 'okta:ORN': [] } }],
    ['/api/v1/apps', { Exclude: { 'svc:ORN': 'x' } }],
    ['/api/v1/apps', orns('nothing')],
    ['/api/v1/apps?filter=name+eq+"slack"', orns('orn:svc:idp:{org}:apps:other')],
    ['/api/v1/apps', orns('orn:svc:directory:{org}:users:00u123456789abcdeXYZ')],
    ['/api/v1/apps', orns('orn:svc:idp:{org}:apps')],
  ])('of %s are refused: %j', async (path, given) => {
    const set = await createResourceSet(org);
    const conditions = JSON.parse(JSON.stringify(given).replaceAll('{org}', org.id));
    const body = { resourceOrnOrUrl: `${org.baseUrl}${path}`, conditions };
    expect((await org.admin.post(resourcesOf(set.id), { body })).status).toBe(400);
    expect(await ornsOf(set.id)).toHaveLength(1);
  });

  test('hold: all apps but one, all users but those of a group', async () => {
    const own = await service.newOrg();
    const [out, kept] = [await createApp(own), await createApp(own)];
    const [group, member, user] = [await createGroup(own), await own.createUser(), await own.createUser()];
    await own.admin.put(`${groupPath(group.id)}/users/${member.id}`);
    const holder = await withCustomRole(own, ['apps.manage', 'users.manage'], [groupPath(group.id)]);
    const [assigned] = (await own.admin.get(`${userPath(holder.userId)}/roles`)).body;
    const add = (path: string, ...names: string[]) =>
      own.admin.post(resourcesOf(assigned['resource-set']), {
        body: { resourceOrnOrUrl: `${own.baseUrl}${path}`, conditions: orns(...names) },
      });
    await add('/api/v1/apps', `orn:svc:idp:${own.id}:apps:${out.id}`);
    await add('/api/v1/users', `orn:svc:directory:${own.id}:groups:${group.id}:contained_resources`);
    expect((await holder.get(APPS)).body.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
    expect(await holder.get(`${APPS}/${out.id}`)).toMatchObject(FORBIDDEN);
    expect(await holder.post(`${APPS}/${kept.id}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    const seen = (await holder.get('/api/v1/users')).body.map(({ id }: { id: string }) => id);
    expect(seen).toContain(user.id);
    expect(seen).not.toContain(member.id);
    expect(await holder.get(userPath(member.id))).toMatchObject(FORBIDDEN);
    expect(await holder.post(`${userPath(user.id)}/lifecycle/suspend`)).toMatchObject({ status: 200 });
  });
});
