import { beforeAll, describe, expect, test } from 'vitest';
import { serviceApp } from '../support/apps.ts';
import {
  customBody,
  defineAttributes,
  GROUP_SCHEMA,
  newUserType,
  USER_SCHEMA,
  USER_TYPES,
} from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
const paths: Record<string, string> = {};

beforeAll(async () => {
  const { id: typeId } = await newUserType(org, 'tagged');
  const { body: app } = await org.admin.post('/api/v1/apps', { body: serviceApp() });
  const [mapping] = (await org.admin.get(`/api/v1/mappings?sourceId=${app.id}`)).body;
  Object.assign(paths, {
    type: `${USER_TYPES}/${typeId}`,
    userSchema: USER_SCHEMA,
    groupSchema: GROUP_SCHEMA,
    appUserSchema: `/api/v1/meta/schemas/apps/${app.id}/default`,
    mapping: `/api/v1/mappings/${mapping.id}`,
  });
});

let changes = 0;
const CHANGES: Readonly<Record<string, () => object>> = {
  type: () => ({ displayName: `Tagged ${(changes += 1)}` }),
  userSchema: () => customBody({ [`a${(changes += 1)}`]: { title: 'T', type: 'string' } }).body,
  groupSchema: () => customBody({ [`a${(changes += 1)}`]: { title: 'T', type: 'string' } }).body,
  appUserSchema: () => customBody({ [`a${(changes += 1)}`]: { title: 'T', type: 'string' } }).body,
  mapping: () => ({ properties: { city: { expression: `'${(changes += 1)}'` } } }),
};
const KINDS = Object.keys(CHANGES);

const pathOf = (kind: string): string => paths[kind] ?? '';
const tagOf = async (kind: string): Promise<string> => String((await org.admin.get(pathOf(kind))).headers['etag']);
const change = (kind: string, tag?: string) =>
  org.admin.post(pathOf(kind), {
    body: CHANGES[kind]?.() ?? {},
    ...(tag === undefined ? {} : { headers: { 'if-match': tag } }),
  });
const STALE = { status: 412, body: { errorCode: 'E0000231' } };

describe.each(KINDS)('%s', (kind) => {
  test('has a tag that moves with every change, and with no other request', async () => {
    const first = await tagOf(kind);
    expect(first).toMatch(/^W\/"[0-9a-f]{64}"$/);
    expect(await tagOf(kind)).toBe(first);
    const changed = await change(kind, first);
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).not.toBe(first);
    expect(await tagOf(kind)).toBe(changed.headers['etag']);
    const again = await org.admin.post(pathOf(kind), { body: kind === 'mapping' ? { properties: {} } : {} });
    expect(again.headers['etag']).toBe(changed.headers['etag']);
  });

  test('of two administrators with one tag, one changes it, the other is told; nothing is lost', async () => {
    const tag = await tagOf(kind);
    const answers = await Promise.all([change(kind, tag), change(kind, tag)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412]);
    expect(answers.find(({ status }) => status === 412)).toMatchObject(STALE);
  });

  test('a stale, strong or foreign tag refuses; a list, or *, with the right one does not', async () => {
    const stale = await tagOf(kind);
    await change(kind);
    const tag = await tagOf(kind);
    for (const wrong of [stale, `"${'0'.repeat(64)}"`, await tagOf(kind === 'type' ? 'mapping' : 'type')]) {
      expect(await change(kind, wrong)).toMatchObject(STALE);
    }
    expect(await change(kind, `${stale}, ${tag}`)).toMatchObject({ status: 200 });
    expect(await change(kind, '*')).toMatchObject({ status: 200 });
    expect(await change(kind, 'garbage')).toMatchObject({ status: 400, body: { errorCode: 'E0000242' } });
  });
});

test('a type and its schema are one: a change of either moves both', async () => {
  const own = await service.newOrg();
  const tags = async () => [
    (await own.admin.get(`${USER_TYPES}/default`)).headers['etag'],
    (await own.admin.get(USER_SCHEMA)).headers['etag'],
  ];
  const first = await tags();
  await defineAttributes(own, { one: { title: 'T', type: 'string' } });
  const second = await tags();
  await own.admin.post(`${USER_TYPES}/default`, { body: { displayName: 'Person' } });
  expect(new Set([...first, ...second, ...(await tags())]).size).toBe(6);
});

test('a deletion keeps to the tag too', async () => {
  const { id } = await newUserType(org, 'doomed');
  const path = `${USER_TYPES}/${id}`;
  const tag = String((await org.admin.get(path)).headers['etag']);
  await org.admin.post(path, { body: { displayName: 'Changed' } });
  expect(await org.admin.del(path, { headers: { 'if-match': tag } })).toMatchObject(STALE);
  const current = String((await org.admin.get(path)).headers['etag']);
  expect(await org.admin.del(path, { headers: { 'if-match': current } })).toMatchObject({ status: 204 });
});

test('an attribute that leaves a mapping by its schema moves the tag of the mapping', async () => {
  const own = await service.newOrg();
  const { body: app } = await own.admin.post('/api/v1/apps', { body: serviceApp() });
  await defineAttributes(own, { gone: { title: 'T', type: 'string' } });
  const [mapping] = (await own.admin.get(`/api/v1/mappings?sourceId=${app.id}`)).body;
  const path = `/api/v1/mappings/${mapping.id}`;
  await own.admin.post(path, { body: { properties: { gone: { expression: 'source.email' } } } });
  const tag = (await own.admin.get(path)).headers['etag'];
  await defineAttributes(own, { gone: null });
  expect((await own.admin.get(path)).headers['etag']).not.toBe(tag);
});
