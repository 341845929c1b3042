import { describe, expect, test } from 'vitest';
import { CUSTOM_PERMISSIONS, ROLE_TYPES } from '../../src/access/index.ts';
import { invalidField } from '../support/apps.ts';
import { createCustomRole, IAM_ROLES, withCustomRole } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const UNKNOWN = { status: 404, body: { errorCode: 'E0000007' } };
const PROFILE = 'svc:ResourceAttribute/User/Profile';

let labels = 0;
const newRole = (given: Readonly<Record<string, unknown>> = {}) => {
  labels += 1;
  return { label: `Label ${labels}`, description: 'about it', permissions: ['svc.users.read'], ...given };
};
const create = (body: unknown, of = org) => of.admin.post(IAM_ROLES, { body });
const pathOf = (id: string): string => `${IAM_ROLES}/${encodeURIComponent(id)}`;
const permissionsOf = (id: string): string => `${pathOf(id)}/permissions`;
const namesOf = async (id: string): Promise<string[]> =>
  (await org.admin.get(permissionsOf(id))).body.permissions.map(({ label }: { label: string }) => label);

describe('a custom role', () => {
  test('is made, read by id and by label, listed, replaced and deleted', async () => {
    const own = await service.newOrg();
    const created = await create(newRole({ label: 'Desk / night' }), own);
    const { id } = created.body;
    const address = `${own.baseUrl}${IAM_ROLES}/${id}`;
    expect(created).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^cr0[0-9A-Za-z]{17}$/),
        label: 'Desk / night',
        description: 'about it',
        isCloneable: false,
        _links: { permissions: { href: `${address}/permissions` }, self: { href: address } },
      },
    });
    expect(created.headers['link']).toBe(`<${address}>; rel="self"`);
    for (const name of [id, 'Desk / night']) expect((await own.admin.get(pathOf(name))).body).toEqual(created.body);
    expect((await own.admin.get(IAM_ROLES)).body).toEqual({
      roles: [created.body],
      _links: { self: { href: `${own.baseUrl}${IAM_ROLES}` } },
    });
    service.clock.advance(2_000);
    const change = { body: { label: 'Desk', description: 'by day' } };
    const replaced = await own.admin.put(pathOf('Desk / night'), change);
    expect(replaced).toMatchObject({ status: 200, body: { id, label: 'Desk', description: 'by day' } });
    expect(Date.parse(replaced.body.lastUpdated)).toBeGreaterThan(Date.parse(created.body.lastUpdated));
    expect((await own.admin.put(pathOf(id), change)).body).toEqual(replaced.body);
    expect(await own.admin.del(pathOf('Desk'))).toMatchObject({ status: 204 });
    for (const name of [id, 'Desk']) expect(await own.admin.get(pathOf(name))).toMatchObject(UNKNOWN);
    const events = await own.systemLog('eventType sw "iam.role"');
    expect(events.map(({ eventType }) => eventType)).toEqual(['iam.role.create', 'iam.role.update', 'iam.role.delete']);
    expect(events[0].target[0]).toMatchObject({
      id,
      type: 'CustomRole',
      changeDetails: { from: {}, to: { label: 'Desk / night', permissions: ['svc.users.read'] } },
    });
    expect(events[1].target[0].changeDetails).toEqual({
      from: { label: 'Desk / night', description: 'about it' },
      to: { label: 'Desk', description: 'by day' },
    });
  });

  test.each([
    ['label', { label: '' }],
    ['label', { label: ' ' }],
    ['label', { label: 'x'.repeat(256) }],
    ['label', { label: 'cr0123456789abcdeXYZ' }],
    ['description', { description: ' ' }],
    ['description', { description: 'x'.repeat(1_025) }],
    ['permissions', { permissions: [] }],
    ['permissions', { permissions: ['users.read'] }],
    ['permissions', { permissions: ['okta.users.read'] }],
    ['permissions', { permissions: ['svc.users.red'] }],
    ['permissions', { permissions: ['svc.toString'] }],
    ['permissions', { permissions: ['svc.roles.manage'] }],
  ])('is refused for its %s: %j', async (field, given) => {
    expect(await create(newRole(given))).toMatchObject(invalidField(field));
  });

  test('has a label of its own, also when two are made at once', async () => {
    const body = newRole();
    const twice = await Promise.all([create(body), create(body)]);
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect(twice.find(({ status }) => status === 400)).toMatchObject(invalidField('label'));
    const other = await service.newOrg();
    expect(await create(body, other)).toMatchObject({ status: 200 });
  });

  test('is made once for one idempotency key', async () => {
    const options = { body: newRole(), headers: { 'idempotency-key': 'role' } };
    const [one, two] = [await org.admin.post(IAM_ROLES, options), await org.admin.post(IAM_ROLES, options)];
    expect(two.body.id).toBe(one.body.id);
  });

  test('of another org is unknown', async () => {
    const other = await service.newOrg();
    const theirs = await createCustomRole(other);
    for (const name of [theirs.id, theirs.label, 'nobody', 'toString']) {
      expect(await org.admin.get(pathOf(name))).toMatchObject(UNKNOWN);
      expect(await org.admin.put(pathOf(name), { body: { label: 'a', description: 'b' } })).toMatchObject(UNKNOWN);
      expect(await org.admin.del(pathOf(name))).toMatchObject(UNKNOWN);
      expect(await org.admin.post(`${permissionsOf(name)}/svc.users.read`)).toMatchObject(UNKNOWN);
    }
    expect((await other.admin.get(pathOf(theirs.id))).body).toEqual(theirs);
  });

  test('pages say in the body where the next is', async () => {
    const own = await service.newOrg();
    const text = `insert into custom_roles (org_id, id, label, description, created_at, last_updated_at)
      select $1, 'cr0' || lpad(n::text, 17, '0'), 'Role ' || n, 'many', now(), now() from generate_series(1, 101) n`;
    await service.database.pool.query(text, [own.id]);
    const first = await own.admin.get(IAM_ROLES);
    expect(first.body.roles).toHaveLength(100);
    const next = new URL(first.body._links.next.href);
    expect(next.origin).toBe(own.baseUrl);
    const second = await own.admin.get(next.pathname + next.search);
    expect(second.body).toMatchObject({ roles: [{ id: `cr0${'101'.padStart(17, '0')}` }] });
    expect(second.body._links).toEqual({ self: { href: next.href } });
    expect(await own.admin.get(`${IAM_ROLES}?after=x`)).toMatchObject({ status: 400 });
  });
});

describe('permissions', () => {
  test.each([...CUSTOM_PERMISSIONS.keys()])('%s is one', async (name) => {
    const created = await create(newRole({ permissions: [`svc.${name}`] }));
    expect(created.status, created.text).toBe(200);
    expect(await namesOf(created.body.id)).toEqual([`svc.${name}`]);
  });

  test('are added once, read, listed and taken', async () => {
    const role = await createCustomRole(org, 'users.read');
    const path = `${permissionsOf(role.id)}/svc.groups.read`;
    for (let time = 0; time < 2; time += 1) expect(await org.admin.post(path)).toMatchObject({ status: 204 });
    expect(await namesOf(role.id)).toEqual(['svc.groups.read', 'svc.users.read']);
    expect((await org.admin.get(path)).body).toMatchObject({
      label: 'svc.groups.read',
      conditions: null,
      _links: {
        role: { href: `${org.baseUrl}${IAM_ROLES}/${role.id}` },
        self: { href: `${org.baseUrl}${IAM_ROLES}/${role.id}/permissions/svc.groups.read` },
      },
    });
    expect(await org.admin.del(path)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const options = method === 'PUT' ? { body: {} } : {};
      expect(await org.admin.send(method, path, options)).toMatchObject(UNKNOWN);
    }
    expect(await org.admin.post(`${permissionsOf(role.id)}/svc.nothing`)).toMatchObject(UNKNOWN);
    const events = await org.systemLog(`target.id eq "${role.id}" and eventType sw "iam.role.permissions"`);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'iam.role.permissions.add',
      'iam.role.permissions.delete',
    ]);
    expect(events[0].target[0].changeDetails).toEqual({
      from: { permissions: ['svc.users.read'] },
      to: { permissions: ['svc.users.read', 'svc.groups.read'] },
    });
  });

  test('have conditions, which are replaced as a whole', async () => {
    const role = await createCustomRole(org, 'groups.read');
    const path = `${permissionsOf(role.id)}/svc.users.read`;
    const include = { conditions: { include: { [PROFILE]: ['city', 'state', 'city'] } } };
    expect(await org.admin.post(path, { body: include })).toMatchObject({ status: 204 });
    const read = async () => (await org.admin.get(path)).body.conditions;
    expect(await read()).toEqual({ include: { [PROFILE]: ['city', 'state'] } });
    const exclude = { conditions: { exclude: { [PROFILE]: ['zipCode'] }, include: null } };
    expect((await org.admin.put(path, { body: exclude })).body.conditions).toEqual({
      exclude: { [PROFILE]: ['zipCode'] },
    });
    expect((await org.admin.put(path, { body: {} })).body.conditions).toBeNull();
    const events = await org.systemLog(`target.id eq "${role.id}" and eventType sw "iam.role.permission.conditions"`);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'iam.role.permission.conditions.add',
      'iam.role.permission.conditions.add',
      'iam.role.permission.conditions.delete',
    ]);
    expect(events[1].target[1].changeDetails).toEqual({
      from: { attributes: { include: ['city', 'state'] } },
      to: { attributes: { exclude: ['zipCode'] } },
    });
  });

  test.each([
    [{ include: { [PROFILE]: [] } }],
    [{ include: { [PROFILE]: 'city' } }],
    [{ include: { [PROFILE]: [5] } }],
    [{ include: {} }],
    [{ include: { 'okta:ResourceAttribute/User/Profile': ['city'] } }],
    [{ include: { [PROFILE]: ['city'], other: ['x'] } }],
    [{ include: { [PROFILE]: ['city'] }, exclude: { [PROFILE]: ['state'] } }],
    [{ exclude: { [PROFILE]: Array.from({ length: 101 }, (_, index) => `a${index}`) } }],
  ])('refuse the conditions %j', async (conditions) => {
    const role = await createCustomRole(org, 'groups.read');
    const path = `${permissionsOf(role.id)}/svc.users.read`;
    expect(await org.admin.post(path, { body: { conditions } })).toMatchObject(invalidField('conditions'));
    expect(await namesOf(role.id)).toEqual(['svc.groups.read']);
  });

  test('take conditions only where they mean something', async () => {
    const role = await createCustomRole(org);
    const body = { conditions: { include: { [PROFILE]: ['city'] } } };
    expect(await org.admin.post(`${permissionsOf(role.id)}/svc.groups.read`, { body })).toMatchObject(
      invalidField('conditions'),
    );
  });
});

test.each(ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN'))('%s makes and changes no custom role', async (type) => {
  const role = await createCustomRole(org);
  const client = await org.withRoles(type);
  expect(await client.post(IAM_ROLES, { body: newRole() })).toMatchObject(FORBIDDEN);
  expect(await client.put(pathOf(role.id), { body: { label: 'a', description: 'b' } })).toMatchObject(FORBIDDEN);
  expect(await client.post(`${permissionsOf(role.id)}/svc.groups.read`)).toMatchObject(FORBIDDEN);
  expect(await client.del(pathOf(role.id))).toMatchObject(FORBIDDEN);
});

describe('attributes that a condition hides', () => {
  const readers = async (conditions: unknown) => {
    const reader = await withCustomRole(org, ['users.read'], ['/api/v1/users']);
    const [assigned] = (await org.admin.get(`${userPath(reader.userId)}/roles`)).body;
    await org.admin.put(`${permissionsOf(assigned.role)}/svc.users.read`, { body: { conditions } });
    return { reader, roleId: assigned.role as string };
  };
  const cityOf = { profile: { city: 'Lyon', state: 'Rhône', department: 'Desk' } };

  test('are not shown, but to the own user', async () => {
    const user = await org.createUser(cityOf);
    const { reader } = await readers({ include: { [PROFILE]: ['login', 'city'] } });
    const { profile } = (await reader.get(userPath(user.id))).body;
    expect(profile).toMatchObject({ city: 'Lyon', login: user.profile.login, firstName: null, email: null });
    expect(profile).not.toHaveProperty('state');
    const listed = (await reader.get(`/api/v1/users?filter=${encodeURIComponent(`id eq "${user.id}"`)}`)).body;
    expect(listed[0].profile).toEqual(profile);
    expect((await reader.get(userPath('me'))).body.profile.firstName).toBe('Test');
  });

  test('are no attributes to search for, to filter or to sort by', async () => {
    await org.createUser(cityOf);
    const { reader } = await readers({ exclude: { [PROFILE]: ['state', 'email', 'firstName', 'lastName'] } });
    const ask = (query: string) => reader.get(`/api/v1/users?${query}`);
    const search = (text: string) => ask(`search=${encodeURIComponent(text)}`);
    expect((await search('profile.city eq "Lyon"')).body.length).toBeGreaterThan(0);
    for (const text of ['profile.state eq "Rhône"', 'profile.city pr and not (profile.state pr)']) {
      expect(await search(text)).toMatchObject({ status: 400 });
    }
    expect(await ask(`filter=${encodeURIComponent('profile.email eq "a@b.example"')}`)).toMatchObject({ status: 400 });
    expect(await ask('search=status%20pr&sortBy=profile.state')).toMatchObject(invalidField('sortBy'));
    expect((await ask('q=Ada')).body).toEqual([]);
  });

  test('another role that opens profiles whole shows them', async () => {
    const user = await org.createUser(cityOf);
    const { reader } = await readers({ include: { [PROFILE]: ['login'] } });
    await org.admin.post(`${userPath(reader.userId)}/roles`, { body: { type: 'READ_ONLY_ADMIN' } });
    expect((await reader.get(userPath(user.id))).body.profile.state).toBe('Rhône');
  });

  test('are not written, and kept when a profile is replaced', async () => {
    const user = await org.createUser(cityOf);
    const { profile } = (await org.admin.get(userPath(user.id))).body;
    const writer = await withCustomRole(org, ['users.userprofile.manage'], ['/api/v1/users']);
    const [{ role }] = (await org.admin.get(`${userPath(writer.userId)}/roles`)).body;
    const conditions = { exclude: { [PROFILE]: ['state', 'department'] } };
    await org.admin.put(`${permissionsOf(role)}/svc.users.userprofile.manage`, { body: { conditions } });
    const merge = (given: unknown) => writer.post(userPath(user.id), { body: { profile: given } });
    expect(await merge({ city: 'Nice' })).toMatchObject({ status: 200 });
    expect(await merge({ state: 'Var' })).toMatchObject(FORBIDDEN);
    expect(await merge({ department: null })).toMatchObject(FORBIDDEN);
    const { department: _department, state: _state, ...readable } = profile;
    expect(await writer.put(userPath(user.id), { body: { profile: { ...readable, city: 'Metz' } } })).toMatchObject({
      status: 200,
    });
    expect((await org.admin.get(userPath(user.id))).body.profile).toMatchObject({ ...cityOf.profile, city: 'Metz' });
  });

  test('who writes profiles sets no password', async () => {
    const user = await org.createUser();
    const writer = await withCustomRole(org, ['users.userprofile.manage'], ['/api/v1/users']);
    const body = { credentials: { password: { value: 'Correct-1-Horse' } } };
    expect(await writer.post(userPath(user.id), { body })).toMatchObject(FORBIDDEN);
    const keeper = await withCustomRole(org, ['users.manage'], ['/api/v1/users']);
    expect(await keeper.post(userPath(user.id), { body })).toMatchObject({ status: 200 });
  });
});
