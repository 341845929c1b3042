import { describe, expect, test } from 'vitest';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const url = '/api/v1/meta/schemas/user/default';
const typesUrl = '/api/v1/meta/types/user';
const base = (part: object): object => ({ body: { definitions: { base: part } } });
const withoutFirstName = () => {
  const { firstName: _firstName, ...profile } = newProfile();
  return { body: { profile } };
};

describe('read', () => {
  test('the default schema has the base attributes and no others', async () => {
    const { body, status } = await org.admin.get(url);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: `${org.baseUrl}/meta/schemas/user/default`,
      $schema: 'http://json-schema.org/draft-04/schema#',
      name: 'user',
      title: 'User',
      type: 'object',
      definitions: {
        custom: { id: '#custom', type: 'object', properties: {}, required: [] },
        base: { id: '#base', type: 'object', required: ['login', 'email', 'firstName', 'lastName'] },
      },
      properties: { profile: { allOf: [{ $ref: '#/definitions/custom' }, { $ref: '#/definitions/base' }] } },
    });
    expect(body.definitions.base.properties.login).toEqual({
      title: 'Username',
      type: 'string',
      required: true,
      mutability: 'READ_WRITE',
      scope: 'NONE',
      minLength: 5,
      maxLength: 100,
      permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
    });
    expect(Object.keys(body.definitions.base.properties)).toHaveLength(31);
  });

  test("its links and a user's lead to the same schema and type", async () => {
    const { body } = await org.admin.get(url);
    const user = await org.admin.get(`/api/v1/users/${org.adminUserId}`);
    expect(user.body._links.schema.href).toBe(body._links.self.href);
    expect(user.body._links.type.href).toBe(body._links.type.href);
    const pathOf = (link: { href: string }) => link.href.slice(org.baseUrl.length);
    expect((await org.admin.get(pathOf(body._links.self))).body).toEqual(body);
    expect(await org.admin.get(pathOf(body._links.type))).toMatchObject({
      status: 200,
      body: { id: user.body.type.id, name: 'user', default: true, _links: { schema: { href: body._links.self.href } } },
    });
  });

  test('an org has one user type', async () => {
    const { body } = await org.admin.get(typesUrl);
    expect(body).toMatchObject([{ name: 'user', displayName: 'User', default: true }]);
    expect((await org.admin.get(`${typesUrl}/default`)).body).toEqual(body[0]);
  });

  test('what is unknown, or of another org, is 404', async () => {
    const other = await service.newOrg();
    const [type] = (await other.admin.get(typesUrl)).body;
    const schemaId = type._links.schema.href.split('/').at(-1);
    for (const path of [`/api/v1/meta/schemas/user/${schemaId}`, `${typesUrl}/${type.id}`, `${typesUrl}/otynone`]) {
      expect(await org.admin.get(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
  });
});

describe('update', () => {
  test('names that are not required may be left out and taken away', async () => {
    const own = await service.newOrg();
    expect(await own.admin.post('/api/v1/users', withoutFirstName())).toMatchObject({ status: 400 });
    const changed = await own.admin.post(url, base({ properties: { firstName: { required: false } } }));
    expect(changed).toMatchObject({
      status: 200,
      body: { definitions: { base: { required: ['login', 'email', 'lastName'] } } },
    });
    expect(changed.body.definitions.base.properties.firstName).not.toHaveProperty('required');
    expect((await own.admin.get(url)).body).toEqual(changed.body);
    expect(await own.admin.post('/api/v1/users', withoutFirstName())).toMatchObject({
      status: 200,
      body: { profile: { firstName: null } },
    });
  });

  test('leaving it out of the list does the same, and is in the log once', async () => {
    const own = await service.newOrg();
    const list = base({ required: ['login', 'email', 'firstName'] });
    expect(await own.admin.post(url, list)).toMatchObject({
      status: 200,
      body: { definitions: { base: { required: ['login', 'email', 'firstName'] } } },
    });
    expect(await own.admin.post(url, list)).toMatchObject({ status: 200 });
    expect(await own.systemLog('eventType eq "directory.user_profile.update"')).toMatchObject([
      { target: [{ type: 'UserSchema', changeDetails: { to: { required: { firstName: true, lastName: false } } } }] },
    ]);
  });

  test('sending the schema back as it was read changes nothing', async () => {
    const { body } = await org.admin.get(url);
    expect((await org.admin.post(url, { body })).body).toEqual(body);
    // Clients send empty lists if there are no choices.
    const choices = (given: object) => org.admin.post(url, base({ properties: { nickName: given } }));
    expect((await choices({ enum: [], oneOf: [] })).body).toEqual(body);
    expect(await choices({ enum: ['Handle'] })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('nothing becomes required that stored profiles lack', async () => {
    const own = await service.newOrg();
    await own.admin.post(url, base({ properties: { firstName: { required: false } } }));
    const { body: user } = await own.admin.post('/api/v1/users', withoutFirstName());
    const required = base({ properties: { firstName: { required: true } } });
    const refused = await own.admin.post(url, required);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses[0].errorSummary).toContain('firstName');
    await own.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { firstName: 'Ada' } } });
    expect(await own.admin.post(url, required)).toMatchObject({ status: 200 });
  });

  test('of a nameless user and a name that becomes required at once, one is refused', async () => {
    const own = await service.newOrg();
    await own.admin.post(url, base({ properties: { firstName: { required: false } } }));
    const required = base({ properties: { firstName: { required: true } } });
    const answers = await Promise.all([
      own.admin.post(url, required),
      own.admin.post('/api/v1/users', withoutFirstName()),
    ]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 400]);
  });

  test.each([
    { definitions: { custom: { properties: { shoeSize: { type: 'integer' } } } } },
    { definitions: { base: { properties: { login: { required: false } } } } },
    { definitions: { base: { properties: { nickName: { title: 'Handle' } } } } },
    { definitions: { base: { required: ['email'] } } },
    { definitions: { base: 5 } },
  ])('refuses %j', async (body) => {
    expect(await org.admin.post(url, { body })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('who only reads changes nothing', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(url)).toMatchObject({ status: 200 });
    expect(await reader.post(url, { body: {} })).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
  });

  test("another org's schema stays as it is", async () => {
    const [one, two] = [await service.newOrg(), await service.newOrg()];
    await one.admin.post(url, base({ properties: { firstName: { required: false } } }));
    expect((await two.admin.get(url)).body.definitions.base.required).toContain('firstName');
  });
});
