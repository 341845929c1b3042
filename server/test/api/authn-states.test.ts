import { afterEach, describe, expect, test, vi } from 'vitest';
import { AUTHN_STATES, AUTHN_STEPS } from '../../src/sign-in/authn/lifecycle.ts';
import { handOut, INVALID_TOKEN, newUser, policyWith, signIn, step, WRONG_STATE } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import {
  codeSentTo,
  enrolledAtSignIn,
  enrolledCode,
  mailboxProved,
  TOTP_AT_SIGN_IN,
  userWhoNeedsCode,
  userWithoutFactor,
} from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });
afterEach(() => vi.restoreAllMocks());

type Body = TestResponse['body'];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Begun {
  readonly user: Body;
  readonly body: Body;
  /** The code that proves the factor of the state. Without one, the step needs none. */
  readonly passCode?: () => string;
}

async function expired(): Promise<Begun> {
  const user = await userIn(org, 'PASSWORD_EXPIRED');
  const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { relayState: 'r' } });
  return { user, body };
}

async function warned(): Promise<Begun> {
  const policy = policyWith({ age: { maxAgeDays: 10, expireWarnDays: 3 } });
  vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policy);
  service.clock.advance(-8 * DAY);
  const user = await newUser(org);
  service.clock.advance(8 * DAY);
  const options = { warnBeforePasswordExpired: true };
  const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { options, relayState: 'r' } });
  return { user, body };
}

async function recoveryOf(user: Body): Promise<Begun> {
  const recoveryToken = await handOut(org, 'password', user);
  const { body } = await step(org.anonymous, '/recovery/token', { recoveryToken, relayState: 'r' });
  return { user, body };
}

async function challenged(): Promise<Begun> {
  const { device, user } = await userWhoNeedsCode(service, org);
  const { body } = await signIn(org.anonymous, user.profile.login, PASSWORD, { body: { relayState: 'r' } });
  return { user, body, passCode: () => device.code(1) };
}

async function mailed(): Promise<Begun> {
  const user = await userWithoutFactor(service, org);
  return { user, body: await codeSentTo(org, user) };
}

async function proved(): Promise<Begun> {
  const user = await userWithoutFactor(service, org);
  return { user, body: await mailboxProved(service, org, user) };
}

async function enrolled(): Promise<Begun> {
  const { body: begun, user } = await proved();
  const body = await enrolledAtSignIn(org.anonymous, begun.stateToken);
  return { user, body, passCode: () => enrolledCode(service, body) };
}

const IN_STATE = {
  MFA_REQUIRED: challenged,
  MFA_CHALLENGE: mailed,
  MFA_ENROLL: proved,
  MFA_ENROLL_ACTIVATE: enrolled,
  PASSWORD_EXPIRED: expired,
  PASSWORD_WARN: warned,
  PASSWORD_RESET: async () => recoveryOf(await org.createUser({ credentials: { password: { value: PASSWORD } } })),
  RECOVERY: async () => recoveryOf(await newUser(org)),
} as const;

const bodyOf = (name: string, stateToken: string, passCode?: () => string): object => ({
  stateToken,
  ...(passCode !== undefined && (name === 'verify' || name === 'activate') ? { passCode: passCode() } : {}),
  ...(passCode === undefined && name === 'activate' ? { passCode: '123456' } : {}),
  ...(name === 'enroll' ? TOTP_AT_SIGN_IN : {}),
  ...(name === 'changePassword' ? { oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD } : {}),
  ...(name === 'resetPassword' ? { newPassword: ANOTHER_PASSWORD } : {}),
  ...(name === 'answer' ? { answer: QUESTION.answer } : {}),
});

/** The path of a step for the factor that the state shows, if it shows one. */
const pathOf = (path: string, { _embedded }: Body = {}): string =>
  path.replace(':factorId', _embedded?.factor?.id ?? _embedded?.factors?.[0]?.id ?? 'ostNobody');

describe.each(AUTHN_STATES)('%s', (state) => {
  test.each(Object.entries(AUTHN_STEPS))('%s: as the table says', async (name, { from, path }) => {
    const { body, passCode, user } = await IN_STATE[state]();
    expect(body.status).toBe(state);
    const answer = await step(org.anonymous, pathOf(path, body), bodyOf(name, body.stateToken, passCode));
    if ((from as readonly string[]).includes(state)) {
      expect(answer.status).toBe(200);
      return;
    }
    expect(answer).toMatchObject(WRONG_STATE);
    expect((await step(org.anonymous, '', { stateToken: body.stateToken })).body.status).toBe(state);
    expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).body.sessionToken).toBeUndefined();
  });

  test('is shown again as it was; only asking at /authn prolongs it', async () => {
    const { body } = await IN_STATE[state]();
    const { stateToken } = body;
    service.clock.advance(4 * MINUTE);
    const looked = await step(org.anonymous, '/introspect', { stateToken });
    expect(looked.body).toEqual(body);
    const asked = await step(org.anonymous, '', { stateToken });
    expect({ ...asked.body, expiresAt: '' }).toEqual({ ...body, expiresAt: '' });
    expect(Date.parse(asked.body.expiresAt) - Date.parse(body.expiresAt)).toBeGreaterThanOrEqual(4 * MINUTE);
    service.clock.advance(4 * MINUTE);
    expect((await step(org.anonymous, '/introspect', { stateToken })).status).toBe(200);
  });

  test('ends after some minutes without a step, and after an hour in any case', async () => {
    const { body } = await IN_STATE[state]();
    const { stateToken } = body;
    for (let minutes = 0; minutes < 56; minutes += 4) {
      service.clock.advance(4 * MINUTE);
      expect((await step(org.anonymous, '', { stateToken })).status).toBe(200);
    }
    service.clock.advance(4 * MINUTE);
    expect(await step(org.anonymous, '', { stateToken })).toMatchObject(INVALID_TOKEN);
    const other = (await IN_STATE[state]()).body.stateToken;
    // A user who presented a recovery token has more time to choose a password.
    service.clock.advance((state === 'PASSWORD_RESET' ? 15 : 5) * MINUTE + 1_000);
    for (const [name, { path }] of Object.entries(AUTHN_STEPS)) {
      expect(await step(org.anonymous, pathOf(path), bodyOf(name, other))).toMatchObject(INVALID_TOKEN);
    }
  });

  test('cancel ends it and gives back the relay state', async () => {
    const { body } = await IN_STATE[state]();
    const { stateToken } = body;
    expect(await step(org.anonymous, '/cancel', { stateToken })).toMatchObject({
      status: 200,
      body: { relayState: 'r' },
    });
    for (const path of ['', '/introspect', '/cancel']) {
      expect(await step(org.anonymous, path, { stateToken })).toMatchObject(INVALID_TOKEN);
    }
  });

  test('a state token is good at its org alone', async () => {
    const { body } = await IN_STATE[state]();
    const other = await service.newOrg();
    for (const [name, { path }] of Object.entries(AUTHN_STEPS)) {
      expect(await step(other.anonymous, pathOf(path, body), bodyOf(name, body.stateToken))).toMatchObject(
        INVALID_TOKEN,
      );
    }
  });

  test.each(['suspend', 'deactivate'])('%s voids it', async (operation) => {
    const { body, user } = await IN_STATE[state]();
    await org.admin.post(`${userPath(user.id)}/lifecycle/${operation}`);
    const { stateToken } = body;
    expect(await step(org.anonymous, '', { stateToken })).toMatchObject(INVALID_TOKEN);
  });

  test('another password voids it', async () => {
    const { body, user } = await IN_STATE[state]();
    const credentials = { password: { value: 'Another-3-Horse' } };
    expect(await org.admin.post(userPath(user.id), { body: { credentials } })).toMatchObject({ status: 200 });
    for (const [name, { path }] of Object.entries(AUTHN_STEPS)) {
      expect(await step(org.anonymous, pathOf(path, body), bodyOf(name, body.stateToken))).toMatchObject(INVALID_TOKEN);
    }
    expect((await signIn(org.anonymous, user.profile.login, ANOTHER_PASSWORD)).status).toBe(401);
  });
});

describe('steps', () => {
  test.each(Object.entries(AUTHN_STEPS))('%s with a token that is none: 401 E0000011', async (name, { path }) => {
    expect(await step(org.anonymous, pathOf(path), bodyOf(name, 'x'.repeat(43)))).toMatchObject(INVALID_TOKEN);
  });

  const withStateTokenAlone = ['skip', 'cancel', 'previous', 'resend'];

  test.each(Object.entries(AUTHN_STEPS).filter(([, { path }]) => path !== ''))(
    '%s without its members: 400',
    async (name, one) => {
      for (const body of [{}, { stateToken: 5 }, { stateToken: 'x', newPassword: 5, oldPassword: 5, answer: 5 }]) {
        const answer = await step(org.anonymous, pathOf(one.path), body);
        if (withStateTokenAlone.includes(name)) continue;
        expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      }
      expect(await step(org.anonymous, pathOf(one.path), {})).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    },
  );
});
