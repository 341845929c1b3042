import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { exchange, ME, NO_SESSION, openSession, REFRESH_PATHS, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf } from '../support/users.ts';

/**
 * This file tests the life of sessions (specification 2.8, 4.8; contract section 6; attack 58 in
 * docs/security-rows.md).
 */
const { service, org } = useService({ isShared: false });
const other = beforeTests(() => service.newOrg());

const MINUTE_MILLISECONDS = 60_000;
const REFUSED = { status: 401, body: { errorCode: 'E0000004' } };
const sessionPath = (id: string, rest = ''): string => `/api/v1/sessions/${id}${rest}`;
const newUserId = async (of = org): Promise<string> => (await of.createUser({ credentials: CREDENTIALS })).id;
const at = (text: string): number => new Date(text).getTime();

describe('a session token', () => {
  test('becomes a session, as the contract shows it', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS, profile: { firstName: 'Isaac', lastName: 'Brock' } });
    const { sessionToken } = await signedIn(service, org, user.id);
    const { body, headers, status } = await exchange(org.anonymous, sessionToken);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^102[A-Za-z0-9_-]{22}$/),
      login: user.profile.login,
      userId: user.id,
      createdAt: expect.any(String),
      expiresAt: new Date(at(body.createdAt) + 120 * MINUTE_MILLISECONDS).toISOString(),
      status: 'ACTIVE',
      lastPasswordVerification: expect.any(String),
      lastFactorVerification: null,
      amr: ['pwd'],
      idp: { id: org.id, type: 'SVC' },
      mfaActive: false,
      _links: {
        self: { href: `${org.baseUrl}${ME}`, hints: { allow: ['GET', 'DELETE'] } },
        refresh: { href: `${org.baseUrl}${ME}/lifecycle/refresh`, hints: { allow: ['POST'] } },
        user: { name: 'Isaac Brock', href: `${org.baseUrl}/api/v1/users/me`, hints: { allow: ['GET'] } },
      },
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('is good once', async () => {
    const { sessionToken } = await signedIn(service, org, await newUserId());
    expect((await exchange(org.anonymous, sessionToken)).status).toBe(200);
    expect(await exchange(org.anonymous, sessionToken)).toMatchObject(REFUSED);
  });

  test('of those who come with it at once, one gets a session', async () => {
    const userId = await newUserId();
    const { sessionToken } = await signedIn(service, org, userId);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(org.anonymous, sessionToken)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(401)]);
    const { rows } = await service.database.pool.query('select from sessions where user_id = $1', [userId]);
    expect(rows).toHaveLength(1);
  });

  test('is over after five minutes', async () => {
    const userId = await newUserId();
    const [early, late] = [await signedIn(service, org, userId), await signedIn(service, org, userId)];
    service.clock.advance(5 * MINUTE_MILLISECONDS - 5_000);
    expect((await exchange(org.anonymous, early.sessionToken)).status).toBe(200);
    service.clock.advance(6_000);
    expect(await exchange(org.anonymous, late.sessionToken)).toMatchObject(REFUSED);
  });

  test('of another org is no token here, and is not used up by the attempt', async () => {
    const { sessionToken } = await signedIn(service, org, await newUserId());
    expect(await exchange(other.anonymous, sessionToken)).toMatchObject(REFUSED);
    expect((await exchange(org.anonymous, sessionToken)).status).toBe(200);
  });

  test.each(['', 'x', '0'.repeat(43), '../../x', 'x'.repeat(5_000)])('%j is none', async (sessionToken) => {
    expect(await exchange(org.anonymous, sessionToken)).toMatchObject(REFUSED);
  });

  test.each([{}, { sessionToken: null }, { sessionToken: 1 }, { sessionToken: ['x'] }, []])(
    '%j is no body',
    async (body) => {
      const response = await org.anonymous.post('/api/v1/sessions', { body });
      expect(response).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    },
  );

  test.each(['suspend', 'deactivate', 'expire_password', 'reset_password'])(
    'of a user after %s leaves no session',
    async (operation) => {
      const userId = await newUserId();
      const { sessionToken } = await signedIn(service, org, userId);
      expect((await org.admin.post(`/api/v1/users/${userId}/lifecycle/${operation}`)).status).toBe(200);
      expect(await exchange(org.anonymous, sessionToken)).toMatchObject(REFUSED);
      const { rows } = await service.database.pool.query('select from sessions where user_id = $1', [userId]);
      expect(rows).toEqual([]);
    },
  );

  test('never says where it is kept: only hashes are stored', async () => {
    const { sessionToken } = await signedIn(service, org, await newUserId());
    const { id } = await openSession(service, org);
    const { rows } = await service.database.pool.query<{ text: string }>(
      'select t::text as text from session_tokens t union all select s::text from sessions s',
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { text } of rows) {
      expect(text).not.toContain(sessionToken);
      expect(text).not.toContain(id);
    }
  });
});

describe('whoever holds the cookie', () => {
  test('sees the session as me', async () => {
    const { body, client, id } = await openSession(service, org);
    expect(await client.get(ME)).toMatchObject({ status: 200, body: { ...body, id } });
  });

  test('is the user, with the rights of the user now', async () => {
    const { client, userId } = await openSession(service, org);
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 200, body: { id: userId } });
    expect(await client.get('/api/v1/trustedOrigins')).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    await org.admin.post(`/api/v1/users/${userId}/roles`, { body: { type: 'ORG_ADMIN' } });
    expect((await client.get('/api/v1/trustedOrigins')).status).toBe(200);
  });

  test('closes it, once; then it is nothing', async () => {
    const { client, id } = await openSession(service, org);
    const closed = await client.del(ME);
    expect(closed).toMatchObject({ status: 204, body: undefined });
    expect(closed.headers['set-cookie']).toEqual(['__Host-sid=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax']);
    expect(await client.del(ME)).toMatchObject(NO_SESSION);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 403, body: { errorCode: 'E0000005' } });
    expect(await org.admin.get(sessionPath(id))).toMatchObject(NO_SESSION);
  });

  test('closed twice at once it ends once', async () => {
    const { client } = await openSession(service, org);
    const answers = await Promise.all([client.del(ME), client.del(ME), client.del(ME)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
  });

  test('is nobody at another org', async () => {
    const { id } = await openSession(service, org);
    expect(await other.client({ cookie: `sid=${id}` }).get(ME)).toMatchObject(NO_SESSION);
  });

  test('without the cookie there is no me, token or not', async () => {
    for (const client of [org.anonymous, org.admin]) {
      expect(await client.get(ME)).toMatchObject(NO_SESSION);
      expect(await client.del(ME)).toMatchObject(NO_SESSION);
      for (const path of REFRESH_PATHS) expect(await client.post(`${ME}/${path}`)).toMatchObject(NO_SESSION);
    }
  });
});

describe('an administrator', () => {
  test('sees, extends and ends a session by its id', async () => {
    const { client, id, userId } = await openSession(service, org);
    const self = `${org.baseUrl}${sessionPath(id)}`;
    const links = { self: { href: self }, user: { href: `${org.baseUrl}/api/v1/users/${userId}` } };
    const expected = { status: 200, body: { id, userId, _links: links } };
    expect(await org.admin.get(sessionPath(id))).toMatchObject(expected);
    for (const path of REFRESH_PATHS) expect(await org.admin.post(sessionPath(id, `/${path}`))).toMatchObject(expected);
    expect(await org.admin.put(sessionPath(id))).toMatchObject(expected);
    expect(await org.admin.del(sessionPath(id))).toMatchObject({ status: 204, body: undefined });
    expect(await org.admin.del(sessionPath(id))).toMatchObject(NO_SESSION);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
  });

  test.each([`102${'x'.repeat(22)}`, 'x', '102', `102${'x'.repeat(23)}`, '00u00000000000000000', '%2e%2e'])(
    '%s is no session',
    async (id) => {
      const prefer = { headers: { prefer: 'return=minimal' } };
      expect(await org.admin.get(sessionPath(id))).toMatchObject(NO_SESSION);
      expect(await org.admin.del(sessionPath(id))).toMatchObject(NO_SESSION);
      expect(await org.admin.put(sessionPath(id))).toMatchObject(NO_SESSION);
      for (const path of REFRESH_PATHS) {
        expect(await org.admin.post(sessionPath(id, `/${path}`))).toMatchObject(NO_SESSION);
        expect(await org.admin.post(sessionPath(id, `/${path}`), prefer)).toMatchObject(NO_SESSION);
      }
    },
  );

  test("another org's session is unknown here, and goes on", async () => {
    const { client, id } = await openSession(service, org);
    expect(await other.admin.get(sessionPath(id))).toMatchObject(NO_SESSION);
    expect(await other.admin.post(sessionPath(id, '/refresh'))).toMatchObject(NO_SESSION);
    expect(await other.admin.del(sessionPath(id))).toMatchObject(NO_SESSION);
    expect((await client.get(ME)).status).toBe(200);
  });

  test('needs the role for it', async () => {
    const { client, id } = await openSession(service, org);
    const denied = { status: 403, body: { errorCode: 'E0000006' } };
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect((await reader.get(sessionPath(id))).status).toBe(200);
    for (const caller of [reader, await org.withRoles('APP_ADMIN'), client]) {
      expect(await caller.del(sessionPath(id))).toMatchObject(denied);
      expect(await caller.post(sessionPath(id, '/lifecycle/refresh'))).toMatchObject(denied);
    }
    expect(await client.get(sessionPath(id))).toMatchObject(denied);
    expect(await org.anonymous.get(sessionPath(id))).toMatchObject(REFUSED);
  });
});

describe('what the System Log shows', () => {
  test('refresh and end name the user and the public ids of the session', async () => {
    const { client, externalSessionId, id, userId } = await openSession(service, org);
    expect(externalSessionId).toMatch(/^trs[A-Za-z0-9_-]{22}$/);
    const about = { externalSessionId, rootSessionId: externalSessionId };
    const event = (eventType: string, actorId: string) => [
      { eventType, actor: { id: actorId }, target: [{ id: userId, type: 'User' }], authenticationContext: about },
    ];
    const refreshed = event('user.session.refresh', userId);
    for (const path of REFRESH_PATHS) {
      expect(await eventsOf(org, await client.post(`${ME}/${path}`))).toMatchObject(refreshed);
    }
    const byAdmin = await org.admin.post(sessionPath(id, '/lifecycle/refresh'));
    expect(await eventsOf(org, byAdmin)).toMatchObject(event('user.session.refresh', org.adminUserId));
    expect(await eventsOf(org, await client.del(ME))).toMatchObject(event('user.session.end', userId));
    expect(await eventsOf(org, await client.del(ME))).toEqual([]);
  });

  test('what a user does with a session bears its public ids', async () => {
    const { client, externalSessionId } = await openSession(service, org, { userId: org.adminUserId });
    const profile = { login: 'by.session@example.com', email: 'by.session@example.com', firstName: 'A', lastName: 'B' };
    const created = await client.post('/api/v1/users?activate=false', { body: { profile } });
    expect(created.status).toBe(200);
    expect(await eventsOf(org, created)).toMatchObject([
      { eventType: 'user.lifecycle.create', authenticationContext: { externalSessionId } },
    ]);
  });

  test('neither the id of a session nor a session token is ever in it, or in the log of the server', async () => {
    const own = await service.newOrg();
    const { client, id, userId } = await openSession(service, own);
    const { sessionToken } = await signedIn(service, own, userId);
    await client.get(ME);
    await client.get(sessionPath(id));
    await own.admin.post(sessionPath(id, '/lifecycle/refresh'));
    await own.anonymous.get(sessionPath(id));
    const target = encodeURIComponent(`${own.baseUrl}/`);
    await own.anonymous.get(`/login/sessionCookieRedirect?token=${sessionToken}&redirectUrl=${target}`);
    await own.admin.del(sessionPath(id));
    await own.admin.del(sessionPath(id));
    await service.application.edgeEvents.flush(true);
    const events = JSON.stringify(await own.systemLog());
    expect(events).toContain('/api/v1/sessions/102.../lifecycle/refresh');
    expect(events).toContain('security.access.deny');
    for (const secret of [id, sessionToken]) {
      expect(events).not.toContain(secret);
      expect(service.logged()).not.toContain(secret);
    }
  });
});
