import { afterEach, describe, expect, test, vi } from 'vitest';
import { comparable, newUser, signIn, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, changePassword, lockOut, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

const { service } = useService();
let org: TestOrg;
afterEach(() => vi.restoreAllMocks());

type Body = TestResponse['body'];

function meanwhile(lock: () => Promise<unknown>): void {
  const { passwords } = service.application.users;
  const verify = passwords.verify.bind(passwords);
  vi.spyOn(passwords, 'verify').mockImplementationOnce(async (...given) => {
    const verified = await verify(...given);
    await lock();
    return verified;
  });
}

/** Returns the responses to a right and a wrong guess. Each account is locked just after its guess is verified. */
async function answersTo(
  newOne: () => Promise<Body>,
  lock: (user: Body) => Promise<unknown>,
  guess: (user: Body, password: string) => Promise<TestResponse>,
) {
  const answers = [];
  for (const password of [PASSWORD, WRONG]) {
    org = await service.newOrg();
    const user = await newOne();
    meanwhile(() => lock(user));
    const answer = comparable(await guess(user, password));
    answers.push({ ...answer, state: (await org.admin.get(userPath(user.id))).body.status });
  }
  return answers;
}

const lockByProofs = (user: Body) => lockOut(org.admin, user.id);
async function lockBySignIns(user: Body): Promise<void> {
  for (let time = 0; time < 10; time += 1) await signIn(org.anonymous, user.profile.login, WRONG);
}

describe('a guess that is verified while the lock falls: right and wrong are one answer', () => {
  test.each([
    ['a good new password', ANOTHER_PASSWORD],
    ['a new password that is refused', 'weak'],
    ['a new password that was used before', PASSWORD],
  ])('change_password with %s', async (_, newPassword) => {
    const [right, wrong] = await answersTo(
      () => newUser(org),
      lockByProofs,
      (user, password) => changePassword(org.admin, user.id, password, newPassword),
    );
    expect(right).toMatchObject({ status: 403, body: { errorCode: 'E0000014' }, state: 'LOCKED_OUT' });
    expect(right).toEqual(wrong);
  });

  test('change_recovery_question', async () => {
    const [right, wrong] = await answersTo(
      () => newUser(org),
      lockByProofs,
      (user, value) =>
        org.admin.post(`${userPath(user.id)}/credentials/change_recovery_question`, {
          body: { password: { value }, recovery_question: QUESTION },
        }),
    );
    expect(right).toMatchObject({ status: 403, body: { errorCode: 'E0000014' }, state: 'LOCKED_OUT' });
    expect(right).toEqual(wrong);
  });

  test('signing in', async () => {
    const [right, wrong] = await answersTo(
      () => newUser(org),
      lockBySignIns,
      (user, password) => signIn(org.anonymous, user.profile.login, password),
    );
    expect(right).toMatchObject({ status: 401, body: { errorCode: 'E0000004' }, state: 'LOCKED_OUT' });
    expect(right).toEqual(wrong);
  });

  test.each([ANOTHER_PASSWORD, 'weak', PASSWORD])('changing an expired password to %s', async (newPassword) => {
    const [right, wrong] = await answersTo(
      () => userIn(org, 'PASSWORD_EXPIRED'),
      lockBySignIns,
      async (user, oldPassword) => {
        vi.restoreAllMocks();
        const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
        meanwhile(() => lockBySignIns(user));
        return step(org.anonymous, '/credentials/change_password', { stateToken, oldPassword, newPassword });
      },
    );
    expect(right).toMatchObject({ status: 403, body: { errorCode: 'E0000014' }, state: 'PASSWORD_EXPIRED' });
    expect(right).toEqual(wrong);
  });
});

test('a password that was changed while the old one is verified lets nobody in', async () => {
  org = await service.newOrg();
  const user = await newUser(org);
  meanwhile(() => changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD));
  expect((await signIn(org.anonymous, user.profile.login)).status).toBe(401);
  expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).status).toBe(200);
});

test('a user who is suspended, or deleted, while the password is verified does not come in', async () => {
  org = await service.newOrg();
  const suspended = await newUser(org);
  meanwhile(() => org.admin.post(`${userPath(suspended.id)}/lifecycle/suspend`));
  expect((await signIn(org.anonymous, suspended.profile.login)).status).toBe(401);
  const deleted = await newUser(org);
  meanwhile(async () => {
    await org.admin.del(userPath(deleted.id));
    await org.admin.del(userPath(deleted.id));
  });
  expect((await signIn(org.anonymous, deleted.profile.login)).status).toBe(401);
});

test('every sign-in verifies once against a hash of the same cost, whoever it is for', async () => {
  org = await service.newOrg();
  const users = [
    (await newUser(org)).profile.login,
    (await userIn(org, 'LOCKED_OUT')).profile.login,
    (await userIn(org, 'SUSPENDED')).profile.login,
    (await userIn(org, 'PROVISIONED')).profile.login,
    'nobody@example.com',
  ];
  const costs: (string | undefined)[] = [];
  const { passwords } = service.application.users;
  const verify = passwords.verify.bind(passwords);
  vi.spyOn(passwords, 'verify').mockImplementation((stored, ...rest) => {
    costs.push('encoded' in stored ? stored.encoded.split('$').slice(1, 4).join('$') : 'other');
    return verify(stored, ...rest);
  });
  for (const login of users) await signIn(org.anonymous, login, WRONG);
  expect(costs).toHaveLength(users.length);
  expect(new Set(costs).size).toBe(1);
});
