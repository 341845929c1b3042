import { describe, expect, test } from 'vitest';
import { PURGED_AT_ONCE } from '../../src/management/schemas/changes/apply-changes.ts';
import { causesIn, changeAttributes, customBody, defineAttributes, USER_SCHEMA } from '../support/schemas.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, searchPath, userPath } from '../support/users.ts';

const { service, org } = useService();

const customOf = async (one: TestOrg) => (await one.admin.get(USER_SCHEMA)).body.definitions.custom;
const profileOf = async (one: TestOrg, id: string) => (await one.admin.get(userPath(id))).body.profile;
const text = { title: 'T', type: 'string' };

describe('a custom attribute', () => {
  const badge = {
    title: 'Badge',
    description: 'On the door',
    type: 'string',
    required: true,
    unique: 'UNIQUE_VALIDATED',
    mutability: 'READ_WRITE',
    scope: 'SELF',
    minLength: 2,
    maxLength: 8,
    permissions: [{ principal: 'SELF', action: 'READ_WRITE' }],
  };

  test('is printed in #custom as it was given; the log tells it', async () => {
    const own = await service.newOrg();
    await own.admin.del(userPath(own.adminUserId));
    const optional = { ...badge, required: false };
    const added = await changeAttributes(own, { badge: optional });
    const { required: _, ...printed } = badge;
    expect(added).toMatchObject({
      status: 200,
      body: { definitions: { custom: { id: '#custom', type: 'object', required: [] } } },
    });
    expect(added.body.definitions.custom.properties).toEqual({ badge: printed });
    expect((await own.admin.get(USER_SCHEMA)).body).toEqual(added.body);
    expect(await eventsOf(own, added)).toMatchObject([
      {
        eventType: 'directory.user_profile.update',
        target: [
          {
            type: 'UserSchema',
            changeDetails: { from: { 'custom.badge': null }, to: { 'custom.badge': { title: 'Badge', maxLength: 8 } } },
          },
        ],
      },
    ]);
  });

  test('every type, with choices and their names', async () => {
    const own = await service.newOrg();
    const printed = {
      mutability: 'READ_WRITE',
      scope: 'NONE',
      permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
    };
    const attributes = {
      size: {
        title: 'Size',
        type: 'string',
        enum: ['S', 'M'],
        oneOf: [
          { const: 'S', title: 'Small' },
          { const: 'M', title: 'Medium' },
        ],
      },
      level: {
        title: 'Level',
        type: 'integer',
        enum: [4, 5],
        oneOf: [
          { const: 4, title: 'four' },
          { const: 5, title: 'five' },
        ],
      },
      ratio: { title: 'Ratio', type: 'number', minimum: 0, maximum: 1 },
      vip: { title: 'VIP', type: 'boolean' },
      tags: { title: 'Tags', type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      plan: { title: 'Plan', type: 'string', default: 'basic' },
    };
    await defineAttributes(own, attributes);
    const { properties } = await customOf(own);
    for (const [name, given] of Object.entries(attributes)) expect(properties[name]).toEqual({ ...given, ...printed });
    expect(Object.keys(properties)).toEqual(Object.keys(attributes));
    const profile = { size: 'M', level: 4, ratio: 0.5, vip: true, tags: ['a', 'b'] };
    const user = await own.createUser({ profile });
    expect(user.profile).toMatchObject({ ...profile, plan: 'basic' });
    expect(await profileOf(own, user.id)).toEqual(user.profile);
    const wrong = { size: 'L', level: 6, ratio: 2, vip: 'yes', tags: ['c', 'a'], plan: 5, more: 1 };
    const refused = await own.admin.post(userPath(user.id), { body: { profile: wrong } });
    expect(refused).toMatchObject({ status: 400, body: { errorSummary: 'Api validation failed: profile' } });
    expect(causesIn(refused)).toEqual([
      "Property name 'more' is not defined in profile",
      'size: must be one of the allowed values.',
      'level: must be one of the allowed values.',
      'ratio: must be at most 1.',
      'vip: The field vip is not valid.',
      'tags: The element at position 0 must be one of the allowed values.',
      'plan: The field plan is not valid.',
    ]);
    expect(await profileOf(own, user.id)).toEqual(user.profile);
  });

  test('an update is partial: other attributes and members that are left out stay', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { one: { ...text, minLength: 1, maxLength: 5 }, two: text });
    const changed = await changeAttributes(own, { one: { title: 'One', minLength: null } });
    expect(changed.body.definitions.custom.properties).toMatchObject({
      one: { title: 'One', maxLength: 5 },
      two: { title: 'T' },
    });
    expect(changed.body.definitions.custom.properties.one).not.toHaveProperty('minLength');
    const again = await changeAttributes(own, { one: { title: 'One' } });
    expect(again.body).toEqual(changed.body);
    expect(await eventsOf(own, again)).toEqual([]);
    const whole = await own.admin.post(USER_SCHEMA, { body: changed.body });
    expect(whole.body).toEqual(changed.body);
  });

  test('nothing of an update with one fault is done, and every fault is told', async () => {
    const own = await service.newOrg();
    const refused = await changeAttributes(own, { fine: text, bad: { title: '', type: 'string', pattern: '(' } });
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: definitions' },
    });
    expect(causesIn(refused)).toHaveLength(2);
    expect((await customOf(own)).properties).toEqual({});
  });

  test.each([
    { definitions: { custom: { properties: { one: 5 } } } },
    { definitions: { custom: { properties: [] } } },
    { definitions: { custom: 5 } },
    { definitions: [] },
  ])('refuses %j', async (body) => {
    expect(await org.admin.post(USER_SCHEMA, { body })).toMatchObject({ status: 400 });
  });

  test('who only reads changes nothing', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.post(USER_SCHEMA, customBody({ one: text }))).toMatchObject({ status: 403 });
  });
});

describe('a change that would break stored values is refused', () => {
  test.each([
    ['a shorter length', { value: 'forty' }, { maxLength: 4 }],
    ['a longer length', { value: 'forty' }, { minLength: 6 }],
    ['a pattern', { value: 'forty' }, { pattern: '[0-9]+' }],
    ['a format', { value: 'forty' }, { format: 'uri' }],
    ['choices', { value: 'forty' }, { enum: ['fifty'] }],
    ['a value that is required', {}, { required: true }],
    ['a value that is not blank', { value: ' ' }, { required: true }],
    ['another type', { value: 'forty' }, { type: 'integer' }],
  ])('%s', async (_, profile, change) => {
    const own = await service.newOrg();
    await own.admin.post(USER_SCHEMA, customBody({ value: text }));
    const user = await own.createUser({ profile });
    if ('required' in change) {
      await own.admin.post(userPath(own.adminUserId), { body: { profile: { value: 'x' } } });
    }
    const before = await customOf(own);
    const refused = await changeAttributes(own, { value: change });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused)).toEqual([expect.stringMatching(/^value: /)]);
    expect(await customOf(own)).toEqual(before);
    expect(await eventsOf(own, refused)).toEqual([]);
    if ('type' in change) return;
    await own.admin.post(userPath(user.id), { body: { profile: { value: null } } });
    if ('required' in change) return;
    expect(await changeAttributes(own, { value: change })).toMatchObject({ status: 200 });
  });

  test('limits of numbers and elements of arrays too', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, {
      level: { title: 'Level', type: 'integer' },
      tags: { title: 'Tags', type: 'array', items: { type: 'string' } },
    });
    await own.createUser({ profile: { level: 5, tags: ['a', 'b'] } });
    expect(
      causesIn(
        await changeAttributes(own, { level: { maximum: 4 }, tags: { items: { type: 'string', enum: ['a'] } } }),
      ),
    ).toHaveLength(2);
    await defineAttributes(own, { level: { maximum: 5 }, tags: { items: { type: 'string', enum: ['b', 'a'] } } });
  });

  test('a new attribute can be required only where nobody is', async () => {
    const own = await service.newOrg();
    expect(await changeAttributes(own, { one: { ...text, required: true } })).toMatchObject({ status: 400 });
  });

  test('a pattern of the login too; with one, logins need not be addresses', async () => {
    const own = await service.newOrg();
    const pattern = (value: string | null) =>
      own.admin.post(USER_SCHEMA, { body: { definitions: { base: { properties: { login: { pattern: value } } } } } });
    expect(await pattern('[a-z]+')).toMatchObject({ status: 400 });
    expect(await pattern('.+')).toMatchObject({
      status: 200,
      body: { definitions: { base: { properties: { login: { pattern: '.+' } } } } },
    });
    const user = await own.createUser({ profile: { login: 'lovelace', email: 'ada@example.com' } });
    expect(await own.admin.get(userPath('lovelace'))).toMatchObject({ status: 200, body: { id: user.id } });
    expect(await pattern(null)).toMatchObject({ status: 400 });
  });

  test('of a value that breaks a rule and the rule at once, one is refused', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { value: text });
    const [ruled, made] = await Promise.all([
      changeAttributes(own, { value: { maxLength: 2 } }),
      own.admin.post('/api/v1/users', { body: { profile: newProfile({ value: 'long' }) } }),
    ]);
    expect([ruled.status, made.status].toSorted((one, other) => one - other)).toEqual([200, 400]);
  });
});

describe('null removes an attribute', () => {
  test('and its values, from profiles and from search; the name can be given again', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { gone: { ...text, unique: true }, kept: text });
    const user = await own.createUser({ profile: { gone: 'x', kept: 'y' } });
    const tag = (await own.admin.get(userPath(user.id))).headers['etag'];
    const removed = await changeAttributes(own, { gone: null });
    expect(Object.keys(removed.body.definitions.custom.properties)).toEqual(['kept']);
    const read = await own.admin.get(userPath(user.id));
    expect(read.body.profile).toMatchObject({ kept: 'y' });
    expect(read.body.profile).not.toHaveProperty('gone');
    expect(read.headers['etag']).not.toBe(tag);
    const search = searchPath('profile.gone eq "x"');
    expect(await own.admin.get(search)).toMatchObject({ status: 400, body: { errorCode: 'E0000053' } });
    const profile = { gone: 'x' };
    expect(await own.admin.post(userPath(user.id), { body: { profile } })).toMatchObject({ status: 400 });
    await defineAttributes(own, { gone: { title: 'G', type: 'integer' } });
    expect((await own.admin.get(searchPath('profile.gone pr'))).body).toEqual([]);
    expect((await own.createUser({ profile: { gone: 7 } })).profile.gone).toBe(7);
    expect(await profileOf(own, user.id)).not.toHaveProperty('gone');
  });

  test('of many profiles the rest go by a job; until then the name waits', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { mass: text });
    const { rows } = await service.database.pool.query<{ type_id: string }>(
      'select id as type_id from user_types where org_id = $1',
      [own.id],
    );
    await service.database.pool.query(
      `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
         provider_type, provider_name, has_password, created_at, last_updated_at)
       select $1, '00u' || lpad(n::text, 17, '0'), $2, 'STAGED', n || '@m.io', n || '@m.io', n::text, 1,
         jsonb_build_object('login', n || '@m.io', 'email', n || '@m.io', 'firstName', 'A', 'lastName', 'B',
           'mass', 'x'),
         'INTERNAL', 'INTERNAL', false, now(), now()
       from generate_series(1, $3::integer) n`,
      [own.id, rows[0]?.type_id, PURGED_AT_ONCE + 1],
    );
    // The job skips users whose rows are locked, so it cannot finish before the new attribute is refused.
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query('select from users where org_id = $1 order by id limit 1 for update', [own.id]);
    await defineAttributes(own, { mass: null });
    const left = async () => {
      const found = await service.database.pool.query<{ count: number }>(
        "select count(*)::integer as count from users where org_id = $1 and profile ? 'mass'",
        [own.id],
      );
      return found.rows[0]?.count ?? 0;
    };
    expect(await left()).toBeGreaterThan(0);
    expect(await changeAttributes(own, { mass: text })).toMatchObject({ status: 400 });
    await holder.query('rollback');
    holder.release();
    await expect.poll(left).toBe(0);
    await expect
      .poll(async () => (await changeAttributes(own, { mass: { title: 'M', type: 'integer' } })).status)
      .toBe(200);
  });

  test('an attribute that an identity provider finds users by stays', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { badge: text });
    await service.database.pool.query(
      `insert into identity_providers (org_id, id, type, name, status, document, created_at, last_updated_at)
       values ($1, '0oa00000000000000abc', 'SAML2', 'Corporate', 'ACTIVE',
         '{"policy": {"subject": {"matchAttribute": "badge"}}}', now(), now())`,
      [own.id],
    );
    const refused = await changeAttributes(own, { badge: null });
    expect(refused).toMatchObject({ status: 400 });
    expect(causesIn(refused)).toEqual(['badge: The identity provider Corporate finds users by this attribute.']);
    expect((await customOf(own)).properties).toHaveProperty('badge');
  });
});
