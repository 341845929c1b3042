import { describe, expect, test } from 'vitest';
import { AUTHN, mailTo, newUser, signIn, step } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

type Body = TestResponse['body'];
const MINUTE = 60_000;
const EMAIL = { factorType: 'EMAIL' };

const read = async (id: string): Promise<Body> => (await org.admin.get(userPath(id))).body;
const withoutQuestion = (): Promise<Body> => org.createUser({ credentials: { password: { value: PASSWORD } } });

const redeem = (recoveryToken: string, client = org.anonymous) => step(client, '/recovery/token', { recoveryToken });

describe('asking for a mail', () => {
  test.each(['password', 'unlock'])('%s: one answer for every name, without token or links', async (kind) => {
    const active = await newUser(org);
    const locked = await userIn(org, 'LOCKED_OUT');
    const suspended = await userIn(org, 'SUSPENDED');
    const logins = [active, locked, suspended].map(({ profile }) => profile.login);
    for (const username of [...logins, 'nobody@example.com', 'x'.repeat(10_000)]) {
      const { body, status } = await step(org.anonymous, `/recovery/${kind}`, { username, ...EMAIL, relayState: 'r' });
      expect(status).toBe(200);
      expect(body).toEqual({
        status: 'RECOVERY_CHALLENGE',
        factorResult: 'WAITING',
        factorType: 'EMAIL',
        recoveryType: kind.toUpperCase(),
        relayState: 'r',
      });
    }
    expect((await mailTo(service, org, suspended)).count).toBe(0);
    expect((await mailTo(service, org, active)).count).toBe(kind === 'password' ? 1 : 0);
    expect((await mailTo(service, org, locked)).count).toBe(1);
  });

  test('what is done for a user does not show in the time it takes', async () => {
    const user = await newUser(org);
    for (const username of [user.profile.login, 'nobody@example.com']) {
      const began = performance.now();
      await step(org.anonymous, '/recovery/password', { username, ...EMAIL });
      expect(performance.now() - began).toBeGreaterThanOrEqual(58);
    }
  });

  test('the link has the address of the org, whatever else the request says', async () => {
    const user = await newUser(org);
    await org.anonymous.post(`${AUTHN}/recovery/password`, {
      body: { username: user.profile.login, ...EMAIL },
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', referer: 'https://evil.example/' },
    });
    const { kind, url } = await mailTo(service, org, user);
    expect(kind).toBe('passwordReset');
    expect(url.startsWith(`https://localhost:${service.port}/signin/reset-password/`)).toBe(true);
  });

  test('each is logged: with the user, or with the name that nobody has', async () => {
    const user = await newUser(org);
    const known = await step(org.anonymous, '/recovery/password', { username: user.profile.login, ...EMAIL });
    expect(await eventsOf(org, known)).toMatchObject([
      { eventType: 'user.account.reset_password', target: [{ id: user.id }], outcome: { result: 'SUCCESS' } },
    ]);
    const unknown = await step(org.anonymous, '/recovery/unlock', { username: 'nobody@example.com', ...EMAIL });
    expect(await eventsOf(org, unknown)).toMatchObject([
      {
        eventType: 'user.account.unlock_token',
        actor: { id: 'unknown', alternateId: 'nobody@example.com' },
        outcome: { result: 'FAILURE' },
        target: null,
      },
    ]);
  });

  test('does nothing to the password, the status, or who is signed in', async () => {
    const user = await newUser(org);
    const signedIn = (await signIn(org.anonymous, user.profile.login)).body.sessionToken;
    await step(org.anonymous, '/recovery/password', { username: user.profile.login, ...EMAIL });
    expect((await read(user.id)).status).toBe('ACTIVE');
    const session = await org.anonymous.post('/api/v1/sessions', { body: { sessionToken: signedIn } });
    expect(session.status).toBe(200);
    expect((await signIn(org.anonymous, user.profile.login)).status).toBe(200);
  });

  test('past the mails of an hour the last one still works', async () => {
    const user = await withoutQuestion();
    for (let time = 0; time < 25; time += 1) {
      if (time % 10 === 9) service.clock.advance(MINUTE);
      await step(org.anonymous, '/recovery/password', { username: user.profile.login, ...EMAIL });
    }
    const { count, token } = await mailTo(service, org, user);
    expect(count).toBe(20);
    expect(await redeem(token)).toMatchObject({ status: 200 });
  });

  test.each([[{}], [{ username: '' }], [{ username: 'a@example.com' }], [{ username: 'a', factorType: 'SMS' }]])(
    '%j: 400',
    async (body) => {
      for (const path of ['/recovery/password', '/recovery/unlock']) {
        const refused = await step(org.anonymous, path, body);
        expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      }
    },
  );
});

describe('an application with an API token', () => {
  test('gets the token itself', async () => {
    const user = await newUser(org);
    const handed = await step(org.admin, '/recovery/password', { username: user.profile.login, relayState: 'r' });
    expect(handed.status).toBe(200);
    expect(handed.body).toEqual({
      recoveryToken: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
      expiresAt: expect.any(String),
      status: 'RECOVERY',
      recoveryType: 'PASSWORD',
      relayState: 'r',
      _embedded: {
        user: expect.objectContaining({ id: user.id, recovery_question: { question: QUESTION.question } }),
      },
      _links: {
        next: { name: 'recovery', href: `${org.baseUrl}${AUTHN}/recovery/token`, hints: { allow: ['POST'] } },
        cancel: { href: `${org.baseUrl}${AUTHN}/cancel`, hints: { allow: ['POST'] } },
      },
    });
    expect((await mailTo(service, org, user)).count).toBe(0);
    expect(await redeem(handed.body.recoveryToken)).toMatchObject({ status: 200, body: { status: 'RECOVERY' } });
  });

  test('is told what is wrong', async () => {
    const ask = (path: string, username: string) => step(org.admin, path, { username });
    expect(await ask('/recovery/password', 'nobody@example.com')).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000095' },
    });
    const suspended = await userIn(org, 'SUSPENDED');
    expect(await ask('/recovery/password', suspended.profile.login)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000034' },
    });
    const active = await newUser(org);
    expect(await ask('/recovery/unlock', active.profile.login)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000032' },
    });
  });

  test('needs the permission, and holds what the user holds', async () => {
    const user = await newUser(org);
    const username = user.profile.login;
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    for (const roles of [[], ['READ_ONLY_ADMIN'], ['APP_ADMIN']]) {
      const client = await org.withRoles(...roles);
      expect(await step(client, '/recovery/password', { username, ...EMAIL })).toMatchObject(forbidden);
      expect(await step(client, '/recovery/unlock', { username, ...EMAIL })).toMatchObject(forbidden);
    }
    const helpDesk = await org.withRoles('HELP_DESK_ADMIN');
    expect(await step(helpDesk, '/recovery/password', { username })).toMatchObject({ status: 200 });
    const { login } = (await read(org.adminUserId)).profile;
    expect(await step(helpDesk, '/recovery/password', { username: login })).toMatchObject(forbidden);
  });
});
