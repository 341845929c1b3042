import { describe, expect, test } from 'vitest';
import { dropEndedSessions } from '../../src/sign-in/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { startTestService } from '../support/service.ts';
import {
  exchange,
  ME,
  NO_SESSION,
  type OpenSession,
  openSession,
  REFRESH_PATHS,
  signedIn,
} from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  eventsOf,
  lockOut,
  PASSWORD,
  userPath,
} from '../support/users.ts';

/** This file tests revocation with two processes on one database (attacks 44, 58 and 82 in docs/security-rows.md). */
const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database }));

const there = ({ id }: OpenSession) => second.org.client({ cookie: `sid=${id}` }, org.hostname);

const lifecycle = (operation: string) => (userId: string) =>
  org.admin.post(`${userPath(userId)}/lifecycle/${operation}?sendEmail=false`);

async function deleteUser(userId: string) {
  await org.admin.del(userPath(userId));
  return org.admin.del(userPath(userId));
}

const newPassword = { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } };

describe('every session of a user dies, here at once and elsewhere within a second,', () => {
  test.each([
    ['when suspended', lifecycle('suspend')],
    ['when deactivated', lifecycle('deactivate')],
    ['when deleted', deleteUser],
    ['when the user changes the password', (id: string) => changePassword(org.admin, id, PASSWORD, ANOTHER_PASSWORD)],
    ['when an administrator sets the password', (id: string) => org.admin.post(userPath(id), newPassword)],
    ['when the password is reset', lifecycle('reset_password')],
    ['when there is a temporary password', lifecycle('expire_password_with_temp_password')],
    [
      'when the user moves to another provider',
      (id: string) => org.admin.post(`${userPath(id)}/lifecycle/reset_password?provider=FEDERATION&sendEmail=false`),
    ],
    ['when sessions are cleared', (id: string) => org.admin.del(`${userPath(id)}/sessions`)],
  ])('%s', async (_name, change) => {
    const first = await openSession(service, org);
    const sessions = [first, await openSession(service, org, { userId: first.userId })];
    const bystander = await openSession(service, org);
    const { sessionToken } = await signedIn(service, org, first.userId);
    for (const session of [...sessions, bystander]) {
      expect((await session.client.get(ME)).status).toBe(200);
      expect((await there(session).get('/api/v1/users/me')).status).toBe(200);
    }
    expect((await change(first.userId)).status).toBeLessThan(300);
    for (const session of sessions) {
      expect(await session.client.get(ME)).toMatchObject(NO_SESSION);
      expect(await session.client.get('/api/v1/users/me')).toMatchObject({ status: 403 });
      // Requests that do not use a cache see the change at once, even in the other process.
      for (const path of REFRESH_PATHS) expect(await there(session).post(`${ME}/${path}`)).toMatchObject(NO_SESSION);
      expect(await there(session).get(ME)).toMatchObject(NO_SESSION);
    }
    second.clock.advance(1_000);
    for (const session of sessions) expect(await there(session).get('/api/v1/users/me')).toMatchObject({ status: 403 });
    expect(await exchange(org.anonymous, sessionToken)).toMatchObject({ status: 401 });
    expect((await there(bystander).get('/api/v1/users/me')).status).toBe(200);
  });

  test('and is not brought back by what undoes the change', async () => {
    const { client, userId } = await openSession(service, org);
    await lifecycle('suspend')(userId);
    expect((await lifecycle('unsuspend')(userId)).status).toBe(200);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
    const anew = await openSession(service, org, { userId });
    expect((await anew.client.get(ME)).status).toBe(200);
  });

  test('and who signs in with the new password has a session that lives', async () => {
    const { userId } = await openSession(service, org);
    await changePassword(org.admin, userId, PASSWORD, ANOTHER_PASSWORD);
    const { client } = await openSession(service, org, { userId });
    expect((await client.get(ME)).status).toBe(200);
    expect((await client.post(`${ME}/refresh`)).status).toBe(200);
  });
});

describe('a session outlives', () => {
  test.each([
    [
      'a wrong password, as proof of a change',
      async (id: string) => {
        const { status } = await changePassword(org.admin, id, 'Wrong-0-Password', ANOTHER_PASSWORD);
        expect(status).toBe(403);
      },
    ],
    [
      'a recovery that anybody may start',
      async (id: string) => {
        const { status } = await org.admin.post(`${userPath(id)}/credentials/forgot_password?sendEmail=false`);
        expect(status).toBe(200);
      },
    ],
    [
      'a change of the profile',
      async (id: string) => {
        const { status } = await org.admin.post(userPath(id), { body: { profile: { nickName: 'N' } } });
        expect(status).toBe(200);
      },
    ],
  ])('%s', async (_name, change) => {
    const { client, userId } = await openSession(service, org);
    await change(userId);
    service.clock.advance(1_000);
    expect((await client.get(ME)).status).toBe(200);
    expect((await client.post(`${ME}/lifecycle/refresh`)).status).toBe(200);
  });

  test.each([
    ['lockout', (id: string) => lockOut(org.admin, id)],
    ['expiry of the password', lifecycle('expire_password')],
  ])('%s, and is not extended while it lasts', async (_name, change) => {
    const { client, id, userId } = await openSession(service, org);
    await change(userId);
    service.clock.advance(1_000);
    expect((await client.get(ME)).status).toBe(200);
    for (const path of REFRESH_PATHS) {
      expect(await client.post(`${ME}/${path}`)).toMatchObject(NO_SESSION);
      expect(await org.admin.post(`/api/v1/sessions/${id}/${path}`)).toMatchObject(NO_SESSION);
    }
    expect((await client.del(ME)).status).toBe(204);
  });
});

test("API tokens answer to their owner's status alone: they outlive a new password", async () => {
  const owner = await org.withRoles('ORG_ADMIN');
  expect((await changePassword(org.admin, owner.userId, PASSWORD, ANOTHER_PASSWORD)).status).toBe(200);
  service.clock.advance(1_000);
  expect((await owner.get('/api/v1/org')).status).toBe(200);
});

describe('DELETE /users/{id}/sessions', () => {
  const path = (id: string, query = ''): string => `${userPath(id)}/sessions${query}`;

  test('is one event, also for a user without sessions', async () => {
    const { userId } = await openSession(service, org);
    for (let times = 0; times < 2; times += 1) {
      const response = await org.admin.del(path(userId));
      expect(response).toMatchObject({ status: 204, body: undefined });
      const event = { eventType: 'user.session.clear', target: [{ id: userId, type: 'User' }] };
      expect(await eventsOf(org, response)).toMatchObject([event]);
    }
  });

  test('forgets the devices of the user unless it is told not to', async () => {
    const { userId } = await openSession(service, org);
    const devices = async (): Promise<number> => {
      const text = 'select from known_devices where user_id = $1';
      return (await service.database.pool.query(text, [userId])).rowCount ?? 0;
    };
    await service.database.pool.query(
      `insert into known_devices (org_id, user_id, device_hash, last_used_at) values ($1, $2, '\\x00', now())`,
      [org.id, userId],
    );
    await org.admin.del(path(userId, '?forgetDevices=false'));
    expect(await devices()).toBe(1);
    await org.admin.del(path(userId));
    expect(await devices()).toBe(0);
  });

  test('raises the watermark only for oauthTokens', async () => {
    const { userId } = await openSession(service, org);
    const mark = async (): Promise<Date> => {
      const text = 'select valid_after from users where id = $1';
      return (
        (await service.database.pool.query<{ valid_after: Date }>(text, [userId])).rows[0]?.valid_after ?? new Date(0)
      );
    };
    const before = await mark();
    await org.admin.del(path(userId));
    expect(await mark()).toEqual(before);
    await org.admin.del(path(userId, '?oauthTokens=true'));
    expect((await mark()).getTime()).toBeGreaterThan(before.getTime());
  });

  test('refuses who may not: by role, by rank, at another org', async () => {
    const { client, userId } = await openSession(service, org);
    const denied = { status: 403, body: { errorCode: 'E0000006' } };
    const helpDesk = await org.withRoles('HELP_DESK_ADMIN');
    const boss = await openSession(service, org, { userId: org.adminUserId });
    expect(await helpDesk.del(path(org.adminUserId))).toMatchObject(denied);
    expect((await boss.client.get(ME)).status).toBe(200);
    expect(await (await org.withRoles('READ_ONLY_ADMIN')).del(path(userId))).toMatchObject(denied);
    expect(await client.del(path(userId))).toMatchObject(denied);
    expect(await org.anonymous.del(path(userId))).toMatchObject({ status: 401 });
    const other = await service.newOrg();
    expect(await other.admin.del(path(userId))).toMatchObject(NO_SESSION);
    expect(await org.admin.del(path('00u00000000000000000'))).toMatchObject(NO_SESSION);
    const bad = await org.admin.del(path(userId, '?oauthTokens=perhaps'));
    expect(bad).toMatchObject({ status: 400, body: { errorCode: 'E0000037' } });
    expect((await client.get(ME)).status).toBe(200);
    expect((await helpDesk.del(path(userId))).status).toBe(204);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
  });
});

test('a token that is exchanged while its user is suspended leaves no session that holds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const { sessionToken } = await signedIn(service, org, user.id);
    const [exchanged] = await Promise.all([
      exchange(second.org.client({}, org.hostname), sessionToken),
      lifecycle('suspend')(user.id),
    ]);
    second.clock.advance(1_000);
    const held = second.org.client({ cookie: `sid=${exchanged.body.id}` }, org.hostname);
    expect(await held.get(ME)).toMatchObject(NO_SESSION);
    await lifecycle('unsuspend')(user.id);
    expect(await held.get(ME)).toMatchObject(NO_SESSION);
  }
});

test('a session goes on after the server was started anew', async () => {
  const database = await openTestDatabase();
  const before = await startTestService({ database });
  const { externalSessionId, id, userId } = await openSession(before, before.org);
  const { sessionToken } = await signedIn(before, before.org, userId);
  await before.close();
  const after = await startTestService({ database });
  try {
    const name = before.org.hostname;
    const client = after.org.client({ cookie: `sid=${id}` }, name);
    expect(await client.get(ME)).toMatchObject({ status: 200, body: { id, userId } });
    for (const path of REFRESH_PATHS) {
      expect(await client.post(`${ME}/${path}`)).toMatchObject({ status: 200, body: { id } });
      const minimal = await client.post(`${ME}/${path}`, { headers: { prefer: 'return=minimal' } });
      expect(minimal.status).toBe(204);
    }
    expect((await exchange(after.org.client({}, name), sessionToken)).status).toBe(200);
    expect((await client.del(ME)).status).toBe(204);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
    await after.drained();
    const text = `select body from log_unsealed where body::text like $1`;
    const { rows } = await database.pool.query(text, [`%${externalSessionId}%`]);
    expect(rows).toHaveLength(5);
  } finally {
    await after.close();
    await database.close();
  }
});

test('what has ended is swept away, what has not stays', async () => {
  const ended = await openSession(service, org, { idleMinutes: 1 });
  const living = await openSession(service, org);
  const tokens = [await signedIn(service, org, living.userId), await signedIn(service, org, living.userId)];
  const count = async (table: string): Promise<number> => {
    const text = `select from ${table} where user_id = any($1)`;
    return (await service.database.pool.query(text, [[ended.userId, living.userId]])).rowCount ?? 0;
  };
  expect([await count('sessions'), await count('session_tokens')]).toEqual([2, 2]);
  const inTwoMinutes = new Date(service.clock.now().getTime() + 120_000);
  // Each call drops a limited number of sessions, and returns true if more ended sessions may be left.
  let batches = 0;
  while (await dropEndedSessions(service.application.db, inTwoMinutes, 1)) batches += 1;
  expect(batches).toBeGreaterThan(0);
  expect([await count('sessions'), await count('session_tokens')]).toEqual([1, 2]);
  expect((await living.client.get(ME)).status).toBe(200);
  const whenTokensEnd = new Date(tokens[1]?.expiresAt.getTime() ?? 0);
  await dropEndedSessions(service.application.db, new Date(whenTokensEnd.getTime() + 1));
  expect(await count('session_tokens')).toBe(0);
});
