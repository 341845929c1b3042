import { describe, expect, test } from 'vitest';
import { ME, NO_SESSION, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, userPath } from '../support/users.ts';

/** This file tests requests that specify what a password change does to sessions. */
const { service, org } = useService({ isShared: false });

const newPassword = { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } };
const changed = (id: string, said: object) =>
  org.admin.post(`${userPath(id)}/credentials/change_password`, {
    body: { oldPassword: { value: PASSWORD }, newPassword: { value: ANOTHER_PASSWORD }, ...said },
  });
const withTemp = (id: string, query: string) =>
  org.admin.post(`${userPath(id)}/lifecycle/expire_password_with_temp_password${query}`);
const withOldTemp = (id: string, query: string) =>
  org.admin.post(`${userPath(id)}/lifecycle/expire_password?tempPassword=true${query.replace('?', '&')}`);

/** The ways to set a new password that let the request decide whether earlier sessions stay valid. */
const SAYING = [
  ['change_password', (id: string, said: boolean) => changed(id, { revokeSessions: said })],
  ['a temporary password', (id: string, said: boolean) => withTemp(id, `?revokeSessions=${said}`)],
  ['its older spelling', (id: string, said: boolean) => withOldTemp(id, `?revokeSessions=${said}`)],
  [
    'POST of a user',
    (id: string, said: boolean) => org.admin.post(`${userPath(id)}?revokeSessions=${said}`, newPassword),
  ],
  [
    'PUT of a user',
    async (id: string, said: boolean) => {
      const { profile } = (await org.admin.get(userPath(id))).body;
      return org.admin.put(`${userPath(id)}?revokeSessions=${said}`, { body: { profile, ...newPassword.body } });
    },
  ],
] as const;

describe.each(SAYING)('by %s', (_name, set) => {
  test('sessions outlive a new password where the request says so, and end where it says that', async () => {
    const kept = await openSession(service, org);
    expect((await set(kept.userId, false)).status).toBe(200);
    service.clock.advance(1_000);
    expect((await kept.client.get(ME)).status).toBe(200);
    const ended = await openSession(service, org);
    expect((await set(ended.userId, true)).status).toBe(200);
    expect(await ended.client.get(ME)).toMatchObject(NO_SESSION);
  });
});

test('whose password was reset keeps no session of before, whatever the request says', async () => {
  for (const set of [SAYING[0][1], SAYING[3][1], SAYING[4][1]]) {
    const { userId } = await openSession(service, org);
    await org.admin.post(`${userPath(userId)}/lifecycle/reset_password?sendEmail=false`);
    const markOf = async () => {
      const text = 'select valid_after as mark from users where id = $1';
      return (await service.database.pool.query(text, [userId])).rows[0].mark;
    };
    const before = await markOf();
    expect((await set(userId, false)).status).toBe(200);
    expect((await markOf()) > before).toBe(true);
  }
});

test.each(['maybe', '', '0'])('revokeSessions=%s is no flag', async (value) => {
  const { client, userId } = await openSession(service, org);
  const refused = { status: 400, body: { errorCode: 'E0000037' } };
  expect(await withTemp(userId, `?revokeSessions=${value}`)).toMatchObject(refused);
  expect(await org.admin.post(`${userPath(userId)}?revokeSessions=${value}`, newPassword)).toMatchObject(refused);
  expect((await client.get(ME)).status).toBe(200);
});
