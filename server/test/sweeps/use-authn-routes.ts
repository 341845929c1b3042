import { vi } from 'vitest';
import { AUTHN, handOut, newUser, policyWith, signIn, signInFrom, step, WRONG } from '../support/authn.ts';
import {
  activatePath,
  codeSentTo,
  enrolledCode,
  mailedCode,
  TOTP_AT_SIGN_IN,
  userWhoNeedsCode,
  userWithoutFactor,
  verifyPath,
} from '../support/second-factors.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { ANOTHER_PASSWORD, PASSWORD, QUESTION, userIn } from '../support/users.ts';
import type { Body, Use } from './asking.ts';

type Step = (path: string, body: object) => Promise<Body>;

async function useSignIns(org: TestOrg, take: Step): Promise<void> {
  const user = await newUser(org);
  const username = user.profile.login;
  await take('', { username, password: PASSWORD });
  await signInFrom(org.anonymous, 'laptop', username);
  for (let time = 0; time < 10; time += 1) await signInFrom(org.anonymous, 'strange', username, WRONG);
  await signIn(org.anonymous, 'nobody', WRONG);
  const expired = await userIn(org, 'PASSWORD_EXPIRED');
  const { stateToken } = await take('', { username: expired.profile.login, password: PASSWORD });
  await take('', { stateToken });
  await take('/introspect', { stateToken });
  const change = { stateToken, newPassword: ANOTHER_PASSWORD };
  await step(org.anonymous, '/credentials/change_password', { ...change, oldPassword: WRONG });
  await take('/credentials/change_password', { ...change, oldPassword: PASSWORD });
}

async function useRecoveries(org: TestOrg, take: Step): Promise<void> {
  const user = await newUser(org);
  await take('/recovery/password', { username: user.profile.login, factorType: 'EMAIL' });
  const { stateToken } = await take('/recovery/token', { recoveryToken: await handOut(org, 'password', user) });
  await take('/recovery/answer', { stateToken, answer: QUESTION.answer });
  await take('/credentials/reset_password', { stateToken, newPassword: ANOTHER_PASSWORD });
  const locked = await userIn(org, 'LOCKED_OUT');
  await take('/recovery/unlock', { username: locked.profile.login, factorType: 'EMAIL' });
  const unlocking = await take('/recovery/token', { recoveryToken: await handOut(org, 'unlock', locked) });
  await take('/recovery/answer', { stateToken: unlocking.stateToken, answer: QUESTION.answer });
}

/** Uses the sign-in state that warns a user of an expiring password. */
async function useWarnings(service: TestService, org: TestOrg, take: Step): Promise<void> {
  const policy = policyWith({ age: { maxAgeDays: 2, expireWarnDays: 2 } });
  const spy = vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policy);
  const username = (await newUser(org)).profile.login;
  const options = { warnBeforePasswordExpired: true };
  const warned = () => take('', { username, password: PASSWORD, options });
  await take('/cancel', { stateToken: (await warned()).stateToken });
  await take('/skip', { stateToken: (await warned()).stateToken });
  spy.mockRestore();
}

/** Uses the states of second factors, first with a device and then of a user who enrolls one. */
async function useFactors(service: TestService, org: TestOrg, take: Step): Promise<void> {
  const { device, user } = await userWhoNeedsCode(service, org);
  const asked = await take('', { username: user.profile.login, password: PASSWORD });
  const { stateToken } = asked;
  await take(verifyPath(device.id), { stateToken });
  await take('/previous', { stateToken });
  await step(org.anonymous, verifyPath(device.id), { stateToken, passCode: device.code(40) });
  await take(verifyPath(device.id), { stateToken, passCode: device.code(1) });
  const other = await userWithoutFactor(service, org);
  const begun = (await codeSentTo(org, other)).stateToken;
  const { id } = (await take('', { stateToken: begun }))._embedded.factor;
  await take(`${verifyPath(id)}/resend`, { stateToken: begun });
  await step(org.anonymous, verifyPath(id), { stateToken: begun, passCode: '1' });
  await take(verifyPath(id), { stateToken: begun, passCode: await mailedCode(service, org, other) });
  const enrolled = await take('/factors', { stateToken: begun, ...TOTP_AT_SIGN_IN });
  const proof = { stateToken: begun, passCode: enrolledCode(service, enrolled) };
  await take(activatePath(enrolled._embedded.factor.id), proof);
}

export async function useAuthnRoutes({ ask, org, service }: Use): Promise<void> {
  const take: Step = (path, body) => ask('POST', `${AUTHN}${path}`, body, { client: org.anonymous });
  await useSignIns(org, take);
  await useRecoveries(org, take);
  await useWarnings(service, org, take);
  await useFactors(service, org, take);
}
