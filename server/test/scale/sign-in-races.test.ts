import { expect, test } from 'vitest';
import { newUser, REFUSED, signInFrom } from '../support/authn.ts';
import { behind } from '../support/behind.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

/**
 * A sign-in decides by the data that it read before it verified the password (ADR 0072). In these races, a change
 * commits while the sign-in waits for the user's row, so the guard must notice it.
 */
const { service, org } = useService();

const DEVICE = 'a device of the user';
const HELD = 'with held as materialized (select org_id, id from users where org_id = $1 and id = $2 for update)';
const OF_HELD = 's.org_id = held.org_id and s.user_id = held.id';

const query = async (text: string, userId: string): Promise<Record<string, unknown> | undefined> =>
  (await service.database.pool.query<Record<string, unknown>>(text, [org.id, userId])).rows[0];

const signInBehind = (change: string, user: TestResponse['body'], device = DEVICE): Promise<TestResponse> =>
  behind(service, change, [org.id, user.id], () => signInFrom(org.anonymous, device, user.profile.login));

test.each([
  ['is suspended', `update users set status = 'SUSPENDED', revision = revision + 1 where org_id = $1 and id = $2`],
  ['is deleted', 'delete from users where org_id = $1 and id = $2'],
  [
    'has a new password',
    `${HELD} insert into user_password_history (org_id, user_id, set_at, ordinal, password)
      select org_id, id, now(), 2, '{}' from held`,
  ],
  ['has no password', `${HELD} update user_sign_in s set password = null from held where ${OF_HELD}`],
  ['is locked', `${HELD} update user_sign_in s set locked_at = now() + interval '1 day' from held where ${OF_HELD}`],
])('the user %s: they are refused', async (_, change) => {
  const user = await newUser(org);
  expect(await signInBehind(change, user)).toMatchObject(REFUSED);
});

test('unknown devices are blocked: only a known one leads in', async () => {
  const user = await newUser(org);
  await signInFrom(org.anonymous, DEVICE, user.profile.login);
  const block = `${HELD} update user_sign_in s set unknown_devices_blocked_at = now() + interval '1 day'
    from held where ${OF_HELD}`;
  expect(await signInBehind(block, user, 'a new device')).toMatchObject(REFUSED);
  expect((await signInFrom(org.anonymous, DEVICE, user.profile.login)).status).toBe(200);
});

test('the device is forgotten: the failures of unknown devices are forgiven', async () => {
  const user = await newUser(org);
  await signInFrom(org.anonymous, DEVICE, user.profile.login);
  await query('update user_sign_in set unknown_device_failures = 3 where org_id = $1 and user_id = $2', user.id);
  await signInFrom(org.anonymous, DEVICE, user.profile.login);
  const failures = 'select unknown_device_failures as failures from user_sign_in where org_id = $1 and user_id = $2';
  expect(await query(failures, user.id)).toEqual({ failures: 3 });
  const forget = `${HELD} delete from known_devices s using held where ${OF_HELD}`;
  expect((await signInBehind(forget, user)).status).toBe(200);
  expect(await query(failures, user.id)).toEqual({ failures: 0 });
});

test('the user is renamed: the answer and the event have the new name', async () => {
  const user = await newUser(org);
  const rename = `update users set profile = jsonb_set(profile, '{firstName}', '"Augusta"'), revision = revision + 1
    where org_id = $1 and id = $2`;
  const answer = await signInBehind(rename, user);
  expect(answer).toMatchObject({ status: 200, body: { _embedded: { user: { profile: { firstName: 'Augusta' } } } } });
  const events = await eventsOf(org, answer);
  expect(events.map(({ actor, eventType }) => [eventType, actor.displayName])).toEqual([
    ['policy.evaluate_sign_on', 'Augusta Lovelace'],
    ['user.session.start', 'Augusta Lovelace'],
  ]);
});
