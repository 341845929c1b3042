import { beforeEach, describe, expect, test } from 'vitest';
import { signIn, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { addMember, createGroup, everyoneOf, memberPath } from '../support/groups.ts';
import { createPolicy, defaultPolicyPath, POLICIES } from '../support/policies.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, CREDENTIALS, changePassword, PASSWORD, userPath } from '../support/users.ts';

type Given = Readonly<Record<string, unknown>>;
type Body = TestResponse['body'];

const { service } = useService({ isShared: false });
let org: TestOrg;
beforeEach(async () => {
  org = await service.newOrg();
});

const DAY = 24 * 60 * 60_000;

/** The settings apply as soon as this function returns. */
async function changeDefault(password: Given): Promise<void> {
  const path = await defaultPolicyPath(org, 'PASSWORD');
  const { body } = await org.admin.get(path);
  const answer = await org.admin.put(path, { body: { ...body, settings: { password } } });
  expect(answer.status, answer.text).toBe(200);
}

async function addPolicy(settings: Given, conditions: Given = {}, given: Given = {}): Promise<Body> {
  const policy = await createPolicy(org, { type: 'PASSWORD', settings, conditions, ...given });
  const rule = await org.admin.post(`${POLICIES}/${policy.id}/rules`, { body: { name: 'Everyone', actions: {} } });
  expect(rule.status, rule.text).toBe(200);
  return policy;
}

const minimum = (minLength: number): Given => ({
  password: { complexity: { minLength, minLowerCase: 0, minUpperCase: 0, minNumber: 0 } },
});
const ofGroup = (id: string): Given => ({ people: { groups: { include: [id] } } });
const setPassword = (id: string, value: string, query = ''): Promise<TestResponse> =>
  org.admin.post(`${userPath(id)}${query}`, { body: { credentials: { password: { value } } } });
const reasonsOf = ({ body }: TestResponse): string[] => (body.errorCauses ?? []).map(({ reason }: Body) => reason);
const refusedFor = (...reasons: string[]) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorCauses: reasons.map((reason) => ({ reason })) },
});

describe('which policy a user is under', () => {
  test('that of the group, by priority, as soon as the user is in it; without a group the default', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const [strict, lax] = [await createGroup(org), await createGroup(org)];
    await addPolicy(minimum(20), ofGroup(strict.id));
    await addPolicy(minimum(4), ofGroup(lax.id));
    expect(await setPassword(user.id, 'abcd')).toMatchObject({ status: 400 });
    await addMember(org, lax.id, user.id);
    expect(await setPassword(user.id, 'abcd')).toMatchObject({ status: 200 });
    await addMember(org, strict.id, user.id);
    expect(await setPassword(user.id, 'abcde')).toMatchObject(refusedFor('LENGTH_MINIMUM'));
    await org.admin.del(memberPath(strict.id, user.id));
    expect(await setPassword(user.id, 'abcde')).toMatchObject({ status: 200 });
  });

  test('the order decides, and a policy without an active rule, or inactive, is passed', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const first = await addPolicy(minimum(30));
    const second = await addPolicy(minimum(25));
    const lengthOf = async (): Promise<string> =>
      (await setPassword(user.id, 'ab')).body.errorCauses[0].errorSummary.replaceAll(/\D/g, '');
    expect(await lengthOf()).toBe('30');
    await org.admin.put(`${POLICIES}/${second.id}`, { body: { ...second, priority: 1 } });
    expect(await lengthOf()).toBe('25');
    await org.admin.post(`${POLICIES}/${second.id}/lifecycle/deactivate`);
    expect(await lengthOf()).toBe('30');
    const [rule] = (await org.admin.get(`${POLICIES}/${first.id}/rules`)).body;
    await org.admin.post(`${POLICIES}/${first.id}/rules/${rule.id}/lifecycle/deactivate`);
    expect(await lengthOf()).toBe('8');
  });

  test('the people of its rules and who keeps the password count too', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const policy = await createPolicy(org, { type: 'PASSWORD', settings: minimum(30) });
    const conditions = { people: { users: { exclude: [user.id] } } };
    await org.admin.post(`${POLICIES}/${policy.id}/rules`, { body: { name: 'Others', conditions, actions: {} } });
    await addPolicy(minimum(40), { authProvider: { provider: 'LDAP' } });
    expect(await setPassword(user.id, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
    const other = await org.createUser();
    expect(await setPassword(other.id, ANOTHER_PASSWORD)).toMatchObject(refusedFor('LENGTH_MINIMUM'));
    await addPolicy(minimum(50), { authProvider: { provider: 'SVC' } }, { priority: 1 });
    expect(reasonsOf(await setPassword(user.id, PASSWORD))).toEqual(['LENGTH_MINIMUM']);
  });

  test('who is only being made is under that of everyone, and of the groups that are given', async () => {
    const [everyone, group] = [await everyoneOf(org), await createGroup(org)];
    await addPolicy(minimum(20), ofGroup(group.id));
    await addPolicy(minimum(12), ofGroup(everyone.id));
    const create = (value: string, groupIds: readonly string[]) =>
      org.admin.post('/api/v1/users', {
        body: { profile: newProfile(), credentials: { password: { value } }, groupIds },
      });
    expect(await create('elevenchars', [])).toMatchObject(refusedFor('LENGTH_MINIMUM'));
    expect(await create('twelve chars', [])).toMatchObject({ status: 200 });
    expect(await create('twelve chars', [group.id])).toMatchObject(refusedFor('LENGTH_MINIMUM'));
    expect(await create('twenty characters or more', [group.id])).toMatchObject({ status: 200 });
  });

  test('policies of one org say nothing of another', async () => {
    await addPolicy(minimum(30));
    const other = await service.newOrg();
    const profile = newProfile();
    const body = { profile, credentials: { password: { value: PASSWORD } } };
    expect(await other.admin.post('/api/v1/users', { body })).toMatchObject({ status: 200 });
    expect(await org.admin.post('/api/v1/users', { body: { ...body, profile: newProfile() } })).toMatchObject({
      status: 400,
    });
  });
});

describe('complexity', () => {
  test('one cause per rule that is broken', async () => {
    const complexity = {
      minLength: 20,
      minSymbol: 1,
      excludeAttributes: ['firstName', 'lastName'],
      dictionary: { common: { exclude: true } },
      maxConsecutiveCharacters: 2,
    };
    await changeDefault({ complexity });
    const profile = { firstName: 'Marmaduke', lastName: 'Featherstone' };
    const user = await org.createUser({ profile });
    expect(reasonsOf(await setPassword(user.id, 'aaamarmaduke'))).toEqual([
      'LENGTH_MINIMUM',
      'UPPER_CASE_REQUIRED',
      'NUMBER_REQUIRED',
      'SYMBOL_REQUIRED',
      'FIRST_NAME_EXCLUDED',
      'CONSECUTIVE_CHARACTERS_EXCEEDED',
    ]);
    expect(reasonsOf(await setPassword(user.id, 'Passwordpassword123!'))).toEqual([]);
    await changeDefault({ complexity: { ...complexity, minLength: 8, minSymbol: 0 } });
    expect(await setPassword(user.id, 'Dragon123')).toMatchObject(refusedFor('COMMON_PASSWORD'));
    expect(await setPassword(user.id, 'Feathers 1 tone')).toMatchObject({ status: 200 });
  });

  test('holds for temporary passwords, and for passwords that users set themselves', async () => {
    await changeDefault({ complexity: { minLength: 30, minSymbol: 2 } });
    const user = await org.createUser();
    const { body } = await org.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=false`);
    const recoveryToken = String(body.resetPasswordUrl).split('/').at(-1);
    const reset = await step(org.anonymous, '/recovery/token', { recoveryToken });
    expect(reset.body).toMatchObject({
      status: 'PASSWORD_RESET',
      _embedded: { policy: { complexity: { minLength: 30 } } },
    });
    const { stateToken } = reset.body;
    const refused = await step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword: PASSWORD });
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000080' } });
    expect(reasonsOf(refused)).toEqual(['LENGTH_MINIMUM']);
    const newPassword = `${PASSWORD}, ${ANOTHER_PASSWORD}!`;
    const set = await step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword });
    expect(set.body).toMatchObject({ status: 'SUCCESS' });
    const temporary = await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password_with_temp_password`);
    expect(temporary.body.tempPassword).toMatch(/^.{30}$/);
    expect(String(temporary.body.tempPassword).match(/[\p{P}\p{S}]/gu)?.length).toBeGreaterThanOrEqual(2);
  });
});

async function userSince(days: number): Promise<string> {
  service.clock.advance(-days * DAY);
  const { profile } = await org.createUser({ credentials: CREDENTIALS });
  service.clock.advance(days * DAY);
  return profile.login;
}

describe('age and history', () => {
  test('a password that is too old has to be changed, one that soon will be is warned of', async () => {
    await changeDefault({ age: { maxAgeDays: 10, expireWarnDays: 3, historyCount: 2 } });
    const asked = { body: { options: { warnBeforePasswordExpired: true } } };
    const [fresh, warned, expired] = [await userSince(1), await userSince(8), await userSince(10)];
    expect((await signIn(org.anonymous, fresh, PASSWORD, asked)).body.status).toBe('SUCCESS');
    expect((await signIn(org.anonymous, warned, PASSWORD, asked)).body).toMatchObject({
      status: 'PASSWORD_WARN',
      _embedded: { policy: { expiration: { passwordExpireDays: 2 } } },
    });
    expect((await signIn(org.anonymous, expired)).body.status).toBe('PASSWORD_EXPIRED');
    await changeDefault({ age: { maxAgeDays: 0 } });
    const { stateToken } = (await signIn(org.anonymous, expired)).body;
    const change = { stateToken, oldPassword: PASSWORD, newPassword: PASSWORD };
    expect(await step(org.anonymous, '/credentials/change_password', change)).toMatchObject({ status: 403 });
    const done = await step(org.anonymous, '/credentials/change_password', {
      ...change,
      newPassword: ANOTHER_PASSWORD,
    });
    expect(done.body).toMatchObject({ status: 'SUCCESS' });
  });

  test('the last passwords are not taken again, as many as the policy says; strict asks for an age', async () => {
    await changeDefault({ age: { historyCount: 2, minAgeMinutes: 60 } });
    service.clock.advance(-61 * 60_000);
    const user = await org.createUser({ credentials: CREDENTIALS });
    const third = 'Third-3-Password';
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
    const strict = await changePassword(org.admin, user.id, ANOTHER_PASSWORD, third, '?strict=true');
    expect(strict).toMatchObject(refusedFor('PASSWORD_AGE_MINIMUM'));
    const again = await changePassword(org.admin, user.id, ANOTHER_PASSWORD, PASSWORD);
    expect(again).toMatchObject(refusedFor('PASSWORD_HISTORY'));
    service.clock.advance(61 * 60_000);
    expect(await changePassword(org.admin, user.id, ANOTHER_PASSWORD, third, '?strict=true')).toMatchObject({
      status: 200,
    });
    expect(await changePassword(org.admin, user.id, third, PASSWORD)).toMatchObject({ status: 200 });
    await changeDefault({ age: { historyCount: 0 } });
    expect(await changePassword(org.admin, user.id, PASSWORD, PASSWORD)).toMatchObject({ status: 200 });
  });
});

describe('lockout', () => {
  const failTimes = async (times: number, login: string): Promise<TestResponse[]> => {
    const answers: TestResponse[] = [];
    for (let time = 0; time < times; time += 1) answers.push(await signIn(org.anonymous, login, WRONG));
    return answers;
  };
  const statusOf = async (id: string): Promise<string> => (await org.admin.get(userPath(id))).body.status;

  test('after as many attempts as the policy says, shown and lifted as it says', async () => {
    await changeDefault({ lockout: { maxAttempts: 3, autoUnlockMinutes: 5, showLockoutFailures: true } });
    const user = await org.createUser({ credentials: CREDENTIALS });
    const { login } = user.profile;
    await failTimes(2, login);
    expect(await statusOf(user.id)).toBe('ACTIVE');
    await failTimes(1, login);
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
    expect(await signIn(org.anonymous, login)).toMatchObject({ status: 200, body: { status: 'LOCKED_OUT' } });
    service.clock.advance(5 * 60_000);
    expect(await signIn(org.anonymous, login)).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    service.clock.advance(-5 * 60_000);
  });

  test('0 locks nobody', async () => {
    await changeDefault({ lockout: { maxAttempts: 0 } });
    const user = await org.createUser({ credentials: CREDENTIALS });
    await failTimes(12, user.profile.login);
    expect(await statusOf(user.id)).toBe('ACTIVE');
  });

  test('the owner gets a mail where the policy says so, once', async () => {
    await changeDefault({ lockout: { maxAttempts: 2, userLockoutNotificationChannels: ['EMAIL'] } });
    const user = await org.createUser({ credentials: CREDENTIALS });
    await failTimes(4, user.profile.login);
    const { rows } = await service.database.pool.query<{ kind: string }>(
      'select kind from mail_outbox where org_id = $1 and user_id = $2',
      [org.id, user.id],
    );
    expect(rows).toEqual([{ kind: 'lockout' }]);
  });
});

describe('names that a password must not contain', () => {
  const named = (firstName: string) => ({ profile: { firstName, lastName: 'Ewing' }, credentials: CREDENTIALS });
  const setWith = async (user: Body, profile: Given, value: string): Promise<TestResponse[]> => {
    const body = { profile, credentials: { password: { value } } };
    const whole = { ...body, profile: { ...user.profile, ...profile } };
    return [await org.admin.post(userPath(user.id), { body }), await org.admin.put(userPath(user.id), { body: whole })];
  };

  test('are those that the same request gives, not those that it replaces', async () => {
    await changeDefault({ complexity: { excludeAttributes: ['firstName', 'lastName'] } });
    const user = await org.createUser(named('Arabella'));
    for (const refused of await setWith(user, { firstName: 'Zebrano' }, 'Zebrano2024')) {
      expect(refused).toMatchObject(refusedFor('FIRST_NAME_EXCLUDED'));
    }
    expect((await org.admin.get(userPath(user.id))).body.profile.firstName).toBe('Arabella');
    for (const answer of await setWith(user, { firstName: 'Zebrano' }, 'Arabella2024')) {
      expect(answer).toMatchObject({ status: 200, body: { profile: { firstName: 'Zebrano' } } });
    }
  });

  test('are those that the request leaves as they are', async () => {
    await changeDefault({ complexity: { excludeAttributes: ['firstName', 'lastName'] } });
    const user = await org.createUser(named('Arabella'));
    for (const refused of await setWith(user, { nickName: 'Bella' }, 'Arabella2024')) {
      expect(refused).toMatchObject(refusedFor('FIRST_NAME_EXCLUDED'));
    }
    expect(await setPassword(user.id, 'Arabella2024')).toMatchObject(refusedFor('FIRST_NAME_EXCLUDED'));
  });
});
