import { describe, expect, test } from 'vitest';
import { signIn } from '../support/authn.ts';
import { defaultPolicyPath, listRules } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  ATTEMPTS_TO_LOCKOUT,
  CREDENTIALS,
  eventsOf,
  PASSWORD,
  QUESTION,
  USER_STATUSES,
  userIn,
  userPath,
} from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const WRONG = { status: 403, body: { errorCode: 'E0000087' } };
const NOT_ALLOWED = { status: 403, body: { errorCode: 'E0000034' } };
const path = (id: string): string => `${userPath(id)}/credentials/forgot_password_recovery_question`;
const recover = (id: string, password: string = ANOTHER_PASSWORD, answer: string = QUESTION.answer, of = org) =>
  of.admin.post(path(id), { body: { password: { value: password }, recovery_question: { answer } } });
const read = async (id: string) => (await org.admin.get(userPath(id))).body;
const newUser = () => org.createUser({ credentials: CREDENTIALS });

describe('a new password for the answer to the recovery question', () => {
  test('is in force at once, the old one no longer, and the credentials are told', async () => {
    const user = await newUser();
    service.clock.advance(2_000);
    const recovered = await recover(user.id, ANOTHER_PASSWORD, `  ${QUESTION.answer.toUpperCase()} `);
    expect(recovered).toMatchObject({ status: 200 });
    expect(recovered.body).toEqual(user.credentials);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 401 });
    expect(await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
    expect(Date.parse((await read(user.id)).passwordChanged)).toBeGreaterThan(Date.parse(user.passwordChanged));
    expect(await eventsOf(org, recovered)).toMatchObject([
      { eventType: 'user.account.update_password', target: [{ id: user.id }] },
    ]);
  });

  test('a wrong answer: 403 E0000087, logged, and nothing told of the password', async () => {
    const user = await newUser();
    const refused = await recover(user.id, 'short', 'nonsense');
    expect(refused).toMatchObject(WRONG);
    expect(await eventsOf(org, refused)).toMatchObject([
      { eventType: 'user.account.reset_password', outcome: { result: 'FAILURE', reason: 'INVALID_ANSWER' } },
    ]);
    expect(await read(user.id)).toEqual(user);
  });

  test('wrong answers lock, also when they are given at once, and then the right one is of no use', async () => {
    const user = await newUser();
    const guesses = Array.from({ length: ATTEMPTS_TO_LOCKOUT + 5 }, () => recover(user.id, ANOTHER_PASSWORD, 'guess'));
    const answers = await Promise.all(guesses);
    expect(answers.every(({ status }) => status === 403)).toBe(true);
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
    expect(await recover(user.id)).toMatchObject(NOT_ALLOWED);
  });

  test('two at once: one of them is in force', async () => {
    const user = await newUser();
    const passwords = ['Recovered-1-Once', 'Recovered-2-Once'];
    const answers = await Promise.all(passwords.map((password) => recover(user.id, password)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const kept = passwords[answers.findIndex(({ status }) => status === 200)];
    expect(await signIn(org.anonymous, user.profile.login, kept)).toMatchObject({ status: 200 });
  });
});

describe('refused', () => {
  test.each([
    ['too short', 'short', 'LENGTH_MINIMUM'],
    ['used before', PASSWORD, 'PASSWORD_HISTORY'],
  ])('a password that is %s', async (_, password, reason) => {
    const user = await newUser();
    const refused = await recover(user.id, password);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses[0]).toMatchObject({ reason });
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });

  test.each([
    {},
    { password: { value: ANOTHER_PASSWORD } },
    { recovery_question: { answer: QUESTION.answer } },
    { password: { value: ANOTHER_PASSWORD }, recovery_question: { question: QUESTION.question } },
    { password: {}, recovery_question: { answer: QUESTION.answer } },
    { password: { value: ANOTHER_PASSWORD }, recovery_question: { answer: '' } },
    { password: { value: ANOTHER_PASSWORD }, recovery_question: { answer: 'a'.repeat(101) } },
  ])('the body %j', async (body) => {
    const user = await newUser();
    expect(await org.admin.post(path(user.id), { body })).toMatchObject({ status: 400 });
  });

  test.each(USER_STATUSES.filter((status) => status !== 'ACTIVE'))('a user who is %s', async (status) => {
    const user = await userIn(org, status);
    expect(await recover(user.id)).toMatchObject(NOT_ALLOWED);
    expect((await read(user.id)).status).toBe(status);
  });

  test('a user without a question', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    expect(await recover(user.id)).toMatchObject(NOT_ALLOWED);
  });

  test('where the password policy has it that users do not reset their own', async () => {
    const own = await service.newOrg();
    const policy = await defaultPolicyPath(own, 'PASSWORD');
    const [rule] = await listRules(own, policy);
    const actions = {
      passwordChange: { access: 'ALLOW' },
      selfServicePasswordReset: { access: 'DENY' },
      selfServiceUnlock: { access: 'DENY' },
    };
    await own.admin.put(`${policy}/rules/${rule?.id}`, { body: { ...rule, actions } });
    const user = await own.createUser({ credentials: CREDENTIALS });
    expect(user._links).not.toHaveProperty('forgotPassword');
    expect(user._links).toHaveProperty('changeRecoveryQuestion');
    const asked = await own.admin.post(`${userPath(user.id)}/credentials/forgot_password?sendEmail=false`);
    expect(asked).toMatchObject(NOT_ALLOWED);
    expect(await recover(user.id, ANOTHER_PASSWORD, QUESTION.answer, own)).toMatchObject(NOT_ALLOWED);
  });

  test('who may not set passwords, and ids of another org', async () => {
    const user = await newUser();
    const body = { password: { value: ANOTHER_PASSWORD }, recovery_question: { answer: QUESTION.answer } };
    const helper = await org.withRoles('HELP_DESK_ADMIN');
    expect(await helper.post(path(user.id), { body })).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    const admin = await org.withRoles('USER_ADMIN');
    expect(await admin.post(path(org.adminUserId), { body })).toMatchObject({ status: 403 });
    const other = await service.newOrg();
    expect(await recover(user.id, ANOTHER_PASSWORD, QUESTION.answer, other)).toMatchObject({ status: 404 });
  });

  test('a version that is none any more', async () => {
    const user = await newUser();
    const body = { password: { value: ANOTHER_PASSWORD }, recovery_question: { answer: QUESTION.answer } };
    const { headers } = await org.admin.get(userPath(user.id));
    await org.admin.post(userPath(user.id), { body: { profile: { nickName: 'changed' } } });
    const stale = { body, headers: { 'if-match': String(headers['etag']) } };
    expect(await org.admin.post(path(user.id), stale)).toMatchObject({
      status: 412,
      body: { errorCode: 'E0000231' },
    });
  });
});
