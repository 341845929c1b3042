import { describe, expect, test, vi } from 'vitest';
import { handOut, INVALID_TOKEN, mailTo, newUser, policyWith, signIn, step, WRONG_STATE } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { deviceOf, enroll, factorsPath, QUESTION_FACTOR } from '../support/factors.ts';
import {
  activatePath,
  activationOf,
  enrolledAtSignIn,
  enrolledCode,
  mailboxProved,
  requireFactor,
  TOTP_AT_SIGN_IN,
  userWhoNeedsCode,
  userWithoutFactor,
  verifyPath,
} from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, QUESTION, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const loginOf = (user: TestResponse['body']): string => user.profile.login;

describe('a first factor', () => {
  test('is enrolled behind a mailed code, activated by its device, told, and used from then on', async () => {
    const user = await userWithoutFactor(service, org);
    const { stateToken } = await mailboxProved(service, org, user);
    const enrolled = await step(org.anonymous, '/factors', { stateToken, ...TOTP_AT_SIGN_IN });
    const { factor } = enrolled.body._embedded;
    expect(enrolled).toMatchObject({ status: 200, body: { status: 'MFA_ENROLL_ACTIVATE' } });
    expect(factor).toMatchObject({
      id: expect.stringMatching(/^ost/),
      factorType: 'token:software:totp',
      provider: 'SVC',
      profile: { credentialId: loginOf(user) },
      _embedded: {
        activation: {
          timeStep: 30,
          sharedSecret: expect.stringMatching(/^[A-Z2-7]{32}$/),
          encoding: 'base32',
          keyLength: 32,
          _links: { qrcode: { href: expect.stringMatching(/^data:image\/gif;base64,R0lGOD/), type: 'image/gif' } },
        },
      },
    });
    const next = { name: 'activate', href: `${org.baseUrl}/api/v1/authn${activatePath(factor.id)}` };
    expect(enrolled.body._links).toMatchObject({ next, prev: {}, cancel: {} });
    const events = await eventsOf(org, enrolled);
    expect(events).toMatchObject([{ eventType: 'user.mfa.factor.update', actor: { id: user.id } }]);
    expect(JSON.stringify(events)).not.toContain(factor._embedded.activation.sharedSecret);

    const wrong = { stateToken, passCode: enrolledCode(service, enrolled.body, 40) };
    const refused = await step(org.anonymous, activatePath(factor.id), wrong);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000068' } });
    const right = { stateToken, passCode: enrolledCode(service, enrolled.body) };
    const signedIn = await step(org.anonymous, activatePath(factor.id), right);
    expect(signedIn.body).toMatchObject({ status: 'SUCCESS', relayState: 'r' });
    expect(await eventsOf(org, signedIn)).toMatchObject([
      { eventType: 'user.mfa.factor.activate' },
      { eventType: 'policy.evaluate_sign_on', outcome: { result: 'ALLOW' } },
      { eventType: 'user.session.start' },
    ]);
    expect((await mailTo(service, org, user)).kind).toBe('factorEnrolled');
    const { sessionToken } = signedIn.body;
    const session = await org.anonymous.post('/api/v1/sessions', { body: { sessionToken } });
    expect(session.body.amr).toEqual(['pwd', 'otp', 'mfa']);
    const again = (await signIn(org.anonymous, loginOf(user))).body;
    expect(again._embedded.factors.map(({ id }: { id: string }) => id)).toEqual([factor.id]);
  });

  test('is shown to the sign-in that enrolls it alone, and another enrollment replaces it', async () => {
    const user = await userWithoutFactor(service, org);
    const { stateToken } = await mailboxProved(service, org, user);
    const { _embedded } = await enrolledAtSignIn(org.anonymous, stateToken);
    const { body } = await org.admin.get(`${factorsPath(user.id)}/${_embedded.factor.id}`);
    expect(body).toMatchObject({ status: 'PENDING_ACTIVATION' });
    expect(JSON.stringify(body)).not.toContain(_embedded.factor._embedded.activation.sharedSecret);
    expect((await step(org.anonymous, '/previous', { stateToken })).body.status).toBe('MFA_ENROLL');
    const second = await enrolledAtSignIn(org.anonymous, stateToken);
    expect(second._embedded.factor.id).not.toBe(_embedded.factor.id);
    const first = { stateToken, passCode: '123456' };
    expect((await step(org.anonymous, activatePath(_embedded.factor.id), first)).status).toBe(404);
    // The program of an administrator enrolls the same kind.
    await enroll(org.admin, user.id, TOTP_AT_SIGN_IN);
    expect(await step(org.anonymous, '', { stateToken })).toMatchObject(INVALID_TOKEN);
    const passCode = enrolledCode(service, second);
    expect((await step(org.anonymous, activatePath(second._embedded.factor.id), { stateToken, passCode })).status).toBe(
      404,
    );
  });

  test.each([
    [QUESTION_FACTOR, 'factorType'],
    [{ factorType: 'token:hotp', provider: 'SVC' }, 'factorType'],
    [{ factorType: 'token:software:totp', provider: 'RSA' }, 'provider'],
    [{ factorType: 'token:software:totp' }, 'provider'],
    [{ factorType: 'x'.repeat(51), provider: 'SVC' }, 'factorType'],
  ])('is no %j', async (named, field) => {
    const { stateToken } = await mailboxProved(service, org, await userWithoutFactor(service, org));
    const refused = await step(org.anonymous, '/factors', { stateToken, ...named });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(JSON.stringify(refused.body.errorCauses)).toContain(field);
    expect((await step(org.anonymous, '', { stateToken })).body.status).toBe('MFA_ENROLL');
  });

  test('of two sign-ins at once, one activates a factor, and the other must prove it', async () => {
    const user = await userWithoutFactor(service, org);
    const one = await enrolledAtSignIn(org.anonymous, (await mailboxProved(service, org, user)).stateToken);
    const other = await mailboxProved(service, org, user);
    const passCode = enrolledCode(service, one);
    const { stateToken } = one;
    const activated = await step(org.anonymous, activatePath(one._embedded.factor.id), { stateToken, passCode });
    expect(activated.body.status).toBe('SUCCESS');
    const late = { stateToken: other.stateToken, factorType: 'token:software:totp', provider: 'GOOGLE' };
    expect(await step(org.anonymous, '/factors', late)).toMatchObject(INVALID_TOKEN);
    expect((await org.admin.get(factorsPath(user.id))).body).toHaveLength(1);
  });

  test('a session of its user enrolls none', async () => {
    const { body } = await signIn(org.anonymous, loginOf(await newUser(org)));
    const stateToken = body.sessionToken;
    expect(await step(org.anonymous, '/factors', { stateToken, ...TOTP_AT_SIGN_IN })).toMatchObject(INVALID_TOKEN);
  });
});

describe('an activation', () => {
  test('lets its user enroll at once', async () => {
    const own = await service.newOrg();
    await requireFactor(service, own);
    const { body, user } = await activationOf(service, own);
    expect(body.status).toBe('PASSWORD_RESET');
    const { stateToken } = body;
    const set = await step(own.anonymous, '/credentials/reset_password', { stateToken, newPassword: ANOTHER_PASSWORD });
    expect(set.body).toMatchObject({ status: 'MFA_ENROLL', _embedded: { user: { id: user.id } } });
    const enrolled = await enrolledAtSignIn(own.anonymous, set.body.stateToken);
    const proof = { stateToken: set.body.stateToken, passCode: enrolledCode(service, enrolled) };
    const signedIn = await step(own.anonymous, activatePath(enrolled._embedded.factor.id), proof);
    expect(signedIn.body.status).toBe('SUCCESS');
  });

  test('that was left before the factor was enrolled leaves a user who proves the mailbox', async () => {
    const own = await service.newOrg();
    await requireFactor(service, own);
    const { body, user } = await activationOf(service, own);
    const given = { stateToken: body.stateToken, newPassword: ANOTHER_PASSWORD };
    const set = await step(own.anonymous, '/credentials/reset_password', given);
    await step(own.anonymous, '/cancel', { stateToken: set.body.stateToken });
    const begun = (await signIn(own.anonymous, loginOf(user), ANOTHER_PASSWORD)).body;
    expect(begun._embedded.factors).toMatchObject([{ factorType: 'email' }]);
  });
});

describe('an activation link', () => {
  test('that a program got, or of a user who has signed in before, leads to the mailbox first', async () => {
    const own = await service.newOrg();
    await requireFactor(service, own);
    const given = await activationOf(service, own, false);
    const set = async ({ stateToken }: TestResponse['body']): Promise<TestResponse['body']> =>
      (await step(own.anonymous, '/credentials/reset_password', { stateToken, newPassword: ANOTHER_PASSWORD })).body;
    const mailbox = { status: 'MFA_REQUIRED', _embedded: { factors: [{ factorType: 'email' }] } };
    expect(await set(given.body)).toMatchObject(mailbox);

    const { device, user } = await userWhoNeedsCode(service, own);
    const { stateToken } = (await signIn(own.anonymous, loginOf(user))).body;
    const proved = await step(own.anonymous, verifyPath(device.id), { stateToken, passCode: device.code(1) });
    expect(proved.body.status).toBe('SUCCESS');
    await own.admin.post(`${userPath(user.id)}/lifecycle/deactivate?sendEmail=false`);
    await own.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=true`);
    const again = await step(own.anonymous, '', { token: (await mailTo(service, own, user)).token });
    expect(await set(again.body)).toMatchObject(mailbox);
  });
});

describe('a recovery', () => {
  const recovered = async (user: TestResponse['body']): Promise<TestResponse> => {
    const recoveryToken = await handOut(org, 'password', user);
    const { stateToken } = (await step(org.anonymous, '/recovery/token', { recoveryToken })).body;
    await step(org.anonymous, '/recovery/answer', { stateToken, answer: QUESTION.answer });
    return step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword: ANOTHER_PASSWORD });
  };

  test('does not stand for the factor', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const set = await recovered(user);
    expect(set.body).toMatchObject({ status: 'MFA_REQUIRED', _embedded: { factors: [{ id: device.id }] } });
    const proof = { stateToken: set.body.stateToken, passCode: device.code(1) };
    expect((await step(org.anonymous, verifyPath(device.id), proof)).body.status).toBe('SUCCESS');
  });

  test('enrolls no first factor: the password is set, and nobody is signed in', async () => {
    const user = await userWithoutFactor(service, org);
    const set = await recovered(user);
    expect(set).toMatchObject({ status: 200, body: { status: 'SUCCESS', recoveryType: 'PASSWORD' } });
    expect(set.body).not.toHaveProperty('sessionToken');
    expect(set.body).not.toHaveProperty('stateToken');
    const begun = (await signIn(org.anonymous, loginOf(user), ANOTHER_PASSWORD)).body;
    expect(begun).toMatchObject({ status: 'MFA_REQUIRED', _embedded: { factors: [{ factorType: 'email' }] } });
  });
});

test('a password alone that ends soon is not changed by itself', async () => {
  const policy = policyWith({ age: { maxAgeDays: 10, expireWarnDays: 9 } });
  const spy = vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policy);
  const { user } = await userWhoNeedsCode(service, org);
  service.clock.advance(2 * 86_400_000);
  const body = { options: { warnBeforePasswordExpired: true } };
  expect((await signIn(org.anonymous, loginOf(user), undefined, { body })).body.status).toBe('MFA_REQUIRED');
  spy.mockRestore();
});

describe('an expired password', () => {
  test('is changed before the factor is asked for', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password`);
    const begun = (await signIn(org.anonymous, loginOf(user))).body;
    expect(begun.status).toBe('PASSWORD_EXPIRED');
    const { stateToken } = begun;
    const early = { stateToken, passCode: device.code(1) };
    expect(await step(org.anonymous, verifyPath(device.id), early)).toMatchObject(WRONG_STATE);
    const change = { stateToken, oldPassword: 'Correct-1-Horse', newPassword: ANOTHER_PASSWORD };
    const changed = await step(org.anonymous, '/credentials/change_password', change);
    expect(changed.body).toMatchObject({ status: 'MFA_REQUIRED', _embedded: { factors: [{ id: device.id }] } });
    const proof = { stateToken: changed.body.stateToken, passCode: device.code(1) };
    expect((await step(org.anonymous, verifyPath(device.id), proof)).body.status).toBe('SUCCESS');
  });
});

test('the user enrolled by a program before the sign-in is asked for that factor', async () => {
  const user = await userWithoutFactor(service, org);
  const device = deviceOf(service, user.id, (await enroll(org.admin, user.id)).body);
  await org.admin.post(`${device.path}/lifecycle/activate`, { body: { passCode: device.code() } });
  expect((await signIn(org.anonymous, loginOf(user))).body._embedded.factors[0].id).toBe(device.id);
});
