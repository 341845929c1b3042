import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, test } from 'vitest';
import { USER_STATUSES } from '../../src/kernel/user-statuses.ts';
import { AUTHN, comparable, newUser, REFUSED, signIn, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf, PASSWORD, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const read = async (id: string): Promise<TestResponse['body']> => (await org.admin.get(userPath(id))).body;
const typesOf = (events: TestResponse['body'][]): string[] => events.map(({ eventType }) => eventType);

describe('the right password', () => {
  test('SUCCESS: a session token for five minutes, and the user', async () => {
    const user = await newUser(org);
    const before = service.clock.now();
    const { body, status } = await signIn(org.anonymous, user.profile.login, PASSWORD, {
      body: { relayState: '/deep' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      status: 'SUCCESS',
      sessionToken: expect.stringMatching(/^[\w-]{20,}$/),
      relayState: '/deep',
      _embedded: {
        user: {
          id: user.id,
          passwordChanged: user.passwordChanged,
          profile: {
            login: user.profile.login,
            firstName: 'Ada',
            lastName: 'Lovelace',
            locale: 'en',
            timeZone: 'UTC',
          },
        },
      },
    });
    const minutes = (Date.parse(body.expiresAt) - before.getTime()) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(5);
    expect(minutes).toBeLessThan(5.5);
  });

  test('under the login in another case and the short login; never from the cache', async () => {
    const user = await newUser(org);
    const { login } = user.profile;
    for (const username of [login.toUpperCase(), login.split('@')[0]]) {
      const answer = await signIn(org.anonymous, username);
      expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
      expect(answer.headers['cache-control']).toContain('no-store');
    }
  });

  test('lastLogin moves, the entity tag does not', async () => {
    const user = await newUser(org);
    const before = await org.admin.get(userPath(user.id));
    expect(before.body.lastLogin).toBeNull();
    await signIn(org.anonymous, user.profile.login);
    const after = await org.admin.get(userPath(user.id));
    expect(Date.parse(after.body.lastLogin)).toBeGreaterThan(0);
    expect({ ...after.body, lastLogin: null }).toEqual(before.body);
    expect(after.headers['etag']).toBe(before.headers['etag']);
  });

  test('policy.evaluate_sign_on and user.session.start, by the user, with the public ids of the session', async () => {
    const user = await newUser(org);
    const answer = await signIn(org.anonymous, user.profile.login);
    const events = await eventsOf(org, answer);
    expect(typesOf(events)).toEqual(['policy.evaluate_sign_on', 'user.session.start']);
    const [evaluated, started] = events;
    expect(evaluated).toMatchObject({
      actor: { id: user.id },
      outcome: { result: 'ALLOW' },
      target: [
        { type: 'Policy', id: expect.stringMatching(/^00p/) },
        { type: 'Rule', id: expect.stringMatching(/^0pr/) },
      ],
      debugContext: { debugData: { zones: expect.any(String) } },
    });
    expect(started).toMatchObject({
      actor: { id: user.id, type: 'User', alternateId: user.profile.login, displayName: 'Ada Lovelace' },
      outcome: { result: 'SUCCESS', reason: null },
      legacyEventType: 'core.user_auth.login_success',
      authenticationContext: {
        authenticationProvider: 'SVC_AUTHENTICATION_PROVIDER',
        credentialProvider: 'SVC_CREDENTIAL_PROVIDER',
        credentialType: 'PASSWORD',
        externalSessionId: expect.stringMatching(/^trs/),
      },
    });
    const { externalSessionId, rootSessionId } = started.authenticationContext;
    expect(rootSessionId).toBe(externalSessionId);
    expect(JSON.stringify(events)).not.toContain(answer.body.sessionToken);
  });

  test('the token makes one session, whose public id is that of the sign-in', async () => {
    const user = await newUser(org);
    const answer = await signIn(org.anonymous, user.profile.login);
    const body = { sessionToken: answer.body.sessionToken };
    const session = await org.anonymous.post('/api/v1/sessions', { body });
    expect(session).toMatchObject({ status: 200, body: { userId: user.id, login: user.profile.login, amr: ['pwd'] } });
    expect(await org.anonymous.post('/api/v1/sessions', { body })).toMatchObject(REFUSED);
  });

  test('an application with an API token signs its users in as they do themselves', async () => {
    const user = await newUser(org);
    const answer = await signIn(org.admin, user.profile.login, PASSWORD, { body: { context: { deviceToken: 'd' } } });
    expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    const started = (await eventsOf(org, answer)).at(-1);
    expect(started.actor.id).toBe(user.id);
    expect(started.transaction.detail.requestApiTokenId).toMatch(/^00T/);
    const bad = org.client({ authorization: `SSWS 00${'x'.repeat(40)}` });
    expect(await signIn(bad, user.profile.login)).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
  });

  test('secrets are stored as hashes and never logged', async () => {
    const user = await newUser(org);
    const { body } = await signIn(org.anonymous, user.profile.login);
    const { rows } = await service.database.pool.query('select * from session_tokens where user_id = $1', [user.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(body.sessionToken);
    expect(service.logged()).not.toContain(body.sessionToken);
    expect(service.logged()).not.toContain(PASSWORD);
  });
});

describe('an imported password', () => {
  const imported = (password: string) => {
    const encoded = bcryptHash(password, { cost: 4 });
    const hash = { algorithm: 'BCRYPT', workFactor: 4, salt: encoded.slice(7, 29), value: encoded.slice(29) };
    return org.createUser({ credentials: { password: { hash } } });
  };

  test('becomes ours with the first sign-in, in our form', async () => {
    const user = await imported(PASSWORD);
    expect(user.credentials.provider).toEqual({ type: 'IMPORT', name: 'IMPORT' });
    for (let time = 0; time < 2; time += 1) {
      expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
      expect((await read(user.id)).credentials.provider).toEqual({ type: 'SVC', name: 'SVC' });
    }
    const text = `select password ->> 'algorithm' as algorithm from user_sign_in where user_id = $1`;
    expect((await service.database.pool.query(text, [user.id])).rows).toEqual([{ algorithm: 'ARGON2ID' }]);
    expect(await signIn(org.anonymous, user.profile.login, WRONG)).toMatchObject(REFUSED);
  });

  test('of 72 bytes: what follows them is not ignored', async () => {
    const password = 'Aa1'.repeat(24);
    const user = await imported(password);
    expect(await signIn(org.anonymous, user.profile.login, `${password}x`)).toMatchObject(REFUSED);
    expect(await signIn(org.anonymous, user.profile.login, password)).toMatchObject({ status: 200 });
  });
});

describe('long passwords', () => {
  const longest = `Aa1${'é€'.repeat(34)}x`;

  test('72 characters of more bytes: every one counts', async () => {
    expect(Array.from(longest)).toHaveLength(72);
    expect(Buffer.byteLength(longest)).toBeGreaterThan(73);
    const user = await org.createUser({ credentials: { password: { value: longest } } });
    const { login } = user.profile;
    expect(await signIn(org.anonymous, login, longest)).toMatchObject({ status: 200 });
    for (const password of [longest.slice(0, -1), `${longest}x`, `${longest.slice(0, -1)}y`]) {
      expect(await signIn(org.anonymous, login, password)).toMatchObject(REFUSED);
    }
  });

  test.each([73, 1_000, 1_001, 60_000])(
    '%i characters are a wrong password, for known and unknown alike',
    async (length) => {
      const user = await newUser(org);
      const password = 'A'.repeat(length);
      const known = await signIn(org.anonymous, user.profile.login, password);
      expect(known).toMatchObject(REFUSED);
      expect(comparable(await signIn(org.anonymous, 'nobody@example.com', password))).toEqual(comparable(known));
    },
  );

  test('NUL is refused before anything else', async () => {
    const user = await newUser(org);
    const answer = await signIn(org.anonymous, user.profile.login, `${PASSWORD}\0x`);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });
});

describe('refusals', () => {
  test('a wrong password and an unknown user are one answer, and two kinds of trace', async () => {
    const user = await newUser(org);
    const wrong = await signIn(org.anonymous, user.profile.login, WRONG);
    const unknown = await signIn(org.anonymous, 'nobody.at.all@example.com', WRONG);
    expect(wrong).toMatchObject(REFUSED);
    expect(comparable(unknown)).toEqual(comparable(wrong));
    const failure = { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' };
    const noSession = { externalSessionId: null, rootSessionId: null, credentialType: 'PASSWORD' };
    expect(await eventsOf(org, wrong)).toMatchObject([
      { eventType: 'user.session.start', actor: { id: user.id }, outcome: failure, authenticationContext: noSession },
    ]);
    expect(await eventsOf(org, unknown)).toMatchObject([
      {
        eventType: 'user.session.start',
        actor: { id: 'unknown', type: 'User', alternateId: 'nobody.at.all@example.com' },
        outcome: failure,
        authenticationContext: noSession,
        target: null,
      },
    ]);
    expect((await read(user.id)).lastLogin).toBeNull();
  });

  test.each(USER_STATUSES.filter((status) => status !== 'ACTIVE' && status !== 'PASSWORD_EXPIRED'))(
    '%s: the right password is refused like a wrong one',
    async (status) => {
      const user = await userIn(org, status);
      const right = await signIn(org.anonymous, user.profile.login);
      const unknown = await signIn(org.anonymous, `no${user.profile.login}`);
      expect(right).toMatchObject(REFUSED);
      expect(comparable(right)).toEqual(comparable(unknown));
      expect(comparable(await signIn(org.anonymous, user.profile.login, WRONG))).toEqual(comparable(unknown));
      const reason = status === 'LOCKED_OUT' ? 'LOCKED_OUT' : 'USER_STATUS';
      expect(await eventsOf(org, right)).toMatchObject([
        { eventType: 'user.session.start', outcome: { result: 'FAILURE', reason } },
      ]);
      expect((await read(user.id)).status).toBe(status);
    },
  );

  test('a user of another provider, and one of another org', async () => {
    const provider = { type: 'FEDERATION', name: 'FEDERATION' };
    const federated = await org.createUser({ credentials: { provider }, query: '?provider=true' });
    expect(await signIn(org.anonymous, federated.profile.login)).toMatchObject(REFUSED);
    const other = await service.newOrg();
    const stranger = await newUser(other);
    expect(await signIn(org.anonymous, stranger.profile.login)).toMatchObject(REFUSED);
    expect(await signIn(other.anonymous, stranger.profile.login)).toMatchObject({ status: 200 });
  });

  test('a short login that two users have', async () => {
    const short = `twin${Date.now()}`;
    for (const domain of ['a.example.com', 'b.example.com']) {
      await org.createUser({ profile: { login: `${short}@${domain}` }, credentials: CREDENTIALS });
    }
    expect(await signIn(org.anonymous, short)).toMatchObject(REFUSED);
  });

  test.each([
    [{}],
    [{ username: 'a@example.com' }],
    [{ password: PASSWORD }],
    [{ username: '', password: PASSWORD }],
    [{ username: 'a@example.com', password: '' }],
    [{ username: 5, password: PASSWORD }],
    [{ username: 'a@example.com', password: { value: PASSWORD } }],
    [{ username: 'a@example.com', password: PASSWORD, options: 'x' }],
    [{ username: 'a@example.com', password: PASSWORD, relayState: 'x'.repeat(2_049) }],
    [{ stateToken: '' }],
    [{ token: 'x'.repeat(257) }],
  ])('%j: 400 E0000001', async (body) => {
    const answer = await org.anonymous.post(AUTHN, { body });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await eventsOf(org, answer)).toEqual([]);
  });

  test('a login of 100,000 characters is an unknown one, cut in the log', async () => {
    const answer = await signIn(org.anonymous, 'a'.repeat(60_000));
    expect(answer).toMatchObject(REFUSED);
    const [event] = await eventsOf(org, answer);
    expect(event.actor.alternateId).toHaveLength(256);
  });

  test('only POST', async () => {
    expect(await org.anonymous.get(AUTHN)).toMatchObject({ status: 405, body: { errorCode: 'E0000022' } });
  });
});
