import { describe, expect, test } from 'vitest';
import { newOidcProvider } from '../support/identity-providers.ts';
import { causesIn, changeAttributes, defineAttributes, GROUP_SCHEMA } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService();

const text = { title: 'T', type: 'string' };
const appUrl = (id: string): string => `/api/v1/meta/schemas/apps/${id}/default`;
const newApp = async (one: TestOrg) => (await newServiceClient(service, one, { scopes: [] })).id;
const newProvider = async (one: TestOrg): Promise<string> =>
  (await one.admin.post('/api/v1/idps', { body: newOidcProvider() })).body.id;
const newGroup = (one: TestOrg, profile: object) => one.admin.post('/api/v1/groups', { body: { profile } });

describe('the schema of groups', () => {
  test('begins with name and description', async () => {
    const { body, status } = await org.admin.get(GROUP_SCHEMA);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: `${org.baseUrl}/meta/schemas/group/default`,
      $schema: 'http://json-schema.org/draft-04/schema#',
      name: 'group',
      title: 'Svc group',
      type: 'object',
      definitions: {
        custom: { id: '#custom', type: 'object', properties: {}, required: [] },
        base: { id: '#base', type: 'object', required: ['name'] },
      },
      _links: { self: { rel: 'self', href: `${org.baseUrl}${GROUP_SCHEMA}`, method: 'GET' } },
    });
    expect(body.definitions.base.properties.name).toMatchObject({ required: true, minLength: 1, maxLength: 255 });
    expect(Object.keys(body.definitions.base.properties)).toEqual(['name', 'description']);
  });

  test('takes attributes, which groups then have; the log tells it', async () => {
    const own = await service.newOrg();
    expect(await newGroup(own, { name: 'A', region: 'EU' })).toMatchObject({ status: 400 });
    const added = await changeAttributes(own, { region: { ...text, enum: ['EU', 'US'] } }, GROUP_SCHEMA);
    expect(added).toMatchObject({
      status: 200,
      body: {
        definitions: {
          custom: { properties: { region: { title: 'T', enum: ['EU', 'US'], mutability: 'READ_WRITE' } } },
        },
      },
    });
    expect((await own.admin.get(GROUP_SCHEMA)).body).toEqual(added.body);
    expect(await eventsOf(own, added)).toMatchObject([
      { eventType: 'directory.group_profile.update', target: [{ type: 'GroupSchema' }] },
    ]);
    const again = await own.admin.post(GROUP_SCHEMA, { body: added.body });
    expect(again.body).toEqual(added.body);
    expect(await eventsOf(own, again)).toEqual([]);
    expect(await newGroup(own, { name: 'A', region: 'EU' })).toMatchObject({
      status: 200,
      body: { profile: { region: 'EU' } },
    });
    expect(await newGroup(own, { name: 'B', region: 'XX' })).toMatchObject({ status: 400 });
  });

  test('a change that breaks the profiles of groups is refused; a removal takes their values away', async () => {
    const own = await service.newOrg();
    await defineAttributes(own, { region: text }, GROUP_SCHEMA);
    const { body: group } = await newGroup(own, { name: 'A', region: 'Europe' });
    expect(causesIn(await changeAttributes(own, { region: { maxLength: 2 } }, GROUP_SCHEMA))).toHaveLength(1);
    await newGroup(own, { name: 'B' });
    expect(await changeAttributes(own, { region: { required: true } }, GROUP_SCHEMA)).toMatchObject({ status: 400 });
    await defineAttributes(own, { region: null }, GROUP_SCHEMA);
    const read = await own.admin.get(`/api/v1/groups/${group.id}`);
    expect(read.body.profile).not.toHaveProperty('region');
    await defineAttributes(own, { region: { title: 'R', type: 'integer' } }, GROUP_SCHEMA);
  });

  test.each([
    ['a base attribute', { definitions: { base: { properties: { name: { maxLength: 10 } } } } }],
    [
      'permissions of a base attribute',
      { definitions: { base: { properties: { name: { permissions: [{ principal: 'SELF', action: 'HIDE' }] } } } } },
    ],
    ['a base attribute removed', { definitions: { base: { properties: { description: null } } } }],
    ['a unique attribute', { definitions: { custom: { properties: { one: { ...text, unique: true } } } } }],
    ['the name of a base attribute', { definitions: { custom: { properties: { Name: text } } } }],
  ])('refuses %s', async (_, body) => {
    expect(await org.admin.post(GROUP_SCHEMA, { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('who only reads changes nothing, and orgs have their own', async () => {
    const [one, two] = [await service.newOrg(), await service.newOrg()];
    await defineAttributes(one, { region: text }, GROUP_SCHEMA);
    expect((await two.admin.get(GROUP_SCHEMA)).body.definitions.custom.properties).toEqual({});
    const reader = await one.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(GROUP_SCHEMA)).toMatchObject({ status: 200 });
    expect(await reader.post(GROUP_SCHEMA, { body: {} })).toMatchObject({ status: 403 });
  });
});

describe("the schema of an app's users", () => {
  test('begins with what the kind of app has', async () => {
    const id = await newApp(org);
    const { body, status } = await org.admin.get(appUrl(id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: `${org.baseUrl}/meta/schemas/apps/${id}/default`,
      name: 'oidc_client',
      definitions: { base: { required: ['userName'] }, custom: { properties: {} } },
    });
    expect(body.definitions.base.properties.userName).toEqual({
      title: 'Username',
      type: 'string',
      required: true,
      externalName: 'preferred_username',
      scope: 'SELF',
    });
    expect(Object.keys(body.definitions.base.properties)).toHaveLength(21);
    const provider = await org.admin.get(appUrl(await newProvider(org)));
    expect(provider).toMatchObject({ status: 200, body: { name: 'oidc_idp' } });
    expect(provider.body.definitions.base.properties).toHaveProperty('firstName');
  });

  test('takes attributes; they have neither permissions nor mutability on the wire', async () => {
    const own = await service.newOrg();
    const id = await newApp(own);
    const level = { title: 'Level', description: 'testing', type: 'integer', scope: 'NONE', enum: [4, 5] };
    const given = {
      ...level,
      master: { type: 'PROFILE_MASTER' },
      permissions: [{ action: 'READ_ONLY', principal: 'SELF' }],
      required: false,
      union: 'DISABLE',
    };
    const added = await changeAttributes(
      own,
      { level: given, roles: { title: 'R', type: 'array', items: { type: 'string' }, union: 'ENABLE' } },
      appUrl(id),
    );
    expect(added.status).toBe(200);
    expect(added.body.definitions.custom.properties.level).toEqual(level);
    expect(added.body.definitions.custom.properties.roles).toMatchObject({ union: 'ENABLE' });
    expect(await eventsOf(own, added)).toMatchObject([
      { eventType: 'directory.app_user_profile.update', target: [{ id, type: 'AppUserSchema' }] },
    ]);
    const again = await own.admin.post(appUrl(id), { body: added.body });
    expect(again.body).toEqual(added.body);
    expect(await eventsOf(own, again)).toEqual([]);
    const removed = await changeAttributes(own, { level: null, roles: null }, appUrl(id));
    expect(removed.body.definitions.custom.properties).toEqual({});
  });

  test('attributes of identity providers say what they are called there', async () => {
    const own = await service.newOrg();
    const url = appUrl(await newProvider(own));
    expect(causesIn(await changeAttributes(own, { role: text }, url))).toEqual([
      'role: externalName is required with attributes of identity providers.',
    ]);
    await defineAttributes(own, { role: { ...text, externalName: 'role' } }, url);
  });

  test('is gone with the app', async () => {
    const own = await service.newOrg();
    const provider = await newProvider(own);
    await defineAttributes(own, { role: { ...text, externalName: 'role' } }, appUrl(provider));
    await own.admin.post(`/api/v1/idps/${provider}/lifecycle/deactivate`);
    await own.admin.del(`/api/v1/idps/${provider}`);
    expect(await own.admin.get(appUrl(provider))).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const { rows } = await service.database.pool.query('select 1 from profile_schemas where org_id = $1', [own.id]);
    expect(rows).toEqual([]);
  });

  test('what is unknown, or of another org, is 404', async () => {
    const other = await service.newOrg();
    for (const id of [await newApp(other), '0oanone', 'constructor']) {
      expect(await org.admin.get(appUrl(id))).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
      expect(await org.admin.post(appUrl(id), { body: {} })).toMatchObject({ status: 404 });
    }
  });
});
