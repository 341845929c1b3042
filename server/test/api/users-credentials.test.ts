import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  ATTEMPTS_TO_LOCKOUT,
  CREDENTIALS,
  changePassword,
  eventsOf,
  PASSWORD,
  QUESTION,
  userPath,
} from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const WRONG = 'Wrong-0-Password';
const passwordNumber = (number: number): string => `Password-${number}`;
const read = async (id: string) => (await org.admin.get(userPath(id))).body;
const attemptsOf = async (id: string): Promise<number> => {
  const text = 'select failed_attempts as attempts from user_sign_in where org_id = $1 and user_id = $2';
  return (await service.database.pool.query(text, [org.id, id])).rows[0].attempts;
};
const logged = (id: string, eventType: string) => org.systemLog(`target.id eq "${id}" and eventType eq "${eventType}"`);

describe('change_password', () => {
  test('answers the credentials alone; the new password is in force and the old one is not', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    service.clock.advance(2_000);
    const changed = await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD);
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.body).toEqual(user.credentials);
    expect(Date.parse((await read(user.id)).passwordChanged)).toBeGreaterThan(Date.parse(user.passwordChanged));
    expect(await eventsOf(org, changed)).toMatchObject([
      {
        eventType: 'user.account.update_password',
        outcome: { result: 'SUCCESS' },
        target: [{ id: user.id, alternateId: user.profile.login }],
      },
    ]);
    expect(await changePassword(org.admin, user.id, PASSWORD, passwordNumber(1))).toMatchObject({ status: 403 });
  });

  test('a wrong old password: 403 E0000014, logged as a failure, nothing changed', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const refused = await changePassword(org.admin, user.id, WRONG, ANOTHER_PASSWORD);
    expect(refused).toMatchObject({
      status: 403,
      body: {
        errorCode: 'E0000014',
        errorSummary: 'Update of credentials failed',
        errorCauses: [{ errorSummary: expect.stringMatching(/^oldPassword: /) }],
      },
    });
    expect(await eventsOf(org, refused)).toMatchObject([
      { eventType: 'user.account.update_password', outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' } },
    ]);
    expect(await read(user.id)).toEqual(user);
    expect(await attemptsOf(user.id)).toBe(1);
  });

  test('wrong and not acceptable: the old password is judged first, and the new one told nothing about', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    expect(await changePassword(org.admin, user.id, WRONG, 'short')).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000014' },
    });
    expect(await changePassword(org.admin, user.id, PASSWORD, 'short')).toMatchObject({
      status: 400,
      body: {
        errorCode: 'E0000001',
        errorCauses: [{ reason: 'LENGTH_MINIMUM' }, { reason: 'UPPER_CASE_REQUIRED' }, { reason: 'NUMBER_REQUIRED' }],
      },
    });
  });

  test.each([
    [{}, 400],
    [{ oldPassword: { value: PASSWORD } }, 400],
    [{ oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD }, 400],
    [{ oldPassword: { value: '' }, newPassword: { value: ANOTHER_PASSWORD } }, 403],
    [{ oldPassword: { value: 'a'.repeat(60_000) }, newPassword: { value: ANOTHER_PASSWORD } }, 403],
  ])('%j: %d', async (body, status) => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const refused = await org.admin.post(`${userPath(user.id)}/credentials/change_password`, { body });
    expect(refused.status).toBe(status);
  });

  test('the last four are remembered, the one given at creation among them', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    let current = PASSWORD;
    const changeTo = async (password: string): Promise<number> => {
      const { body, status } = await changePassword(org.admin, user.id, current, password);
      if (status === 200) current = password;
      else
        expect(body.errorCauses).toMatchObject([
          { reason: 'PASSWORD_HISTORY', location: 'credentials.password.value' },
        ]);
      return status;
    };
    expect(await changeTo(PASSWORD)).toBe(400);
    for (const number of [1, 2, 3]) {
      expect(await changeTo(passwordNumber(number))).toBe(200);
      expect(await changeTo(PASSWORD)).toBe(400);
    }
    expect(await changeTo(passwordNumber(4))).toBe(200);
    for (const number of [1, 2, 3, 4]) expect(await changeTo(passwordNumber(number))).toBe(400);
    expect(await changeTo(PASSWORD)).toBe(200);
    const text = 'select count(*)::integer as kept from user_password_history where org_id = $1 and user_id = $2';
    expect((await service.database.pool.query(text, [org.id, user.id])).rows).toEqual([{ kept: 4 }]);
  });

  test('of 10 at once with one old password one wins', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => changePassword(org.admin, user.id, PASSWORD, passwordNumber(number))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 403, 409]).toContain(status);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await changePassword(org.admin, user.id, passwordNumber(winner), ANOTHER_PASSWORD)).toMatchObject({
      status: 200,
    });
  });

  test('strict is a flag', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const strict = (value: string) =>
      changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD, `?strict=${value}`);
    expect(await strict('sometimes')).toMatchObject({ status: 400, body: { errorCode: 'E0000037' } });
    expect(await strict('true')).toMatchObject({ status: 200 });
  });
});

describe('lockout', () => {
  test('the tenth wrong password in a row locks; the right one no longer helps; unlock does', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    for (let attempt = 1; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) {
      await changePassword(org.admin, user.id, WRONG, ANOTHER_PASSWORD);
    }
    expect((await read(user.id)).status).toBe('ACTIVE');
    const last = await changePassword(org.admin, user.id, WRONG, ANOTHER_PASSWORD);
    expect(last).toMatchObject({ status: 403, body: { errorCode: 'E0000014' } });
    expect((await eventsOf(org, last)).map(({ eventType }) => eventType)).toEqual([
      'user.account.update_password',
      'user.account.lock',
    ]);
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
    for (const password of [PASSWORD, WRONG]) {
      expect(await changePassword(org.admin, user.id, password, ANOTHER_PASSWORD)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000035' },
      });
    }
    expect(await org.admin.post(`${userPath(user.id)}/lifecycle/unlock`)).toMatchObject({ status: 200, body: {} });
    expect(await attemptsOf(user.id)).toBe(0);
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
  });

  test('a right one begins the count anew', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    for (let attempt = 1; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) {
      await changePassword(org.admin, user.id, WRONG, ANOTHER_PASSWORD);
    }
    await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD);
    expect(await attemptsOf(user.id)).toBe(0);
    await changePassword(org.admin, user.id, WRONG, passwordNumber(1));
    expect((await read(user.id)).status).toBe('ACTIVE');
  });

  test('40 wrong ones at once lock once, and none is lost from the count before', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => changePassword(org.admin, user.id, WRONG, ANOTHER_PASSWORD)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
    expect(await logged(user.id, 'user.account.lock')).toHaveLength(1);
    const failures = answers.filter(({ body }) => body.errorCode === 'E0000014');
    expect(await logged(user.id, 'user.account.update_password')).toHaveLength(failures.length);
  });

  test('wrong proofs for the recovery question count as well', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const body = { password: { value: WRONG }, recovery_question: QUESTION };
    for (let attempt = 0; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) {
      await org.admin.post(`${userPath(user.id)}/credentials/change_recovery_question`, { body });
    }
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
  });
});

describe('change_recovery_question', () => {
  const change = (id: string, password: string, question: unknown) =>
    org.admin.post(`${userPath(id)}/credentials/change_recovery_question`, {
      body: { password: { value: password }, recovery_question: question },
    });

  test('answers the credentials; a first question may be set', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    expect(user._links).toHaveProperty('changeRecoveryQuestion');
    expect(user._links).not.toHaveProperty('forgotPassword');
    const changed = await change(user.id, PASSWORD, QUESTION);
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.body).toEqual({ ...user.credentials, recovery_question: { question: QUESTION.question } });
    expect(await eventsOf(org, changed)).toMatchObject([
      { eventType: 'user.account.update_profile', target: [{ changeDetails: { to: { recoveryQuestion: '(set)' } } }] },
    ]);
    expect((await read(user.id))._links).toHaveProperty('forgotPassword');
  });

  test('a wrong password: 403 E0000014 and the old question stays', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    expect(await change(user.id, WRONG, { question: 'Another?', answer: 'another' })).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000014', errorCauses: [{ errorSummary: expect.stringMatching(/^password: /) }] },
    });
    expect(await read(user.id)).toEqual(user);
    expect(await attemptsOf(user.id)).toBe(1);
  });

  test.each([
    {},
    { question: 'Another?' },
    { question: '', answer: 'another' },
    { question: 'Another?', answer: 'abc' },
    { question: 'a'.repeat(101), answer: 'another' },
    { question: 'Another?', answer: 'a'.repeat(101) },
    { question: 'Another?', answer: ' '.repeat(50) },
  ])('%j is refused', async (question) => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    expect(await change(user.id, PASSWORD, question)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await read(user.id)).toEqual(user);
  });
});
