import { beforeAll, describe, expect, test } from 'vitest';
import { appUser, assign, newApp } from '../support/app-assignments.ts';
import { webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { createGroup, GROUPS, groupPath } from '../support/groups.ts';
import { defineAttributes } from '../support/schemas.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service, org } = useService();

beforeAll(async () => {
  const notes = Array.from({ length: 16 }, (_, index) => [`note${index}`, { title: 'Note', type: 'string' }] as const);
  await defineAttributes(org, {
    ...Object.fromEntries(notes),
    lines: { title: 'Lines', type: 'array', items: { type: 'string' } },
  });
});

const LONGEST = 4_096;
const LARGEST = 65_536;
const long = 'x'.repeat(LONGEST);
const refused = (field: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
});

const update = (user: TestResponse['body'], profile: object): Promise<TestResponse> =>
  org.admin.post(userPath(user.id), { body: { profile } });

const notes = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`note${index}`, long]));

describe('new values', () => {
  test.each(['costCenter', 'nickName', 'note0'])('%s has 4,096 characters at most', async (name) => {
    const user = await org.createUser({ profile: { [name]: long } });
    expect(user.profile[name]).toBe(long);
    expect(await update(user, { [name]: `${long}x` })).toMatchObject(refused(name));
    expect(
      await org.admin.post('/api/v1/users', { body: { profile: newProfile({ [name]: `${long}x` }) } }),
    ).toMatchObject(refused(name));
  });

  test('so has each element of a list', async () => {
    const user = await org.createUser({ profile: { lines: [long, 'b'] } });
    expect(await update(user, { lines: ['a', `${long}x`] })).toMatchObject(refused('lines'));
    expect((await update(user, { lines: ['a', `b${'\u0301'.repeat(31)}`] })).body.errorCauses).toEqual([
      { errorSummary: 'lines: The element at position 1 must have at most 30 combining marks in a row.' },
    ]);
  });

  test('names that there are not are told up to fifty, and a thousand of them are not looked for', async () => {
    const user = await org.createUser();
    const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`zz${at}`, 1]));
    expect((await update(user, unknown(1_000))).body.errorCauses).toHaveLength(50);
    expect(await update(user, unknown(1_001))).toMatchObject(refused('profile'));
    const properties = Object.fromEntries(Object.keys(unknown(1_001)).map((name) => [name, null]));
    for (const part of ['custom', 'base']) {
      const body = { definitions: { [part]: { properties } } };
      expect(await org.admin.post('/api/v1/meta/schemas/user/default', { body })).toMatchObject(
        refused(`definitions.${part}.properties`),
      );
    }
    await newApp(org);
    const [mapping] = (await org.admin.get('/api/v1/mappings')).body;
    expect(await org.admin.post(`/api/v1/mappings/${mapping.id}`, { body: { properties } })).toMatchObject(
      refused('properties'),
    );
  });

  test('a user has 64 KB of them in all, counted in bytes', async () => {
    const user = await org.createUser({ profile: notes(15) });
    const size = JSON.stringify(user.profile).length;
    const rest = LARGEST - size - ',"note15":""'.length;
    expect(await update(user, { note15: 'x'.repeat(rest + 1) })).toMatchObject(refused('profile'));
    expect(await update(user, { note15: `${'x'.repeat(rest - 1)}\u00e9` })).toMatchObject(refused('profile'));
    expect((await update(user, { note15: 'x'.repeat(rest) })).status).toBe(200);
  });

  test('a group has as many, and so has a user of an app, however many requests they come by', async () => {
    const lines = Array.from({ length: 20 }, () => long);
    const list = { title: 'L', type: 'array', items: { type: 'string' } };
    await defineAttributes(org, { lines: list }, '/api/v1/meta/schemas/group/default');
    const group = await createGroup(org);
    const profile = { name: group.profile.name, lines };
    expect(await org.admin.put(groupPath(group.id), { body: { profile } })).toMatchObject(refused('profile'));
    expect(await org.admin.post(GROUPS, { body: { profile: { ...profile, name: 'other' } } })).toMatchObject(
      refused('profile'),
    );
    const app = await newApp(org, webApp());
    await defineAttributes(org, { more: list, most: list }, `/api/v1/meta/schemas/apps/${app.id}/default`);
    const user = await org.createUser();
    expect((await assign(org, app, user, { profile: { more: lines.slice(0, 10) } })).status).toBe(200);
    expect(await org.admin.post(appUser(app, user), { body: { profile: { most: lines.slice(0, 10) } } })).toMatchObject(
      refused('profile'),
    );
    expect((await org.admin.post(appUser(app, user), { body: { profile: { most: ['a'] } } })).status).toBe(200);
  });
});

async function stored(text: string, name = 'nickName'): Promise<TestResponse['body']> {
  const user = await org.createUser();
  await service.database.pool.query(
    `update users set profile = profile || jsonb_build_object($2::text, $3::text) where id = $1`,
    [user.id, name, text],
  );
  return (await org.admin.get(userPath(user.id))).body;
}

describe('values that are older than their limits', () => {
  test.each([
    ['too long', 'x'.repeat(100_000)],
    ['of too many marks', `a${'\u0315'.repeat(20_000)}${'\u0316'.repeat(20_000)}`],
    ['with a line break', 'a\nb'],
  ])('%s: are read, stay while others change, and come back as they were read', async (_, text) => {
    const user = await stored(text);
    expect(user.profile.nickName).toBe(text);
    expect((await update(user, { city: 'Bern' })).body.profile).toMatchObject({ nickName: text, city: 'Bern' });
    const { profile } = (await org.admin.get(userPath(user.id))).body;
    const put = await org.admin.put(userPath(user.id), { body: { profile: { ...profile, city: 'Basel' } } });
    expect([put.status, put.body.profile]).toEqual([200, { ...profile, city: 'Basel' }]);
    expect(await update(user, { nickName: `${text}x` })).toMatchObject({ status: 400 });
    expect((await update(user, { nickName: 'Ada' })).body.profile.nickName).toBe('Ada');
    expect((await update(user, { nickName: null })).status).toBe(200);
  });

  test('a group keeps its name, with a control character in it', async () => {
    const { id } = await createGroup(org);
    const name = `a\tb${id}`;
    await service.database.pool.query(
      `update groups set name = $2, profile = profile || jsonb_build_object('name', $2::text) where id = $1`,
      [id, name],
    );
    const { profile } = (await org.admin.get(groupPath(id))).body;
    const put = await org.admin.put(groupPath(id), { body: { profile: { ...profile, description: 'd' } } });
    expect(put.body.profile).toEqual({ name, description: 'd' });
    expect(await org.admin.put(groupPath(id), { body: { profile: { name: `${name}\tc` } } })).toMatchObject(
      refused('name'),
    );
  });

  test.each([
    ['network_zones', '/api/v1/zones', { type: 'IP', name: 'Z', gateways: [] }],
    ['behaviors', '/api/v1/behaviors', { type: 'VELOCITY', name: 'B' }],
    ['authorization_servers', '/api/v1/authorizationServers', { name: 'S', audiences: ['api://s'] }],
  ])('%s: a name may come back as it was read', async (table, path, body) => {
    const made = (await org.admin.post(path, { body })).body;
    await service.database.pool.query(`update ${table} set name = $2 where id = $1`, [made.id, 'a\nb']);
    const read = (await org.admin.get(`${path}/${made.id}`)).body;
    expect(read.name).toBe('a\nb');
    expect((await org.admin.put(`${path}/${made.id}`, { body: read })).status).toBe(200);
    expect(await org.admin.put(`${path}/${made.id}`, { body: { ...read, name: 'a\nc' } })).toMatchObject(
      refused('name'),
    );
  });
});
