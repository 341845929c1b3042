import { describe, expect, test } from 'vitest';
import { denySignOn, INVALID_TOKEN, newUser, REFUSED, signIn, step, WRONG_STATE } from '../support/authn.ts';
import { AUTHORIZE } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import { beginStep, deviceOf, enroll, factorsPath, QUESTION_FACTOR } from '../support/factors.ts';
import { userWhoNeedsCode, userWithQuestion, verifyPath } from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, QUESTION } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const MINUTE = 60_000;
const WRONG_CODE = { status: 403, body: { errorCode: 'E0000068' } };
const loginOf = (user: TestResponse['body']): string => user.profile.login;
const verify = (factorId: string, body: object): Promise<TestResponse> =>
  step(org.anonymous, verifyPath(factorId), body);

describe('a policy that asks for a second factor', () => {
  test('demands a code beside the password; the session, the log and the state tell both', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const asked = await signIn(org.anonymous, loginOf(user), undefined, { body: { relayState: 'r' } });
    const { stateToken } = asked.body;
    const at = `${org.baseUrl}/api/v1/authn`;
    expect(asked).toMatchObject({ status: 200 });
    expect(asked.body).toEqual({
      stateToken: expect.any(String),
      expiresAt: expect.any(String),
      status: 'MFA_REQUIRED',
      relayState: 'r',
      _embedded: {
        user: expect.objectContaining({ id: user.id }),
        factors: [
          {
            id: device.id,
            factorType: 'token:software:totp',
            provider: 'GOOGLE',
            vendorName: 'GOOGLE',
            profile: { credentialId: loginOf(user) },
            _links: { verify: { href: `${at}${verifyPath(device.id)}`, hints: { allow: ['POST'] } } },
          },
        ],
      },
      _links: { cancel: { href: `${at}/cancel`, hints: { allow: ['POST'] } } },
    });
    expect(await eventsOf(org, asked)).toMatchObject([
      { eventType: 'policy.evaluate_sign_on', outcome: { result: 'CHALLENGE' } },
      { eventType: 'user.authentication.auth', actor: { id: user.id } },
    ]);

    const passCode = device.code(1);
    const signedIn = await verify(device.id, { stateToken, passCode });
    expect(signedIn).toMatchObject({ status: 200, body: { status: 'SUCCESS', relayState: 'r' } });
    const events = await eventsOf(org, signedIn);
    expect(events).toMatchObject([
      { eventType: 'user.authentication.auth_via_mfa', outcome: { result: 'SUCCESS' } },
      { eventType: 'policy.evaluate_sign_on', outcome: { result: 'ALLOW' } },
      { eventType: 'user.session.start', actor: { id: user.id }, outcome: { result: 'SUCCESS' } },
    ]);
    expect(JSON.stringify(events)).not.toContain(passCode);
    const { sessionToken } = signedIn.body;
    const session = await org.anonymous.post('/api/v1/sessions', { body: { sessionToken } });
    const verified = {
      amr: ['pwd', 'otp', 'mfa'],
      mfaActive: true,
      lastFactorVerification: expect.stringMatching(/Z$/),
    };
    expect(session).toMatchObject({ status: 200, body: verified });
    expect((await org.admin.get(`/api/v1/sessions/${session.body.id}`)).body).toMatchObject(verified);
    expect(await step(org.anonymous, '', { stateToken })).toMatchObject(INVALID_TOKEN);
  });

  test('asks at each sign-in, on known devices too, and only those whom it names', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const headers = { 'x-device-fingerprint': 'the same' };
    for (const steps of [1, 1]) {
      beginStep(service);
      const { body } = await signIn(org.anonymous, loginOf(user), undefined, { headers });
      expect(body.status).toBe('MFA_REQUIRED');
      const proof = { stateToken: body.stateToken, passCode: device.code(steps) };
      expect((await verify(device.id, proof)).body.status).toBe('SUCCESS');
      beginStep(service);
    }
    expect((await signIn(org.anonymous, loginOf(await newUser(org)))).body.status).toBe('SUCCESS');
  });

  test('does not say whether a password is right where the account cannot sign in', async () => {
    const { user } = await userWhoNeedsCode(service, org);
    await org.admin.post(`/api/v1/users/${user.id}/lifecycle/suspend`);
    expect(await signIn(org.anonymous, loginOf(user))).toMatchObject(REFUSED);
  });

  test('is asked again when the factor is proved', async () => {
    const own = await service.newOrg();
    const { device, user } = await userWhoNeedsCode(service, own);
    const { stateToken } = (await signIn(own.anonymous, loginOf(user))).body;
    const { policyId } = await denySignOn(service, own, { connection: 'ANYWHERE' });
    await own.admin.put(`/api/v1/policies/${policyId}`, {
      body: { ...(await own.admin.get(`/api/v1/policies/${policyId}`)).body, priority: 1 },
    });
    service.clock.advance(1_100);
    const proof = { stateToken, passCode: device.code(1) };
    expect(await step(own.anonymous, verifyPath(device.id), proof)).toMatchObject(REFUSED);
  });

  test('is passed by no token of an unfinished sign-in', async () => {
    const { user } = await userWhoNeedsCode(service, org);
    const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
    expect(await org.anonymous.post('/api/v1/sessions', { body: { sessionToken: stateToken } })).toMatchObject(REFUSED);
    const query = new URLSearchParams({ client_id: 'x', sessionToken: stateToken });
    expect((await org.anonymous.get(`${AUTHORIZE}?${query}`)).headers['set-cookie'] ?? '').not.toMatch(/sid=102/);
    for (const path of ['/skip', '/credentials/change_password', '/credentials/reset_password']) {
      const body = { stateToken, oldPassword: 'Correct-1-Horse', newPassword: 'Battery-2-Staple' };
      expect(await step(org.anonymous, path, body)).toMatchObject(WRONG_STATE);
    }
  });
});

describe('a wrong code', () => {
  test('is refused and told; the fifth ends the sign-in, and the factor waits', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
    const wrong = { stateToken, passCode: device.code(40) };
    const first = await verify(device.id, wrong);
    expect(first).toMatchObject(WRONG_CODE);
    expect(await eventsOf(org, first)).toMatchObject([
      { eventType: 'user.authentication.auth_via_mfa', outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' } },
    ]);
    for (let tries = 0; tries < 4; tries += 1) expect(await verify(device.id, wrong)).toMatchObject(WRONG_CODE);
    expect(await verify(device.id, { stateToken, passCode: device.code(1) })).toMatchObject(INVALID_TOKEN);
    const again = (await signIn(org.anonymous, loginOf(user))).body;
    const right = { stateToken: again.stateToken, passCode: device.code(1) };
    const waits = await verify(device.id, right);
    expect(waits).toMatchObject({ status: 429, body: { errorCode: 'E0000047' } });
    service.clock.advance(4 * MINUTE);
    expect((await step(org.anonymous, '', { stateToken: again.stateToken })).body.status).toBe('MFA_REQUIRED');
    service.clock.advance(MINUTE);
    expect((await verify(device.id, { ...right, passCode: device.code(1) })).body.status).toBe('SUCCESS');
  });

  test('of the app counts where the sign-in asks, and a code that an app took is spent', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
    const passCode = device.code(1);
    expect((await org.admin.post(`${device.path}/verify`, { body: { passCode } })).status).toBe(200);
    const replayed = { status: 403, body: { errorCode: 'E0000082' } };
    expect(await verify(device.id, { stateToken, passCode })).toMatchObject(replayed);
  });

  test.each([{}, { passCode: '' }, { passCode: 'x'.repeat(21) }, { passCode: 123_456 }, { answer: ['x'] }])(
    'of the form %j proves nothing',
    async (proof) => {
      const { device, user } = await userWhoNeedsCode(service, org);
      const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
      const answer = await verify(device.id, { stateToken, ...proof });
      expect(answer.body.sessionToken).toBeUndefined();
      expect(answer.status).toBe(Object.keys(proof).length === 0 ? 200 : 400);
    },
  );

  test('one code, twenty times at once: one sign-in', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
    const proof = { stateToken, passCode: device.code(1) };
    const all = await Promise.all(Array.from({ length: 20 }, () => verify(device.id, proof)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('one code in two sign-ins at once: one of them', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const begun = await Promise.all([signIn(org.anonymous, loginOf(user)), signIn(org.anonymous, loginOf(user))]);
    const passCode = device.code(1);
    const all = await Promise.all(
      begun.map(({ body }) => verify(device.id, { stateToken: body.stateToken, passCode })),
    );
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });
});

describe('the factors that are offered', () => {
  test('no factor of another user, none that is pending, and none that was removed meanwhile', async () => {
    const [one, other] = [await userWhoNeedsCode(service, org), await userWhoNeedsCode(service, org)];
    const own = (await enroll(org.admin, one.user.id, { ...QUESTION_FACTOR })).body;
    const pending = (await enroll(org.admin, one.user.id, { factorType: 'token:software:totp', provider: 'SVC' })).body;
    const { body } = await signIn(org.anonymous, loginOf(one.user));
    expect(body._embedded.factors.map(({ id }: { id: string }) => id)).toEqual([one.device.id]);
    const { stateToken } = body;
    for (const { id, passCode } of [
      { id: other.device.id, passCode: other.device.code(1) },
      { id: pending.id, passCode: deviceOf(service, one.user.id, pending).code() },
      { id: own.id, passCode: '1' },
    ]) {
      const refused = await verify(id, { stateToken, passCode });
      expect(refused).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
    expect(await verify(own.id, { stateToken, answer: 'boiled cabbage' })).toMatchObject({ status: 404 });
    expect((await org.admin.del(`${factorsPath(one.user.id)}/${one.device.id}`)).status).toBe(204);
    const gone = await verify(one.device.id, { stateToken, passCode: one.device.code(1) });
    expect(gone).toMatchObject({ status: 404 });
  });

  test('a question stands for no code where there is one, and alone makes no more than one kind of proof', async () => {
    const user = await userWithQuestion(service, org);
    const { body } = await signIn(org.anonymous, loginOf(user));
    const [factor] = body._embedded.factors;
    expect(factor).toMatchObject({ factorType: 'question', profile: { question: 'disliked_food' } });
    const { stateToken } = body;
    expect(await verify(factor.id, { stateToken, answer: 'fried cabbage' })).toMatchObject(WRONG_CODE);
    expect(await verify(factor.id, { stateToken, passCode: '123456' })).toMatchObject({ status: 400 });
    expect(await verify(factor.id, { stateToken, answer: QUESTION.answer })).toMatchObject(WRONG_CODE);
    const { sessionToken } = (await verify(factor.id, { stateToken, answer: 'boiled cabbage' })).body;
    const session = await org.anonymous.post('/api/v1/sessions', { body: { sessionToken } });
    expect(session.body).toMatchObject({ amr: ['pwd', 'kba'], mfaActive: false });
  });

  test('choosing one leads to MFA_CHALLENGE, and back', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const { body } = await signIn(org.anonymous, loginOf(user));
    const { stateToken } = body;
    const chosen = await verify(device.id, { stateToken });
    const at = `${org.baseUrl}/api/v1/authn`;
    expect(chosen.body).toMatchObject({
      status: 'MFA_CHALLENGE',
      _embedded: { factor: { id: device.id } },
      _links: {
        next: { name: 'verify', href: `${at}${verifyPath(device.id)}` },
        prev: { href: `${at}/previous` },
        cancel: { href: `${at}/cancel` },
      },
    });
    expect(chosen.body._links).not.toHaveProperty('resend');
    expect((await step(org.anonymous, `${verifyPath(device.id)}/resend`, { stateToken })).status).toBe(404);
    const back = await step(org.anonymous, '/previous', { stateToken });
    expect(back.body).toEqual({ ...body, expiresAt: expect.any(String) });
    await verify(device.id, { stateToken });
    expect((await verify(device.id, { stateToken, passCode: device.code(1) })).body.status).toBe('SUCCESS');
  });

  test('a reset of factors ends a sign-in that asks for one', async () => {
    const { device, user } = await userWhoNeedsCode(service, org);
    const { stateToken } = (await signIn(org.anonymous, loginOf(user))).body;
    await org.admin.post(`/api/v1/users/${user.id}/lifecycle/reset_factors`);
    expect((await verify(device.id, { stateToken, passCode: device.code(1) })).status).toBe(404);
    expect(await step(org.anonymous, '', { stateToken })).toMatchObject(INVALID_TOKEN);
    expect((await signIn(org.anonymous, loginOf(user))).body._embedded.factors[0].factorType).toBe('email');
  });
});
