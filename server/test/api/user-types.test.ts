import { describe, expect, test } from 'vitest';
import {
  causesIn,
  changeAttributes,
  defineAttributes,
  newUserType,
  USER_SCHEMA,
  USER_TYPES,
} from '../support/schemas.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

const { service, org } = useService();

const contractor = { name: 'contractor', displayName: 'Contractor', description: 'Works for others' };

describe('create', () => {
  test('makes a type with a schema of its own: the base attributes and no others', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { badge: { title: 'Badge', type: 'string' } });
    const made = await own.admin.post(USER_TYPES, { body: contractor });
    expect(made).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^oty\w{17}$/),
        ...contractor,
        default: false,
        createdBy: own.adminUserId,
        lastUpdatedBy: own.adminUserId,
        _links: {
          self: { rel: 'self', href: `${own.baseUrl}${USER_TYPES}/${made.body.id}`, method: 'GET' },
          schema: { rel: 'schema', href: expect.stringMatching(/\/api\/v1\/meta\/schemas\/user\/osc\w{17}$/) },
        },
      },
    });
    const schema = await own.admin.get(String(made.body._links.schema.href).slice(own.baseUrl.length));
    expect(schema).toMatchObject({
      status: 200,
      body: { name: 'contractor', title: 'Contractor', definitions: { custom: { properties: {}, required: [] } } },
    });
    expect(schema.body.id).toBe(made.body._links.schema.href.replace('/api/v1', ''));
    expect(Object.keys(schema.body.definitions.base.properties)).toHaveLength(31);
    expect((await own.admin.get(`${USER_TYPES}/${made.body.id}`)).body).toEqual(made.body);
    const list = (await own.admin.get(USER_TYPES)).body;
    expect(list).toMatchObject([{ default: true }, { id: made.body.id }]);
    expect(await eventsOf(own, made)).toMatchObject([
      {
        eventType: 'directory.non_default_user_profile.create',
        target: [{ id: made.body.id, type: 'UserType', changeDetails: { from: {}, to: { name: 'contractor' } } }],
      },
    ]);
  });

  test.each([
    ['no name', { displayName: 'A' }],
    ['no display name', { name: 'a' }],
    ['a blank display name', { name: 'a', displayName: ' ' }],
    ['too long a display name', { name: 'a', displayName: 'x'.repeat(256) }],
    ['too long a description', { name: 'a', displayName: 'A', description: 'x'.repeat(1_025) }],
    ['a digit first', { name: '1a', displayName: 'A' }],
    ['a blank in the name', { name: 'a b', displayName: 'A' }],
    ['an underscore first', { name: '_a', displayName: 'A' }],
    ['a name that there is', { name: 'user', displayName: 'A' }],
    ['another type of value', { name: 5, displayName: 'A' }],
  ])('refuses %s', async (_, body) => {
    const refused = await org.admin.post(USER_TYPES, { body });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await eventsOf(org, refused)).toEqual([]);
  });

  test('an org has ten types at most, also when they are made at once', async () => {
    const own = await service.newOrg();
    const answers = await Promise.all(
      Array.from({ length: 11 }, (_, index) =>
        own.admin.post(USER_TYPES, { body: { name: `type${index}`, displayName: 'T' } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      400,
      400,
    ]);
    expect((await own.admin.get(USER_TYPES)).body).toHaveLength(10);
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const own = await service.newOrg();
    const request = { body: contractor, headers: { 'idempotency-key': 'once' } };
    const [first, second] = [await own.admin.post(USER_TYPES, request), await own.admin.post(USER_TYPES, request)];
    expect(second.body).toEqual(first.body);
  });
});

describe('update', () => {
  test('POST changes what is given, PUT all; the log tells what', async () => {
    const own = await service.newOrg();
    const { id } = await newUserType(own, 'guest');
    const posted = await own.admin.post(`${USER_TYPES}/${id}`, { body: { displayName: 'Guest' } });
    expect(posted).toMatchObject({ status: 200, body: { name: 'guest', displayName: 'Guest', description: null } });
    expect(await eventsOf(own, posted)).toMatchObject([
      {
        eventType: 'directory.non_default_user_profile.update',
        target: [{ id, changeDetails: { from: { displayName: 'guest' }, to: { displayName: 'Guest' } } }],
      },
    ]);
    const body = { name: 'guest', displayName: 'A guest', description: 'Comes and goes' };
    const put = await own.admin.put(`${USER_TYPES}/${id}`, { body });
    expect(put).toMatchObject({ status: 200, body });
    const again = await own.admin.put(`${USER_TYPES}/${id}`, { body });
    expect(again.body).toEqual(put.body);
    expect(await eventsOf(own, again)).toEqual([]);
  });

  test('the default type may be described too', async () => {
    const own = await service.newOrg();
    expect(await own.admin.post(`${USER_TYPES}/default`, { body: { displayName: 'Person' } })).toMatchObject({
      status: 200,
      body: { name: 'user', displayName: 'Person', default: true },
    });
    expect((await own.admin.get(USER_SCHEMA)).body.title).toBe('Person');
  });

  test.each([
    ['another name', { name: 'other', displayName: 'A', description: '' }, 'put'],
    ['another name by POST', { name: 'other' }, 'post'],
    ['no name', { displayName: 'A', description: '' }, 'put'],
    ['no description', { name: 'user', displayName: 'A' }, 'put'],
    ['a blank display name', { displayName: '' }, 'post'],
  ] as const)('refuses %s', async (_, body, method) => {
    expect(await org.admin[method](`${USER_TYPES}/default`, { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });
});

describe('delete', () => {
  test('a type that nobody has; its schema is gone with it', async () => {
    const { id, schemaUrl } = await newUserType(org, 'seasonal');
    const gone = await org.admin.del(`${USER_TYPES}/${id}`);
    expect(gone.status).toBe(204);
    expect(await eventsOf(org, gone)).toMatchObject([{ eventType: 'directory.non_default_user_profile.delete' }]);
    for (const path of [`${USER_TYPES}/${id}`, schemaUrl]) {
      expect(await org.admin.get(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
    expect(await org.admin.del(`${USER_TYPES}/${id}`)).toMatchObject({ status: 404 });
    const body = { profile: newProfile(), type: { id } };
    expect(await org.admin.post('/api/v1/users', { body })).toMatchObject({ status: 400 });
  });

  test('neither the default one, nor one that a user has, until the user is gone', async () => {
    expect(await org.admin.del(`${USER_TYPES}/default`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
    const { id } = await newUserType(org, 'partner');
    const { body: user } = await org.admin.post('/api/v1/users', { body: { profile: newProfile(), type: { id } } });
    expect(user.type.id).toBe(id);
    const inUse = { status: 400, body: { errorCode: 'E0000001' } };
    expect(await org.admin.del(`${USER_TYPES}/${id}`)).toMatchObject(inUse);
    await org.admin.del(userPath(user.id));
    expect(await org.admin.del(`${USER_TYPES}/${id}`)).toMatchObject(inUse);
    await org.admin.del(userPath(user.id));
    expect(await org.admin.del(`${USER_TYPES}/${id}`)).toMatchObject({ status: 204 });
  });

  test('of a deletion and a new user at once, one wins', async () => {
    const { id } = await newUserType(org, 'racing');
    const [gone, made] = await Promise.all([
      org.admin.del(`${USER_TYPES}/${id}`),
      org.admin.post('/api/v1/users', { body: { profile: newProfile(), type: { id } } }),
    ]);
    expect([gone.status === 204, made.status === 200].filter(Boolean)).toHaveLength(1);
    expect([gone.status, made.status].includes(400)).toBe(true);
  });
});

describe('users and their types', () => {
  test('a profile follows the schema of its type', async () => {
    const own = await service.newOrg();
    const { id, schemaUrl } = await newUserType(own, 'contractor');
    await defineAttributes(own, { agency: { title: 'Agency', type: 'string', required: true } }, schemaUrl);
    const profile = newProfile();
    const create = (body: object) => own.admin.post('/api/v1/users', { body });
    expect(causesIn(await create({ profile, type: { id } }))).toEqual(['agency: The field cannot be left blank']);
    expect(await create({ profile: { ...profile, agency: 'X' } })).toMatchObject({ status: 400 });
    const made = await create({ profile: { ...profile, agency: 'X' }, type: { id } });
    expect(made).toMatchObject({ status: 200, body: { type: { id }, profile: { agency: 'X' } } });
    expect(made.body._links.schema.href).toBe(`${own.baseUrl}${schemaUrl}`);
  });

  test('PUT moves a user to another type, whose schema the profile then follows; the log tells it', async () => {
    const own = await service.newOrg();
    const { id, schemaUrl } = await newUserType(own, 'contractor');
    await defineAttributes(own, { badge: { title: 'Badge', type: 'string', unique: true } });
    await defineAttributes(own, { agency: { title: 'Agency', type: 'string' } }, schemaUrl);
    const user = await own.createUser({ profile: { badge: 'B1' } });
    const put = (profile: object) =>
      own.admin.put(userPath(user.id), {
        body: { profile: { ...newProfile({ login: user.profile.login }), ...profile }, type: { id } },
      });
    expect(causesIn(await put({ badge: 'B1' }))).toEqual(["Property name 'badge' is not defined in profile"]);
    const moved = await put({ agency: 'X' });
    expect(moved).toMatchObject({ status: 200, body: { type: { id }, profile: { agency: 'X' } } });
    expect(await eventsOf(own, moved)).toMatchObject([
      {
        eventType: 'user.account.update_user_type',
        target: [{ changeDetails: { from: { 'type.id': user.type.id }, to: { 'type.id': id } } }],
      },
      {
        eventType: 'user.account.update_profile',
        target: [{ changeDetails: { from: { badge: 'B1', agency: null }, to: { badge: null, agency: 'X' } } }],
      },
    ]);
    const find = async (search: string) =>
      (await own.admin.get(`/api/v1/users?search=${encodeURIComponent(search)}`)).body.length;
    expect(await find('profile.badge eq "B1"')).toBe(0);
    expect(await find('profile.agency eq "x"')).toBe(1);
    expect(await find(`type.id eq "${id}"`)).toBe(1);
    expect((await own.createUser({ profile: { badge: 'B1' } })).profile.badge).toBe('B1');
  });

  test('a name means the same in all types: another type of value is refused', async () => {
    const own = await service.newOrg();
    const { schemaUrl } = await newUserType(own, 'contractor');
    await defineAttributes(own, { size: { title: 'Size', type: 'integer' } });
    const refused = await changeAttributes(own, { size: { title: 'Size', type: 'string' } }, schemaUrl);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    await defineAttributes(own, { size: { title: 'Other size', type: 'integer', maximum: 50 } }, schemaUrl);
  });
});

describe('who may', () => {
  test('an administrator who reads reads; nobody without a role does', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(USER_TYPES)).toMatchObject({ status: 200 });
    expect(await reader.post(USER_TYPES, { body: contractor })).toMatchObject({ status: 403 });
    expect(await (await org.withRoles()).get(USER_TYPES)).toMatchObject({ status: 403 });
  });

  test("another org's type is 404, and stays", async () => {
    const other = await service.newOrg();
    const { id } = await newUserType(other, 'theirs');
    const path = `${USER_TYPES}/${id}`;
    const body = { name: 'theirs', displayName: 'Ours', description: null };
    for (const answer of [
      await org.admin.get(path),
      await org.admin.post(path, { body }),
      await org.admin.put(path, { body }),
      await org.admin.del(path),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
    expect((await other.admin.get(path)).body.displayName).toBe('theirs');
  });
});
