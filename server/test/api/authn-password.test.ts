import { afterEach, describe, expect, test, vi } from 'vitest';
import { AUTHN, INVALID_TOKEN, newUser, policyWith, REFUSED, signIn, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, PASSWORD, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });
afterEach(() => vi.restoreAllMocks());

type Body = TestResponse['body'];
const DAY = 24 * 60 * 60_000;

const read = async (id: string): Promise<Body> => (await org.admin.get(userPath(id))).body;
const agedPolicy = (age: object) =>
  vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policyWith({ age }));
const change = (stateToken: string, oldPassword: string, newPassword: string) =>
  step(org.anonymous, '/credentials/change_password', { stateToken, oldPassword, newPassword });
const typesOf = (events: Body[]): string[] => events.map(({ eventType }) => eventType);

/** Creates a user this many days in the past. Afterwards, the clock is back in the present. */
async function userAged(days: number): Promise<Body> {
  service.clock.advance(-days * DAY);
  const user = await newUser(org);
  service.clock.advance(days * DAY);
  return user;
}

async function expired(): Promise<{ user: Body; body: Body }> {
  const user = await userIn(org, 'PASSWORD_EXPIRED');
  const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { relayState: 'r' } });
  return { user, body };
}

async function warned(): Promise<{ user: Body; body: Body }> {
  agedPolicy({ maxAgeDays: 10, expireWarnDays: 3 });
  const user = await userAged(8);
  const options = { warnBeforePasswordExpired: true };
  const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { options, relayState: 'r' } });
  return { user, body };
}

const link = (path: string, name?: string) => ({
  ...(name === undefined ? {} : { name }),
  href: `${org.baseUrl}${AUTHN}${path}`,
  hints: { allow: ['POST'] },
});
const cancel = () => link('/cancel');
const complexity = {
  minLength: 8,
  minLowerCase: 1,
  minUpperCase: 1,
  minNumber: 1,
  minSymbol: 0,
  excludeUsername: true,
};

describe('PASSWORD_EXPIRED', () => {
  test('the right password leads to it: a state token, the rules, and where to go', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const answer = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { relayState: 'r' } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      stateToken: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      expiresAt: expect.any(String),
      status: 'PASSWORD_EXPIRED',
      relayState: 'r',
      _embedded: { user: expect.objectContaining({ id: user.id }), policy: { complexity } },
      _links: { next: link('/credentials/change_password', 'changePassword'), cancel: cancel() },
    });
    expect(typesOf(await eventsOf(org, answer))).toEqual(['policy.evaluate_sign_on', 'user.authentication.auth']);
    expect((await read(user.id)).lastLogin).toBeNull();
    const { rows } = await service.database.pool.query('select * from authentication_transactions where user_id = $1', [
      user.id,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(answer.body.stateToken);
  });

  test('a wrong one does not', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    expect(await signIn(org.anonymous, user.profile.login, WRONG)).toMatchObject(REFUSED);
  });

  test('changing it signs in: ACTIVE, the old password is gone, the token is used up', async () => {
    const { body, user } = await expired();
    const answer = await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'SUCCESS', sessionToken: expect.any(String), relayState: 'r' },
    });
    expect(typesOf(await eventsOf(org, answer))).toEqual([
      'user.account.update_password',
      'policy.evaluate_sign_on',
      'user.session.start',
    ]);
    for (const event of await eventsOf(org, answer)) expect(event.actor.id).toBe(user.id);
    const after = await read(user.id);
    expect(after.status).toBe('ACTIVE');
    expect(after.lastLogin).not.toBeNull();
    expect(answer.body._embedded.user.passwordChanged).toBe(after.passwordChanged);
    const { sessionToken } = answer.body;
    expect(await org.anonymous.post('/api/v1/sessions', { body: { sessionToken } })).toMatchObject({ status: 200 });
    expect(await change(body.stateToken, ANOTHER_PASSWORD, PASSWORD)).toMatchObject(INVALID_TOKEN);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject(REFUSED);
    expect(await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
  });

  test('a wrong old password: 403 E0000014, logged, and the token goes on; the fifth ends it', async () => {
    const { body, user } = await expired();
    for (let time = 0; time < 4; time += 1) {
      const answer = await change(body.stateToken, WRONG, ANOTHER_PASSWORD);
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0000014' } });
      expect(await eventsOf(org, answer)).toMatchObject([
        { eventType: 'user.account.update_password', outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' } },
      ]);
    }
    expect((await step(org.anonymous, '', { stateToken: body.stateToken })).status).toBe(200);
    await change(body.stateToken, WRONG, ANOTHER_PASSWORD);
    expect(await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD)).toMatchObject(INVALID_TOKEN);
    expect((await read(user.id)).status).toBe('PASSWORD_EXPIRED');
  });

  test('wrong ones count with those of sign-ins; at the limit the right one answers as they do', async () => {
    vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(
      policyWith({ lockout: { maxAttempts: 3 } }),
    );
    const { body, user } = await expired();
    const wrong = await change(body.stateToken, WRONG, ANOTHER_PASSWORD);
    await signIn(org.anonymous, user.profile.login, WRONG);
    await signIn(org.anonymous, user.profile.login, WRONG);
    const right = await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD);
    expect({ ...right.body, errorId: '' }).toEqual({ ...wrong.body, errorId: '' });
    expect((await read(user.id)).status).toBe('PASSWORD_EXPIRED');
  });

  test('20 at once with the right password: one changes it', async () => {
    const { body, user } = await expired();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => change(body.stateToken, PASSWORD, ANOTHER_PASSWORD)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(INVALID_TOKEN);
    const changes = await org.systemLog(
      `target.id eq "${user.id}" and eventType eq "user.account.update_password" and outcome.result eq "SUCCESS"`,
    );
    expect(changes).toHaveLength(1);
  });

  test.each([
    ['short', ['LENGTH_MINIMUM', 'UPPER_CASE_REQUIRED', 'NUMBER_REQUIRED']],
    ['x'.repeat(73), ['LENGTH_MAXIMUM']],
    [PASSWORD, ['PASSWORD_HISTORY']],
    ['', ['LENGTH_MINIMUM', 'LOWER_CASE_REQUIRED', 'UPPER_CASE_REQUIRED', 'NUMBER_REQUIRED']],
  ])('the new password %j: 403 E0000080 with a cause per rule; the token goes on', async (password, reasons) => {
    const { body } = await expired();
    const answer = await change(body.stateToken, PASSWORD, password);
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0000080' } });
    expect(answer.body.errorCauses.map(({ reason }: Body) => reason)).toEqual(reasons);
    expect((await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD)).status).toBe(200);
  });

  test('a temporary password leads here too', async () => {
    const user = await newUser(org);
    const temporary = await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password_with_temp_password`);
    const { body } = await signIn(org.anonymous, user.profile.login, temporary.body.tempPassword);
    expect(body.status).toBe('PASSWORD_EXPIRED');
    const answer = await change(body.stateToken, temporary.body.tempPassword, ANOTHER_PASSWORD);
    expect(answer.body.status).toBe('SUCCESS');
  });
});

describe('the age of a password', () => {
  test('too old: PASSWORD_EXPIRED from now on, evaluated at the sign-in', async () => {
    agedPolicy({ maxAgeDays: 10 });
    const younger = await userAged(9);
    expect((await signIn(org.anonymous, younger.profile.login)).body.status).toBe('SUCCESS');
    const user = await userAged(10);
    expect((await read(user.id)).status).toBe('ACTIVE');
    expect(await signIn(org.anonymous, user.profile.login, WRONG)).toMatchObject(REFUSED);
    expect((await read(user.id)).status).toBe('ACTIVE');
    const answer = await signIn(org.anonymous, user.profile.login);
    expect(answer.body.status).toBe('PASSWORD_EXPIRED');
    expect((await read(user.id)).status).toBe('PASSWORD_EXPIRED');
    expect(typesOf(await eventsOf(org, answer))).toEqual([
      'user.account.expire_password',
      'policy.evaluate_sign_on',
      'user.authentication.auth',
    ]);
    expect((await change(answer.body.stateToken, PASSWORD, ANOTHER_PASSWORD)).body.status).toBe('SUCCESS');
    expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).body.status).toBe('SUCCESS');
  });

  test('nearly too old: PASSWORD_WARN where the client asks for it, with the days left', async () => {
    const { body, user } = await warned();
    expect(body).toEqual({
      stateToken: expect.any(String),
      expiresAt: expect.any(String),
      status: 'PASSWORD_WARN',
      relayState: 'r',
      _embedded: {
        user: expect.objectContaining({ id: user.id }),
        policy: { expiration: { passwordExpireDays: 2 }, complexity },
      },
      _links: {
        next: link('/credentials/change_password', 'changePassword'),
        skip: link('/skip'),
        cancel: cancel(),
      },
    });
    expect((await signIn(org.anonymous, user.profile.login)).body.status).toBe('SUCCESS');
  });

  test('an administrator expired it before that: PASSWORD_EXPIRED, without the days left', async () => {
    agedPolicy({ maxAgeDays: 10, expireWarnDays: 3 });
    const user = await userAged(8);
    await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password`);
    const asked = { body: { options: { warnBeforePasswordExpired: true } } };
    const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, asked);
    expect(body).toMatchObject({ status: 'PASSWORD_EXPIRED', _embedded: { policy: { complexity } } });
    expect(body._embedded.policy).not.toHaveProperty('expiration');
  });

  test('skip signs in with the old one, once', async () => {
    const { body, user } = await warned();
    const answer = await step(org.anonymous, '/skip', { stateToken: body.stateToken });
    expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCESS', relayState: 'r' } });
    expect(typesOf(await eventsOf(org, answer))).toEqual(['policy.evaluate_sign_on', 'user.session.start']);
    expect((await read(user.id)).lastLogin).not.toBeNull();
    expect(await step(org.anonymous, '/skip', { stateToken: body.stateToken })).toMatchObject(INVALID_TOKEN);
  });

  test('changing it signs in', async () => {
    const { body } = await warned();
    expect((await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD)).body.status).toBe('SUCCESS');
  });

  test('a user who was locked meanwhile can neither skip nor change', async () => {
    const { body, user } = await warned();
    for (let time = 0; time < 10; time += 1) await signIn(org.anonymous, user.profile.login, WRONG);
    expect((await read(user.id)).status).toBe('LOCKED_OUT');
    expect(await step(org.anonymous, '/skip', { stateToken: body.stateToken })).toMatchObject(INVALID_TOKEN);
    expect(await change(body.stateToken, PASSWORD, ANOTHER_PASSWORD)).toMatchObject(INVALID_TOKEN);
  });
});
