import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, newProfile, userPath } from '../support/users.ts';

const { service, org } = useService();

describe('by what a user is found', () => {
  test('id, login, login in another case, short login', async () => {
    const login = 'Grace.Hopper@navy.example.com';
    const { id } = await org.createUser({ profile: { login } });
    for (const name of [id, login, login.toUpperCase(), 'grace.hopper', 'GRACE.Hopper']) {
      expect(await org.admin.get(userPath(name))).toMatchObject({ status: 200, body: { id } });
    }
  });

  test.each(['plus+tag@example.com', "o'neil@example.com", 'per%cent@example.com', 'bl\u00e4u@example.com'])(
    'the login %s, percent-encoded',
    async (login) => {
      const { id } = await org.createUser({ profile: { login } });
      expect(await org.admin.get(userPath(login))).toMatchObject({ status: 200, body: { id } });
    },
  );

  test('a login with + and @ as they are', async () => {
    const { id } = await org.createUser({ profile: { login: 'raw+tag@example.com' } });
    expect(await org.admin.get('/api/v1/users/raw+tag@example.com')).toMatchObject({ status: 200, body: { id } });
  });

  test('a short login of two users finds neither, their logins do', async () => {
    const users = [];
    for (const domain of ['a.example.com', 'b.example.com']) {
      users.push(await org.createUser({ profile: { login: `twin@${domain}` } }));
    }
    expect(await org.admin.get(userPath('twin'))).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect((await org.admin.get(userPath('twin@b.example.com'))).body.id).toBe(users[1].id);
  });

  test('a changed login is found, the old one is not', async () => {
    const { id } = await org.createUser({ profile: { login: 'before@example.com' } });
    await org.admin.post(userPath(id), { body: { profile: { login: 'after@example.com' } } });
    expect((await org.admin.get(userPath('after'))).body.id).toBe(id);
    expect(await org.admin.get(userPath('before@example.com'))).toMatchObject({ status: 404 });
    expect(await org.admin.get(userPath('before'))).toMatchObject({ status: 404 });
  });

  test("me is the token's creator", async () => {
    expect((await org.admin.get(userPath('me'))).body.id).toBe(org.adminUserId);
    const nobody = await org.withRoles();
    expect(await nobody.get(userPath('me'))).toMatchObject({ status: 200, body: { id: nobody.userId } });
  });

  test('the same user by id and by login has one entity tag', async () => {
    const user = await org.createUser();
    const [byId, byLogin] = [await org.admin.get(userPath(user.id)), await org.admin.get(userPath(user.profile.login))];
    expect(byLogin.headers['etag']).toBe(byId.headers['etag']);
    expect(byId.headers['etag']).toMatch(/^W\/"[0-9a-f]{64}"$/);
  });
});

describe('what is not found', () => {
  test("another org's user answers as one that never was", async () => {
    const other = await service.newOrg();
    const foreign = await other.createUser();
    const unknown = `00u${'0'.repeat(17)}`;
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const options = method === 'GET' || method === 'DELETE' ? {} : { body: { profile: newProfile() } };
      const answers = [];
      for (const id of [foreign.id, unknown]) answers.push(await org.admin.send(method, userPath(id), options));
      const [theirs, nobodys] = answers.map(({ body, status }) => ({
        status,
        body: { ...body, errorId: '', errorSummary: body.errorSummary.replaceAll(/00u\w{17}/g, 'ID') },
      }));
      expect(theirs).toMatchObject({ status: 404, body: { errorCode: 'E0000007', errorCauses: [] } });
      expect(nobodys).toEqual(theirs);
    }
    expect((await org.admin.get(userPath(foreign.id))).body.errorSummary).toBe(
      `Not found: Resource not found: ${foreign.id} (User)`,
    );
    expect(await other.admin.get(userPath(foreign.id))).toMatchObject({ status: 200, body: { status: 'PROVISIONED' } });
  });

  const operations = [
    'activate',
    'reactivate',
    'deactivate',
    'suspend',
    'unsuspend',
    'unlock',
    'reset_password',
    'expire_password',
    'expire_password_with_temp_password',
  ].map((name) => `lifecycle/${name}`);
  test.each([...operations, 'credentials/forgot_password'])("%s of another org's user: 404", async (operation) => {
    const other = await service.newOrg();
    const foreign = await other.createUser({ credentials: CREDENTIALS });
    expect(await org.admin.post(`${userPath(foreign.id)}/${operation}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'E0000007' },
    });
    const { body } = await other.admin.get(userPath(foreign.id));
    expect(body).toEqual(foreign);
  });

  test.each(['nobody@example.com', 'nobody', "x' or '1'='1", '%', '00u', 'ME', 'null', 'toString', ' '])(
    '%j: 404',
    async (name) => {
      expect(await org.admin.get(userPath(name))).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${name} (User)` },
      });
    },
  );

  test('a caller without a role sees itself and learns of nobody else', async () => {
    const user = await org.createUser();
    const nobody = await org.withRoles();
    const refused = [];
    for (const name of [user.id, user.profile.login, 'nobody@example.com', 'nobody', `00u${'0'.repeat(17)}`]) {
      const { body, status } = await nobody.get(userPath(name));
      refused.push({ status, body: { ...body, errorId: '' } });
    }
    expect(refused[0]).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect(new Set(refused.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await nobody.get('/api/v1/users')).body.map(({ id }: { id: string }) => id)).toEqual([nobody.userId]);
  });

  test('without a credential: 401', async () => {
    const user = await org.createUser();
    expect(await org.anonymous.get(userPath(user.id))).toMatchObject({ status: 401 });
  });
});

describe('shorter answers, by a parameter of Content-Type', () => {
  const CREDENTIAL_LINKS = [
    'resetPassword',
    'expirePassword',
    'forgotPassword',
    'changePassword',
    'changeRecoveryQuestion',
  ];
  const read = async (path: string, contentType: string) =>
    (await org.admin.get(path, { headers: { 'content-type': contentType } })).body;

  test.each([
    ['omitCredentials', false, true],
    ['omitCredentialsLinks', true, false],
    ['omitCredentials,omitCredentialsLinks', false, false],
    ['"omitCredentials, omitCredentialsLinks, omitTransitioningToStatus"', false, false],
    ['omitEverything', true, true],
  ])('svc-response=%s', async (words, hasCredentials, hasLinks) => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const body = await read(userPath(user.id), `application/json; svc-response=${words}`);
    expect('credentials' in body).toBe(hasCredentials);
    const links = Object.keys(body._links);
    for (const relation of CREDENTIAL_LINKS) expect(links.includes(relation)).toBe(hasLinks);
    expect(links).toEqual(expect.arrayContaining(['self', 'suspend', 'deactivate']));
  });

  test('the word is the namespace of this service', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    expect(await read(userPath(user.id), 'application/json; other-response=omitCredentials')).toEqual(user);
  });

  test('in a list too', async () => {
    const body = await read('/api/v1/users?limit=2', 'application/json; svc-response=omitCredentials');
    expect(body).toHaveLength(2);
    for (const user of body) expect(user).not.toHaveProperty('credentials');
  });
});
