import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { causesIn, changeAttributes, defineAttributes, USER_SCHEMA } from '../support/schemas.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, searchPath, userPath } from '../support/users.ts';

const { service } = useService();
const org = beforeTests(() => service.newOrg());

beforeAll(async () => {
  await defineAttributes(org, {
    badge: { title: 'Badge', type: 'string', unique: true },
    room: { title: 'Room', type: 'string' },
    level: { title: 'Level', type: 'integer', unique: true },
    ratio: { title: 'Ratio', type: 'number' },
    vip: { title: 'VIP', type: 'boolean' },
    tags: { title: 'Tags', type: 'array', items: { type: 'string' } },
    codes: { title: 'Codes', type: 'array', items: { type: 'integer' } },
  });
});

const create = (profile: object) => org.admin.post('/api/v1/users', { body: { profile: newProfile({ ...profile }) } });
const post = (id: string, profile: object) => org.admin.post(userPath(id), { body: { profile } });
const taken = (name: string) => `${name}: An object with this field already exists in the current organization`;

describe('profiles', () => {
  test('POST merges, PUT replaces, null takes away', async () => {
    const user = await org.createUser({ profile: { room: 'A1', tags: ['x'] } });
    const posted = await post(user.id, { tags: ['x', 'y'], vip: false });
    expect(posted.body.profile).toMatchObject({ room: 'A1', tags: ['x', 'y'], vip: false });
    expect(await eventsOf(org, posted)).toMatchObject([
      { target: [{ changeDetails: { from: { tags: ['x'], vip: null }, to: { tags: ['x', 'y'], vip: false } } }] },
    ]);
    const { room: _room, ...rest } = (await post(user.id, { room: null })).body.profile;
    expect(rest).toMatchObject({ tags: ['x', 'y'], vip: false });
    const { login, email } = user.profile;
    const put = await org.admin.put(userPath(user.id), {
      body: { profile: { login, email, firstName: 'A', lastName: 'B', ratio: 0.5 } },
    });
    expect(Object.keys(put.body.profile).toSorted()).toEqual(
      ['firstName', 'lastName', 'mobilePhone', 'secondEmail', 'login', 'email', 'ratio'].toSorted(),
    );
  });

  test('an update that says what is so changes nothing', async () => {
    const user = await org.createUser({ profile: { tags: ['x'], ratio: 1 } });
    const again = await post(user.id, { tags: ['x'], ratio: 1 });
    expect(await eventsOf(org, again)).toEqual([]);
  });

  test('an attribute that leaves the schema leaves profiles that are written, too', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { gone: { title: 'G', type: 'string' } });
    const user = await own.createUser({ profile: { gone: 'x' } });
    await service.database.pool.query(
      "update user_types set custom_attributes = '[]' where org_id = $1 and is_default",
      [own.id],
    );
    const posted = await own.admin.post(userPath(user.id), { body: { profile: { city: 'Bern' } } });
    expect(posted.body.profile).not.toHaveProperty('gone');
  });
});

describe('unique attributes', () => {
  test('no two users share a value, whatever its case; the refusal names the field', async () => {
    const user = await org.createUser({ profile: { badge: 'One', level: 1 } });
    const refused = await create({ badge: 'ONE', level: 1 });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused)).toEqual([taken('badge'), taken('level')]);
    expect(await create({ badge: 'one' })).toMatchObject({
      body: { errorSummary: 'Api validation failed: badge', errorCauses: [{ errorSummary: taken('badge') }] },
    });
    const other = await org.createUser({ profile: { badge: 'two' } });
    expect(causesIn(await post(other.id, { badge: 'one' }))).toEqual([taken('badge')]);
    expect(await post(user.id, { badge: 'ONE' })).toMatchObject({ status: 200, body: { profile: { badge: 'ONE' } } });
    expect(await post(user.id, { badge: 'three' })).toMatchObject({ status: 200 });
    expect(await post(other.id, { badge: 'one' })).toMatchObject({ status: 200 });
    expect(await post(other.id, { badge: null })).toMatchObject({ status: 200 });
    expect(await create({ badge: 'One' })).toMatchObject({ status: 200 });
  });

  test('users without a value are many', async () => {
    for (const badge of [null, undefined, '', '']) expect(await create({ badge })).toMatchObject({ status: 200 });
  });

  test('of ten at once one wins, on create and on update', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => create({ badge: 'raced' })));
    expect(created.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of created) if (answer.status !== 200) expect(causesIn(answer)).toEqual([taken('badge')]);
    const users = await Promise.all(Array.from({ length: 6 }, () => org.createUser()));
    const updated = await Promise.all(users.map(({ id }) => post(id, { badge: 'raced again' })));
    expect(updated.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(updated.filter(({ status }) => status === 400)).toHaveLength(5);
  });

  test('two that swap what they have do not block each other for ever', async () => {
    const [one, two] = [
      await org.createUser({ profile: { badge: 's1', level: 101 } }),
      await org.createUser({ profile: { badge: 's2', level: 102 } }),
    ];
    const answers = await Promise.all([
      post(one.id, { badge: 's2', level: 102 }),
      post(two.id, { badge: 's1', level: 101 }),
    ]);
    for (const { status } of answers) expect([200, 400]).toContain(status);
  });

  test('a value is free when its user is gone, not before', async () => {
    const user = await org.createUser({ profile: { badge: 'freed' } });
    await org.admin.del(userPath(user.id));
    expect(await create({ badge: 'freed' })).toMatchObject({ status: 400 });
    await org.admin.del(userPath(user.id));
    expect(await create({ badge: 'freed' })).toMatchObject({ status: 200 });
  });

  test('becomes unique where no two share a value, and ceases to be', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { code: { title: 'C', type: 'string' } });
    const [one] = [await own.createUser({ profile: { code: 'a' } }), await own.createUser({ profile: { code: 'A' } })];
    const refused = await changeAttributes(own, { code: { unique: true } });
    expect(causesIn(refused)).toEqual(['code: cannot be unique, because users share values.']);
    await own.admin.post(userPath(one.id), { body: { profile: { code: 'b' } } });
    await defineAttributes(own, { code: { unique: true } });
    expect(await own.admin.post('/api/v1/users', { body: { profile: newProfile({ code: 'B' }) } })).toMatchObject({
      status: 400,
    });
    await defineAttributes(own, { code: { unique: false } });
    expect(await own.admin.post('/api/v1/users', { body: { profile: newProfile({ code: 'B' }) } })).toMatchObject({
      status: 200,
    });
    expect(await changeAttributes(own, { code: { unique: true } })).toMatchObject({ status: 400 });
  });

  test('orgs have values of their own', async () => {
    const other = await service.newOrg();
    await defineAttributes(other, { badge: { title: 'Badge', type: 'string', unique: true } });
    await org.createUser({ profile: { badge: 'shared' } });
    expect((await other.createUser({ profile: { badge: 'shared' } })).profile.badge).toBe('shared');
  });
});

describe('mutability', () => {
  test('what is read-only is refused, what is immutable is set once', async () => {
    const own = await service.newOrg();
    const attribute = { title: 'T', type: 'string' };
    await defineAttributes(own, {
      fixed: { ...attribute, mutability: 'READ_ONLY' },
      once: { ...attribute, mutability: 'IMMUTABLE' },
    });
    const made = (profile: object) =>
      own.admin.post('/api/v1/users', { body: { profile: newProfile({ ...profile }) } });
    expect(await made({ fixed: 'x' })).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000077', errorSummary: 'Cannot modify the fixed attribute because it is read-only.' },
    });
    const user = await own.createUser({ profile: { once: 'x' } });
    const change = (profile: object) => own.admin.post(userPath(user.id), { body: { profile } });
    expect(await change({ once: 'x', city: 'Bern' })).toMatchObject({ status: 200 });
    for (const once of ['y', null]) {
      expect(await change({ once })).toMatchObject({ status: 403, body: { errorCode: 'E0000078' } });
    }
    const { login, email } = user.profile;
    const put = await own.admin.put(userPath(user.id), {
      body: { profile: { login, email, firstName: 'A', lastName: 'B' } },
    });
    expect(put.body.profile).toMatchObject({ once: 'x' });
  });
});

describe('what users may not see of themselves', () => {
  test('is left out of what they read, and no question about it is answered', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, {
      secret: { title: 'S', type: 'string', permissions: [{ principal: 'SELF', action: 'HIDE' }] },
      open: { title: 'O', type: 'string' },
    });
    const self = await own.withRoles();
    const profile = { secret: 'x', open: 'y', city: 'Bern' };
    expect(await own.admin.post(userPath(self.userId), { body: { profile } })).toMatchObject({
      status: 200,
      body: { profile },
    });
    for (const path of [userPath('me'), userPath(self.userId)]) {
      const { body } = await self.get(path);
      expect(body.profile).toMatchObject({ open: 'y' });
      expect(body.profile).not.toHaveProperty('secret');
      // Users do not see `city` unless the org allows it.
      expect(body.profile).not.toHaveProperty('city');
    }
    const [listed] = (await self.get('/api/v1/users')).body;
    expect(Object.keys(listed.profile)).not.toContain('secret');
    for (const search of ['profile.secret eq "x"', 'profile.secret pr', 'profile.city eq "Bern"']) {
      expect(await self.get(searchPath(search))).toMatchObject({ status: 400, body: { errorCode: 'E0000053' } });
      expect((await own.admin.get(searchPath(search))).body).toHaveLength(1);
    }
    expect((await self.get(searchPath('profile.open eq "y"'))).body).toHaveLength(1);
    await own.admin.post(USER_SCHEMA, {
      body: {
        definitions: { base: { properties: { city: { permissions: [{ principal: 'SELF', action: 'READ_ONLY' }] } } } },
      },
    });
    expect((await self.get(userPath('me'))).body.profile.city).toBe('Bern');
  });

  test('of what is hidden from users, nobody asks about himself either', async () => {
    const own = await service.newOrg();
    const permissions = [{ principal: 'SELF', action: 'HIDE' }];
    const changed = await own.admin.post(USER_SCHEMA, {
      body: {
        definitions: {
          base: { properties: { lastName: { permissions } } },
          custom: { properties: { badge: { title: 'Badge', type: 'string', permissions } } },
        },
      },
    });
    expect(changed.status, changed.text).toBe(200);
    const self = await own.withRoles();
    const read = (await own.admin.get(`/api/v1/users/${self.userId}`)).body.profile;
    await own.admin.post(`/api/v1/users/${self.userId}`, { body: { profile: { badge: 'b7' } } });
    for (const path of [
      searchPath(`profile.lastName eq "${read.lastName}"`),
      searchPath('profile.badge eq "b7"'),
      `/api/v1/users?filter=${encodeURIComponent(`profile.lastName eq "${read.lastName}"`)}`,
      `${searchPath('id pr')}&sortBy=profile.lastName`,
      `${searchPath('id pr')}&sortBy=profile.badge`,
    ]) {
      expect([path, (await self.get(path)).status]).toEqual([path, 400]);
    }
    expect((await self.get(`/api/v1/users?q=${read.lastName}`)).body).toEqual([]);
    expect((await self.get(`/api/v1/users?q=${read.firstName}`)).body).toMatchObject([{ id: self.userId }]);
  });
});
