import { describe, expect, test } from 'vitest';
import {
  AUTHN,
  comparable,
  handOut,
  INVALID_TOKEN,
  mailTo,
  newUser,
  REFUSED,
  signIn,
  signInFrom,
  step,
  WRONG,
} from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

type Body = TestResponse['body'];
const MINUTE = 60_000;
const EMAIL = { factorType: 'EMAIL' };

const read = async (id: string): Promise<Body> => (await org.admin.get(userPath(id))).body;
const typesOf = (events: Body[]): string[] => events.map(({ eventType }) => eventType);
const withoutQuestion = (): Promise<Body> => org.createUser({ credentials: { password: { value: PASSWORD } } });

const redeem = (recoveryToken: string, client = org.anonymous) => step(client, '/recovery/token', { recoveryToken });
const reset = (stateToken: string, newPassword = ANOTHER_PASSWORD) =>
  step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword });
const answer = (stateToken: string, text: string) =>
  step(org.anonymous, '/recovery/answer', { stateToken, answer: text });

describe('a recovery token', () => {
  test('with a question: RECOVERY, the answer leads to PASSWORD_RESET, a new password signs in', async () => {
    const user = await newUser(org);
    await step(org.anonymous, '/recovery/password', { username: user.profile.login, ...EMAIL });
    const { token } = await mailTo(service, org, user);
    const asked = await redeem(token);
    expect(asked.body).toMatchObject({
      status: 'RECOVERY',
      recoveryType: 'PASSWORD',
      _embedded: { user: { id: user.id, recovery_question: { question: QUESTION.question } } },
      _links: { next: { name: 'answer', href: `${org.baseUrl}${AUTHN}/recovery/answer` }, cancel: {} },
    });
    expect(JSON.stringify(asked.body)).not.toContain(QUESTION.answer);
    const { stateToken } = asked.body;
    const answered = await answer(stateToken, `  ${QUESTION.answer.toUpperCase()} `);
    expect(answered.body).toMatchObject({
      stateToken,
      status: 'PASSWORD_RESET',
      recoveryType: 'PASSWORD',
      _embedded: { policy: { complexity: { minLength: 8 } } },
      _links: {
        next: { name: 'resetPassword', href: `${org.baseUrl}${AUTHN}/credentials/reset_password` },
        cancel: {},
      },
    });
    expect(Object.keys(answered.body._links)).toEqual(['next', 'cancel']);
    const done = await reset(stateToken);
    expect(done).toMatchObject({ status: 200, body: { status: 'SUCCESS', sessionToken: expect.any(String) } });
    expect(typesOf(await eventsOf(org, done))).toEqual([
      'user.account.update_password',
      'policy.evaluate_sign_on',
      'user.session.start',
    ]);
    expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).status).toBe(200);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject(REFUSED);
    expect(await reset(stateToken, 'Yet-3-Another')).toMatchObject(INVALID_TOKEN);
  });

  test.each(['ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT'] as const)('%s becomes ACTIVE', async (status) => {
    const user = await userIn(org, status);
    const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
    await answer(stateToken, QUESTION.answer);
    expect((await reset(stateToken)).body.status).toBe('SUCCESS');
    expect((await read(user.id)).status).toBe('ACTIVE');
    expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).status).toBe(200);
  });

  test('the token of an administrator’s reset leads on as well', async () => {
    const user = await withoutQuestion();
    const path = `${userPath(user.id)}/lifecycle/reset_password?sendEmail=false`;
    const { resetPasswordUrl } = (await org.admin.post(path)).body;
    const { body } = await redeem(resetPasswordUrl.slice(-20));
    expect(body.status).toBe('PASSWORD_RESET');
    expect((await reset(body.stateToken)).body.status).toBe('SUCCESS');
  });

  test('is opened again until the new password is there: of 20 at once one recovery stands', async () => {
    const user = await withoutQuestion();
    const token = await handOut(org, 'password', user);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const resets = await Promise.all(answers.map(({ body }) => reset(body.stateToken)));
    expect(resets.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(resets.find(({ status }) => status !== 200)).toMatchObject(INVALID_TOKEN);
    const refused = await redeem(token);
    expect(refused).toMatchObject(INVALID_TOKEN);
    const events = await eventsOf(org, refused ?? ({} as TestResponse));
    expect(events).toMatchObject([{ eventType: 'user.account.use_token', outcome: { result: 'FAILURE' } }]);
  });

  test('lives an hour; is void after another token, another password, a suspension, at another org', async () => {
    const late = await newUser(org);
    const lateToken = await handOut(org, 'password', late);
    service.clock.advance(60 * MINUTE + 1_000);
    expect(await redeem(lateToken)).toMatchObject(INVALID_TOKEN);
    const twice = await newUser(org);
    const first = await handOut(org, 'password', twice);
    const second = await handOut(org, 'password', twice);
    expect(await redeem(first)).toMatchObject(INVALID_TOKEN);
    expect(await redeem(second, (await service.newOrg()).anonymous)).toMatchObject(INVALID_TOKEN);
    await org.admin.post(userPath(twice.id), { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } });
    expect(await redeem(second)).toMatchObject(INVALID_TOKEN);
    const suspended = await newUser(org);
    const token = await handOut(org, 'password', suspended);
    await org.admin.post(`${userPath(suspended.id)}/lifecycle/suspend`);
    expect(await redeem(token)).toMatchObject(INVALID_TOKEN);
  });

  test('unknown, used and expired ones answer alike; an activation token is none', async () => {
    const user = await newUser(org);
    const token = await handOut(org, 'password', user);
    const { stateToken } = (await redeem(token)).body;
    await answer(stateToken, QUESTION.answer);
    expect((await reset(stateToken)).body.status).toBe('SUCCESS');
    const used = comparable(await redeem(token));
    expect(comparable(await redeem('x'.repeat(20)))).toEqual(used);
    const provisioned = await org.createUser();
    const activation = (await org.admin.post(`${userPath(provisioned.id)}/lifecycle/reactivate`)).body.activationToken;
    expect(comparable(await redeem(activation))).toEqual(used);
    expect(await step(org.anonymous, '', { token: await handOut(org, 'password', user) })).toMatchObject(INVALID_TOKEN);
  });

  test('the last step takes no other way in: no token, no password', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
    expect(await reset(stateToken)).toMatchObject({ status: 403, body: { errorCode: 'E0000079' } });
    const asked = (await redeem(await handOut(org, 'password', await newUser(org)))).body;
    expect(await reset(asked.stateToken)).toMatchObject({ status: 403, body: { errorCode: 'E0000079' } });
    const handed = await handOut(org, 'password', user);
    expect(await reset(handed)).toMatchObject(INVALID_TOKEN);
  });

  test('a refused password leaves the recovery as it is', async () => {
    const user = await withoutQuestion();
    const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
    for (const password of ['short', PASSWORD, 'x'.repeat(60_000)]) {
      expect(await reset(stateToken, password)).toMatchObject({ status: 403, body: { errorCode: 'E0000080' } });
    }
    expect((await reset(stateToken)).body.status).toBe('SUCCESS');
  });
});

describe('unlock', () => {
  test('by mail, with the answer: unlocked, and the password stays', async () => {
    const user = await userIn(org, 'LOCKED_OUT');
    await step(org.anonymous, '/recovery/unlock', { username: user.profile.login, ...EMAIL });
    const { kind, token, url } = await mailTo(service, org, user);
    expect(kind).toBe('unlock');
    expect(url.startsWith(`https://localhost:${service.port}/signin/unlock/`)).toBe(true);
    const { body } = await redeem(token);
    expect(body).toMatchObject({ status: 'RECOVERY', recoveryType: 'UNLOCK' });
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
    expect(await answer(body.stateToken, 'wrong')).toMatchObject({ status: 403, body: { errorCode: 'E0000087' } });
    const unlocked = await answer(body.stateToken, QUESTION.answer);
    expect(unlocked).toMatchObject({ status: 200, body: { status: 'SUCCESS', recoveryType: 'UNLOCK' } });
    expect(unlocked.body.sessionToken).toBeUndefined();
    expect(await eventsOf(org, unlocked)).toMatchObject([
      { eventType: 'user.account.unlock', actor: { id: user.id }, target: [{ id: user.id }] },
    ]);
    expect((await read(user.id)).status).toBe('ACTIVE');
    expect((await signIn(org.anonymous, user.profile.login)).status).toBe(200);
    expect(await answer(body.stateToken, QUESTION.answer)).toMatchObject(INVALID_TOKEN);
  });

  test('without a question the token is enough; it never resets a password', async () => {
    const user = await withoutQuestion();
    for (let time = 0; time < 10; time += 1) await signIn(org.anonymous, user.profile.login, WRONG);
    const token = await handOut(org, 'unlock', user);
    expect(await redeem(token)).toMatchObject({ status: 200, body: { status: 'SUCCESS', recoveryType: 'UNLOCK' } });
    expect((await signIn(org.anonymous, user.profile.login)).status).toBe(200);
    expect(await redeem(token)).toMatchObject(INVALID_TOKEN);
  });

  test('is void once an administrator has unlocked', async () => {
    const user = await userIn(org, 'LOCKED_OUT');
    const token = await handOut(org, 'unlock', user);
    await org.admin.post(`${userPath(user.id)}/lifecycle/unlock`);
    expect(await redeem(token)).toMatchObject(INVALID_TOKEN);
  });
});

describe('an activation token', () => {
  const provisioned = async () => {
    const user = await org.createUser();
    const path = `${userPath(user.id)}/lifecycle/reactivate?sendEmail=false`;
    return { user, token: (await org.admin.post(path)).body.activationToken as string };
  };
  const activate = (token: string, client = org.anonymous) => step(client, '', { token, relayState: 'r' });

  test('leads to a first password, and in', async () => {
    const { token, user } = await provisioned();
    const { body, status } = await activate(token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'PASSWORD_RESET', relayState: 'r', _embedded: { user: { id: user.id } } });
    expect(body.recoveryType).toBeUndefined();
    expect((await read(user.id)).status).toBe('PROVISIONED');
    const done = await reset(body.stateToken, PASSWORD);
    expect(done.body).toMatchObject({ status: 'SUCCESS', relayState: 'r' });
    expect(await read(user.id)).toMatchObject({ status: 'ACTIVE', credentials: { password: {} } });
    expect((await signIn(org.anonymous, user.profile.login)).status).toBe(200);
    expect(await activate(token)).toMatchObject(INVALID_TOKEN);
  });

  test('works until the password is set, for a week, at its org', async () => {
    const { token } = await provisioned();
    expect(await activate(token, (await service.newOrg()).anonymous)).toMatchObject(INVALID_TOKEN);
    expect((await activate(token)).status).toBe(200);
    const { stateToken } = (await activate(token)).body;
    expect((await reset(stateToken)).body.status).toBe('SUCCESS');
    expect(await activate(token)).toMatchObject(INVALID_TOKEN);
    const late = await provisioned();
    service.clock.advance(7 * 24 * 60 * MINUTE + 1_000);
    expect(await activate(late.token)).toMatchObject(INVALID_TOKEN);
  });

  test('renewed in recovery it is a recovery token: an hour, no longer', async () => {
    const renewed = async () => {
      const user = await userIn(org, 'RECOVERY');
      const { activationToken } = (await org.admin.post(`${userPath(user.id)}/lifecycle/reactivate`)).body;
      return { user, token: activationToken as string };
    };
    const { token, user } = await renewed();
    const { body } = await activate(token);
    expect((await reset(body.stateToken)).body.status).toBe('SUCCESS');
    expect((await read(user.id)).status).toBe('ACTIVE');
    const late = await renewed();
    service.clock.advance(61 * MINUTE);
    expect(await activate(late.token)).toMatchObject(INVALID_TOKEN);
  });

  test('is void once the user is suspended, or was given a password', async () => {
    const suspended = await provisioned();
    await org.admin.post(`${userPath(suspended.user.id)}/lifecycle/suspend`);
    expect(await activate(suspended.token)).toMatchObject(INVALID_TOKEN);
    const given = await provisioned();
    await org.admin.post(userPath(given.user.id), { body: { credentials: { password: { value: PASSWORD } } } });
    expect(await activate(given.token)).toMatchObject(INVALID_TOKEN);
  });
});

test('a new password lets strangers’ devices try again', async () => {
  const user = await withoutQuestion();
  const { login } = user.profile;
  await signInFrom(org.anonymous, 'laptop', login);
  for (let time = 0; time < 10; time += 1) await signInFrom(org.anonymous, 'strange', login, WRONG);
  expect(await signInFrom(org.anonymous, 'strange', login)).toMatchObject(REFUSED);
  const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
  expect((await reset(stateToken)).status).toBe(200);
  expect(await signInFrom(org.anonymous, 'new', login, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
});
