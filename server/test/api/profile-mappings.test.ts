import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { causesIn, defineAttributes, newUserType, USER_TYPES } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, linksOf } from '../support/users.ts';

const { service, org } = useService();

const url = '/api/v1/mappings';
type Body = Awaited<ReturnType<TestOrg['admin']['get']>>['body'];

const newApp = async (one: TestOrg): Promise<string> => (await newServiceClient(service, one, { scopes: [] })).id;
const newProvider = async (one: TestOrg): Promise<string> =>
  (await one.admin.post('/api/v1/idps', { body: newOidcProvider() })).body.id;
const list = async (one: TestOrg, query = ''): Promise<Body[]> => (await one.admin.get(`${url}${query}`)).body;
const only = async (one: TestOrg, query: string): Promise<Body> => {
  const [mapping, ...more] = await list(one, query);
  expect(more).toEqual([]);
  return mapping;
};
const update = (one: TestOrg, id: string, properties: object) =>
  one.admin.post(`${url}/${id}`, { body: { properties } });

describe('mappings are there', () => {
  test('from and to every app, from every identity provider, of every user type', async () => {
    const own = await service.newOrg();
    expect(await list(own)).toEqual([]);
    const [app, provider] = [await newApp(own), await newProvider(own)];
    const [{ id: typeId, name, _links }] = (await own.admin.get(USER_TYPES)).body;
    const user = {
      id: typeId,
      name,
      type: 'user',
      _links: { self: { href: _links.self.href }, schema: { href: _links.schema.href } },
    };
    const client = {
      id: app,
      name: 'oidc_client',
      type: 'appuser',
      _links: {
        self: { href: `${own.baseUrl}/api/v1/apps/${app}` },
        schema: { href: `${own.baseUrl}/api/v1/meta/schemas/apps/${app}/default` },
      },
    };
    const toApp = await only(own, `?targetId=${app}`);
    expect(toApp).toEqual({
      id: expect.stringMatching(/^prm\w{17}$/),
      source: user,
      target: client,
      _links: { self: { href: `${own.baseUrl}${url}/${toApp.id}` } },
    });
    expect(await only(own, `?sourceId=${app}`)).toMatchObject({ source: client, target: user });
    expect(await only(own, `?sourceId=${provider}`)).toMatchObject({ source: { name: 'oidc_idp' }, target: user });
    expect(await list(own, `?targetId=${provider}`)).toEqual([]);
    expect(await list(own, `?targetId=${typeId}`)).toHaveLength(2);
    expect(await list(own, `?sourceId=${typeId}&targetId=${app}`)).toHaveLength(1);
    const { id: otherType } = await newUserType(own, 'contractor');
    expect(await list(own)).toHaveLength(6);
    expect(await only(own, `?sourceId=${provider}&targetId=${otherType}`)).toMatchObject({
      target: { name: 'contractor' },
    });
    await own.admin.del(`${USER_TYPES}/${otherType}`);
    expect(await list(own)).toHaveLength(3);
  });

  test('until their app or identity provider is gone', async () => {
    const own = await service.newOrg();
    const [app, provider] = [await newApp(own), await newProvider(own)];
    for (const path of [`/api/v1/apps/${app}`, `/api/v1/idps/${provider}`]) {
      await own.admin.post(`${path}/lifecycle/deactivate`);
      expect((await own.admin.del(path)).status).toBe(204);
    }
    expect(await list(own)).toEqual([]);
  });

  test('with what each kind begins with', async () => {
    const own = await service.newOrg();
    const [app, provider] = [await newApp(own), await newProvider(own)];
    const read = async (query: string) =>
      (await own.admin.get(`${url}/${(await only(own, query)).id}`)).body.properties;
    expect(await read(`?sourceId=${provider}`)).toEqual({
      firstName: { expression: 'source.firstName', pushStatus: 'PUSH' },
      lastName: { expression: 'source.lastName', pushStatus: 'PUSH' },
      email: { expression: 'source.email', pushStatus: 'PUSH' },
      mobilePhone: { expression: 'source.mobilePhone', pushStatus: 'PUSH' },
      login: { expression: 'source.userName', pushStatus: 'PUSH' },
    });
    const claims = await read(`?targetId=${app}`);
    expect(claims.given_name).toEqual({ expression: 'source.firstName', pushStatus: 'PUSH' });
    expect(await read(`?sourceId=${app}`)).toEqual({});
    const again = await update(own, (await only(own, `?targetId=${app}`)).id, claims);
    expect(again).toMatchObject({ status: 200, body: { properties: claims } });
    expect(await eventsOf(own, again)).toEqual([]);
  });

  test('in pages, by id', async () => {
    const own = await service.newOrg();
    for (let apps = 0; apps < 3; apps += 1) await newApp(own);
    const all = (await list(own)).map(({ id }) => id);
    expect(all).toEqual(all.toSorted());
    const seen: string[] = [];
    for (let path: string | undefined = `${url}?limit=4`; path !== undefined; ) {
      const page = await own.admin.get(path);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = linksOf(page)['next'];
    }
    expect(seen).toEqual(all);
    expect(await own.admin.get(`${url}?limit=201`)).toMatchObject({ status: 200 });
    expect(await own.admin.get(`${url}?after=prm`)).toMatchObject({ status: 400 });
  });
});

describe('update', () => {
  const own = beforeTests(() => service.newOrg());
  const toApp = beforeTests(async () => await only(own, `?targetId=${await newApp(own)}`));
  const toUser = beforeTests(async () => await only(own, `?sourceId=${await newProvider(own)}`));

  test('adds, changes and removes what it names, and nothing else; the log tells it', async () => {
    const changed = await update(own, toApp.id, {
      nickname: { expression: 'String.toUpperCase(user.nickName)', pushStatus: 'DONT_PUSH' },
      website: { expression: 'source.profileUrl' },
      name: { expression: null, pushStatus: null },
      email: null,
    });
    expect(changed.status).toBe(200);
    const { properties } = changed.body;
    expect(properties).toMatchObject({
      nickname: { expression: 'String.toUpperCase(user.nickName)', pushStatus: 'DONT_PUSH' },
      website: { expression: 'source.profileUrl', pushStatus: 'DONT_PUSH' },
      given_name: { expression: 'source.firstName', pushStatus: 'PUSH' },
    });
    expect(Object.keys(properties)).not.toContain('name');
    expect(Object.keys(properties)).not.toContain('email');
    expect((await own.admin.get(`${url}/${toApp.id}`)).body).toEqual(changed.body);
    expect(await eventsOf(own, changed)).toMatchObject([
      {
        eventType: 'directory.mapping.update',
        target: [
          {
            id: toApp.id,
            type: 'ProfileMapping',
            changeDetails: { from: { website: null }, to: { website: { pushStatus: 'DONT_PUSH' }, email: null } },
          },
        ],
      },
    ]);
    const pushed = await update(own, toApp.id, { website: { pushStatus: 'PUSH' } });
    expect(pushed.body.properties.website).toEqual({ expression: 'source.profileUrl', pushStatus: 'PUSH' });
  });

  test('expressions name attributes of the source, custom ones too, by what it is', async () => {
    await defineAttributes(own, { badge: { title: 'B', type: 'string' } });
    expect(await update(own, toApp.id, { website: { expression: 'user.badge + "!"' } })).toMatchObject({ status: 200 });
    expect(await update(own, toUser.id, { badge: { expression: 'appuser.email' } })).toMatchObject({ status: 200 });
    expect(await update(own, toUser.id, { badge: { expression: 'user.email' } })).toMatchObject({ status: 400 });
  });

  test('every fault is told, with its place', async () => {
    const refused = await update(own, toApp.id, {
      none: { expression: 'source.email' },
      website: { expression: 'source.nowhere' },
      gender: { expression: 'source.(' },
      picture: { expression: 'source.email', pushStatus: 'push' },
      birthdate: {},
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: properties' },
    });
    const causes = causesIn(refused);
    for (const name of [
      'none: ',
      'website.expression: ',
      'gender.expression: ',
      'picture.pushStatus: ',
      'birthdate.expression: ',
    ]) {
      expect(
        causes.some((cause) => cause.startsWith(name)),
        name,
      ).toBe(true);
    }
    expect(await eventsOf(own, refused)).toEqual([]);
  });

  test.each([{}, { properties: 5 }, { properties: { website: 'x' } }, { properties: { website: { expression: 5 } } }])(
    'refuses %j',
    async (body) => {
      expect(await own.admin.post(`${url}/${toApp.id}`, { body })).toMatchObject({ status: 400 });
    },
  );

  test('an attribute that leaves its schema leaves the mappings that lead to it', async () => {
    await defineAttributes(own, { temporary: { title: 'T', type: 'string' } });
    await update(own, toUser.id, { temporary: { expression: 'source.email' } });
    await defineAttributes(own, { temporary: null });
    const { properties } = (await own.admin.get(`${url}/${toUser.id}`)).body;
    expect(Object.keys(properties)).not.toContain('temporary');
    expect(properties).toHaveProperty('login');
  });

  test('of two at once, both are kept', async () => {
    const provider = await only(own, `?sourceId=${await newProvider(own)}`);
    await Promise.all([
      update(own, provider.id, { city: { expression: 'source.email' } }),
      update(own, provider.id, { state: { expression: 'source.email' } }),
    ]);
    const { properties } = (await own.admin.get(`${url}/${provider.id}`)).body;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['city', 'state', 'login']));
  });

  test('what is unknown, or of another org, is 404; who only reads changes nothing', async () => {
    for (const id of [toApp.id, 'prmnone']) {
      expect(await org.admin.get(`${url}/${id}`)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
      expect(await update(org, id, {})).toMatchObject({ status: 404 });
    }
    const reader = await own.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(`${url}/${toApp.id}`)).toMatchObject({ status: 200 });
    expect(await reader.post(`${url}/${toApp.id}`, { body: { properties: {} } })).toMatchObject({ status: 403 });
  });
});
