import { describe, expect, test } from 'vitest';
import { mailTo, signIn, step, WRONG_STATE } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { deviceOf, enroll } from '../support/factors.ts';
import { activatePath, codeSentTo, userWithoutFactor, verifyPath } from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const MINUTE = 60_000;
const WRONG_CODE = { status: 403, body: { errorCode: 'E0000068' } };
const loginOf = (user: TestResponse['body']): string => user.profile.login;
const verify = (factorId: string, body: object): Promise<TestResponse> =>
  step(org.anonymous, verifyPath(factorId), body);

describe('a user without a factor', () => {
  test('proves the mailbox before anything is enrolled; the address is masked', async () => {
    const user = await userWithoutFactor(service, org);
    const { body } = await signIn(org.anonymous, loginOf(user));
    const [mailbox] = body._embedded.factors;
    const [name, domain] = user.profile.email.split('@');
    expect(body.status).toBe('MFA_REQUIRED');
    expect(mailbox).toMatchObject({ factorType: 'email', profile: { email: `${name[0]}***@${domain}` } });
    const enrolling = { stateToken: body.stateToken, factorType: 'token:software:totp', provider: 'SVC' };
    expect(await step(org.anonymous, '/factors', enrolling)).toMatchObject(WRONG_STATE);
    const early = await verify(mailbox.id, { stateToken: body.stateToken, passCode: '00000000' });
    expect(early).toMatchObject(WRONG_CODE);
    const sent = await verify(mailbox.id, { stateToken: body.stateToken });
    const links = { resend: [{ name: 'email', href: expect.stringContaining('/verify/resend') }] };
    expect(sent.body).toMatchObject({ status: 'MFA_CHALLENGE', _links: links });
    expect(await eventsOf(org, sent)).toMatchObject([{ eventType: 'system.email.send_factor_verify_message' }]);
    expect((await mailTo(service, org, user)).kind).toBe('signInCode');
  });

  test('who sent no right code in time asks for another, and the one before is void', async () => {
    const user = await userWithoutFactor(service, org);
    const { _embedded, stateToken } = await codeSentTo(org, user);
    const codeIn = (text: string): string => /\b\d{8}\b/.exec(text)?.[0] ?? '';
    const first = codeIn((await mailTo(service, org, user)).text);
    const { id } = _embedded.factor;
    expect(await verify(id, { stateToken, passCode: '1' })).toMatchObject(WRONG_CODE);
    service.clock.advance(4 * MINUTE);
    await step(org.anonymous, '', { stateToken });
    service.clock.advance(1.5 * MINUTE);
    expect(await verify(id, { stateToken, passCode: first })).toMatchObject(WRONG_CODE);
    expect((await step(org.anonymous, `${verifyPath(id)}/resend`, { stateToken })).body.status).toBe('MFA_CHALLENGE');
    const second = codeIn((await mailTo(service, org, user)).text);
    expect(await verify(id, { stateToken, passCode: first })).toMatchObject(WRONG_CODE);
    const proved = await verify(id, { stateToken, passCode: second });
    expect(proved.body).toMatchObject({
      status: 'MFA_ENROLL',
      _embedded: {
        factors: [
          { factorType: 'token:software:totp', provider: 'SVC', status: 'NOT_SETUP', enrollment: 'OPTIONAL' },
          { factorType: 'token:software:totp', provider: 'GOOGLE', status: 'NOT_SETUP' },
        ],
      },
    });
    expect(await eventsOf(org, proved)).toMatchObject([
      { eventType: 'system.email.challenge_factor_redeemed', outcome: { result: 'SUCCESS' } },
    ]);
    expect(await verify(id, { stateToken, passCode: second })).toMatchObject(WRONG_STATE);
  });

  test('five wrong codes end the sign-in, whatever is sent in between', async () => {
    const user = await userWithoutFactor(service, org);
    const { _embedded, stateToken } = await codeSentTo(org, user);
    const { id } = _embedded.factor;
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await verify(id, { stateToken, passCode: '12' })).toMatchObject(WRONG_CODE);
      const again = await step(org.anonymous, `${verifyPath(id)}/resend`, { stateToken });
      expect(again.status).toBe(tries === 4 ? 401 : 200);
    }
  });

  test('a code of one sign-in is none of another', async () => {
    const user = await userWithoutFactor(service, org);
    const one = await codeSentTo(org, user);
    const code = /\b\d{8}\b/.exec((await mailTo(service, org, user)).text)?.[0] ?? '';
    const other = await codeSentTo(org, user);
    const proof = { stateToken: other.stateToken, passCode: code };
    expect(await verify(other._embedded.factor.id, proof)).toMatchObject(WRONG_CODE);
    expect((await verify(one._embedded.factor.id, { ...proof, stateToken: one.stateToken })).status).toBe(200);
  });

  test('ten codes an hour are sent, and no more', async () => {
    const user = await userWithoutFactor(service, org);
    const { stateToken, _embedded } = (await signIn(org.anonymous, loginOf(user))).body;
    const [{ id }] = _embedded.factors;
    for (let count = 0; count < 10; count += 1) expect((await verify(id, { stateToken })).status).toBe(200);
    expect(await verify(id, { stateToken })).toMatchObject({ status: 429, body: { errorCode: 'E0000047' } });
    expect((await mailTo(service, org, user)).count).toBe(10);
  });

  test('a factor that somebody enrolled meanwhile must be proved', async () => {
    const user = await userWithoutFactor(service, org);
    const { _embedded, stateToken } = await codeSentTo(org, user);
    const passCode = /\b\d{8}\b/.exec((await mailTo(service, org, user)).text)?.[0] ?? '';
    const enrolled = deviceOf(service, user.id, (await enroll(org.admin, user.id)).body);
    await org.admin.post(`${enrolled.path}/lifecycle/activate`, { body: { passCode: enrolled.code() } });
    expect((await verify(_embedded.factor.id, { stateToken, passCode })).status).toBe(404);
    expect(await step(org.anonymous, activatePath(enrolled.id), { stateToken, passCode })).toMatchObject(WRONG_STATE);
  });

  test('a code proves the address alone that it was sent to, and other emails take none of its number', async () => {
    const user = await userWithoutFactor(service, org);
    const { _embedded, stateToken } = await codeSentTo(org, user);
    const passCode = /\b\d{8}\b/.exec((await mailTo(service, org, user)).text)?.[0] ?? '';
    const profile = { email: `moved.${user.profile.email}` };
    expect((await org.admin.post(`/api/v1/users/${user.id}`, { body: { profile } })).status).toBe(200);
    expect(await verify(_embedded.factor.id, { stateToken, passCode })).toMatchObject(WRONG_CODE);
    const other = await userWithoutFactor(service, org);
    for (let count = 0; count < 10; count += 1) {
      await step(org.anonymous, '/recovery/password', { username: loginOf(other), factorType: 'EMAIL' });
    }
    expect((await codeSentTo(org, other)).status).toBe('MFA_CHALLENGE');
  });
});
