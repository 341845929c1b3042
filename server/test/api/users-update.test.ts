import { describe, expect, test } from 'vitest';
import { newLogin } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  eventsOf,
  PASSWORD,
  QUESTION,
  type UserStatus,
  userIn,
  userPath,
} from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const post = (id: string, body: unknown, query = '') => org.admin.post(`${userPath(id)}${query}`, { body });
const put = (id: string, body: unknown, query = '') => org.admin.put(`${userPath(id)}${query}`, { body });
const read = async (id: string) => (await org.admin.get(userPath(id))).body;
const setPassword = (value: string) => ({ credentials: { password: { value } } });

describe('POST merges', () => {
  test('what is given replaces, null removes, the rest stays; the change is told in the log', async () => {
    const user = await org.createUser({ profile: { city: 'London', title: 'Countess' }, credentials: CREDENTIALS });
    const updated = await post(user.id, { profile: { city: 'Paris', title: null, nickName: 'Enchantress' } });
    expect(updated.status).toBe(200);
    const { title: _, ...kept } = user.profile;
    expect(updated.body.profile).toEqual({ ...kept, city: 'Paris', nickName: 'Enchantress' });
    expect(updated.body).toMatchObject({ status: 'ACTIVE', credentials: user.credentials, created: user.created });
    expect(await eventsOf(org, updated)).toMatchObject([
      {
        eventType: 'user.account.update_profile',
        target: [
          {
            id: user.id,
            alternateId: user.profile.login,
            displayName: 'Ada Lovelace',
            changeDetails: {
              from: { city: 'London', title: 'Countess', nickName: null },
              to: { city: 'Paris', title: null, nickName: 'Enchantress' },
            },
          },
        ],
      },
    ]);
  });

  test('an update that changes nothing keeps tag and date, and writes no event', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const before = await org.admin.get(userPath(user.id));
    service.clock.advance(5_000);
    for (const body of [{}, { profile: {} }, { profile: user.profile }, before.body]) {
      const after = await post(user.id, body);
      expect(after).toMatchObject({ status: 200, body: before.body });
      expect(after.headers['etag']).toBe(before.headers['etag']);
      expect(await eventsOf(org, after)).toEqual([]);
    }
  });

  test('me may be updated, by login too', async () => {
    expect(await post('me', { profile: { nickName: 'Root' } })).toMatchObject({
      status: 200,
      body: { id: org.adminUserId, profile: { nickName: 'Root' } },
    });
    const user = await org.createUser();
    expect(await post(user.profile.login, { profile: { city: 'Bath' } })).toMatchObject({ body: { id: user.id } });
  });

  test('what only the service sets is ignored', async () => {
    const user = await org.createUser();
    const other = await service.newOrg();
    const given = {
      id: other.adminUserId,
      status: 'ACTIVE',
      orgId: other.id,
      isAdmin: true,
      _links: {},
      created: null,
    };
    expect((await post(user.id, { ...given, profile: { city: 'Bath' } })).body).toMatchObject({
      id: user.id,
      status: 'PROVISIONED',
      created: user.created,
    });
    expect(await read(user.id)).toMatchObject({ id: user.id, status: 'PROVISIONED' });
  });

  test.each([
    [{ profile: { shoeSize: 42 } }, "Property name 'shoeSize' is not defined in profile"],
    [{ profile: { login: null } }, 'login: The field cannot be left blank'],
    [{ profile: { firstName: '' } }, 'firstName: The field cannot be left blank'],
    [{ type: { id: `oty${'0'.repeat(17)}` } }, 'type: The type of a user can only be changed by PUT.'],
    [
      { credentials: { provider: { type: 'FEDERATION', name: 'x' } } },
      'credentials.provider: cannot be changed by an update.',
    ],
  ])('%j is refused whole: %s', async (body, errorSummary) => {
    const user = await org.createUser();
    const refused = await post(user.id, {
      ...body,
      profile: { city: 'Nowhere', ...('profile' in body ? body.profile : {}) },
    });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001', errorCauses: [{ errorSummary }] } });
    expect(await read(user.id)).toEqual(user);
  });
});

describe('PUT replaces', () => {
  test('attributes left out are gone; credentials and status stay', async () => {
    const user = await org.createUser({ profile: { city: 'London', mobilePhone: '1' }, credentials: CREDENTIALS });
    const { login, email } = user.profile;
    const replaced = await put(user.id, { profile: { login, email, firstName: 'Augusta', lastName: 'King' } });
    expect(replaced).toMatchObject({ status: 200, body: { status: 'ACTIVE', credentials: user.credentials } });
    expect(replaced.body.profile).toEqual({
      login,
      email,
      firstName: 'Augusta',
      lastName: 'King',
      mobilePhone: null,
      secondEmail: null,
    });
    expect(await eventsOf(org, replaced)).toMatchObject([{ target: [{ displayName: 'Augusta King' }] }]);
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
  });

  test('a user written back as read changes nothing, with a recovery question too', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const before = await org.admin.get(userPath(user.id));
    const after = await put(user.id, before.body);
    expect(after).toMatchObject({ status: 200, body: before.body });
    expect(after.headers['etag']).toBe(before.headers['etag']);
  });

  test.each([{}, { profile: {} }, { profile: { firstName: 'Only' } }])('%j is refused', async (body) => {
    const user = await org.createUser();
    expect(await put(user.id, body)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await read(user.id)).toEqual(user);
  });
});

describe('a login', () => {
  test.each([
    ['as it is', (login: string) => login],
    ['in capitals', (login: string) => login.toUpperCase()],
    ['in full width', (login: string) => login.replace('u', '\uff55')],
  ])('taken by another, %s: 400, and nothing changes', async (_, spelled) => {
    const [user, other] = [await org.createUser(), await org.createUser()];
    const profile = { login: spelled(other.profile.login), city: 'Elsewhere' };
    for (const refused of [
      await post(user.id, { profile }),
      await put(user.id, { profile: { ...user.profile, ...profile } }),
    ]) {
      expect(refused).toMatchObject({
        status: 400,
        body: {
          errorCode: 'E0000001',
          errorCauses: [
            { errorSummary: 'login: An object with this field already exists in the current organization' },
          ],
        },
      });
    }
    expect(await read(user.id)).toEqual(user);
  });

  test('of its own may change its spelling', async () => {
    const user = await org.createUser();
    const login = user.profile.login.toUpperCase();
    expect(await post(user.id, { profile: { login } })).toMatchObject({ status: 200, body: { profile: { login } } });
  });

  test('that two users want at once goes to one', async () => {
    const users = [await org.createUser(), await org.createUser()];
    const login = newLogin();
    const answers = await Promise.all(users.map(({ id }) => post(id, { profile: { login } })));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 400]);
  });
});

describe('a password set by an administrator', () => {
  const cases: readonly (readonly [UserStatus, UserStatus])[] = [
    ['STAGED', 'STAGED'],
    ['ACTIVE', 'ACTIVE'],
    ['PROVISIONED', 'ACTIVE'],
    ['RECOVERY', 'ACTIVE'],
    ['PASSWORD_EXPIRED', 'ACTIVE'],
  ];
  test.each(cases)('%s becomes %s; the new password works', async (from, to) => {
    const user = await userIn(org, from);
    const updated = await post(user.id, setPassword(ANOTHER_PASSWORD));
    expect(updated).toMatchObject({ status: 200, body: { status: to, credentials: { password: {} } } });
    expect((await eventsOf(org, updated)).map(({ eventType }) => eventType)).toEqual(['user.account.update_password']);
    expect(updated.text).not.toContain(ANOTHER_PASSWORD);
    expect(await changePassword(org.admin, user.id, ANOTHER_PASSWORD, 'Third-3-Password')).toMatchObject({
      status: 200,
    });
  });

  test('the policy is asked', async () => {
    const user = await org.createUser();
    expect(await post(user.id, setPassword('short'))).toMatchObject({
      status: 400,
      body: {
        errorCauses: [{ reason: 'LENGTH_MINIMUM' }, { reason: 'UPPER_CASE_REQUIRED' }, { reason: 'NUMBER_REQUIRED' }],
      },
    });
  });

  test('history is asked only with strict=true', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    for (const send of [post, put]) {
      const body = { profile: user.profile, ...setPassword(PASSWORD) };
      expect(await send(user.id, body, '?strict=true')).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001', errorCauses: [{ reason: 'PASSWORD_HISTORY' }] },
      });
      expect(await send(user.id, body)).toMatchObject({ status: 200 });
      expect(await send(user.id, body, '?strict=perhaps')).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000037' },
      });
    }
    expect(await post(user.id, setPassword(ANOTHER_PASSWORD), '?strict=true')).toMatchObject({ status: 200 });
  });

  test('links that were mailed before no longer lead anywhere', async () => {
    const user = await userIn(org, 'RECOVERY');
    const tokens = async () => {
      const text = 'select kind from user_recovery_tokens where org_id = $1 and user_id = $2';
      return (await service.database.pool.query(text, [org.id, user.id])).rows;
    };
    expect(await tokens()).toEqual([{ kind: 'PASSWORD_RESET' }]);
    await post(user.id, setPassword(ANOTHER_PASSWORD));
    expect(await tokens()).toEqual([]);
  });

  test('not for a user of another provider', async () => {
    const user = await org.createUser({
      credentials: { provider: { type: 'FEDERATION', name: 'Partner' } },
      query: '?provider=true',
    });
    expect(await post(user.id, setPassword(PASSWORD))).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await read(user.id)).toEqual(user);
  });

  test('addresses are told beside the credentials, and sent back they change nothing', async () => {
    const user = await org.createUser({ profile: { secondEmail: 'second@example.com' } });
    expect(user.credentials.emails).toEqual([
      { value: user.profile.email, status: 'VERIFIED', type: 'PRIMARY' },
      { value: 'second@example.com', status: 'VERIFIED', type: 'SECONDARY' },
    ]);
    const emails = [{ value: 'other@example.com', status: 'VERIFIED', type: 'PRIMARY' }];
    const sent = await put(user.id, { profile: user.profile, credentials: { ...user.credentials, emails } });
    expect(sent).toMatchObject({ status: 200, body: { credentials: user.credentials } });
    expect((await read(user.id)).profile).toEqual(user.profile);
  });

  test('a recovery question is set with its answer only', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    const question = (given: unknown) => post(user.id, { credentials: { recovery_question: given } });
    expect(await question({ question: 'Another?' })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const updated = await question(QUESTION);
    expect(updated.body.credentials.recovery_question).toEqual({ question: QUESTION.question });
    const [event] = await eventsOf(org, updated);
    expect(event.target[0].changeDetails).toEqual({
      from: { recoveryQuestion: null },
      to: { recoveryQuestion: '(set)' },
    });
    expect(JSON.stringify(event)).not.toContain(QUESTION.question);
  });
});
