import { afterEach, describe, expect, test, vi } from 'vitest';
import { policyWith, signIn, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  ATTEMPTS_TO_LOCKOUT,
  changePassword,
  eventsOf,
  lockOut,
  PASSWORD,
  QUESTION,
  type UserStatus,
  userIn,
  userPath,
} from '../support/users.ts';

const { service, org } = useService({ isShared: false });
afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;
const REFUSED = { status: 403, body: { errorCode: 'E0000014' } };
const guess = (id: string, password: string) => changePassword(org.admin, id, password, ANOTHER_PASSWORD);
const statusOf = async (id: string): Promise<string> => (await org.admin.get(userPath(id))).body.status;
const unlock = (id: string) => org.admin.post(`${userPath(id)}/lifecycle/unlock`);
const locksOf = (id: string) => org.systemLog(`target.id eq "${id}" and eventType eq "user.account.lock"`);
const stateOf = async (id: string) => {
  const text = `select failed_attempts as attempts, locked_at is not null as "isHeld" from user_sign_in
    where org_id = $1 and user_id = $2`;
  return (await service.database.pool.query(text, [org.id, id])).rows[0];
};

/** A lockout does not change these statuses. */
const KEPT: readonly UserStatus[] = ['STAGED', 'RECOVERY', 'PASSWORD_EXPIRED'];

describe('failed proofs of the password of who is not ACTIVE', () => {
  test.each(KEPT)(
    '%s: the tenth holds the user, told once; the right one no longer helps; unlock does',
    async (status) => {
      const user = await userIn(org, status);
      for (let attempt = 1; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) {
        expect(await guess(user.id, WRONG)).toMatchObject(REFUSED);
      }
      expect(await locksOf(user.id)).toEqual([]);
      const last = await guess(user.id, WRONG);
      expect(last).toMatchObject(REFUSED);
      expect((await eventsOf(org, last)).map(({ eventType }) => eventType)).toEqual([
        'user.account.update_password',
        'user.account.lock',
      ]);
      const [right, wrong] = [await guess(user.id, PASSWORD), await guess(user.id, WRONG)];
      expect(right).toMatchObject(REFUSED);
      expect(right.body.errorCauses).toEqual(wrong.body.errorCauses);
      expect(await statusOf(user.id)).toBe(status);
      expect(await locksOf(user.id)).toHaveLength(1);
      expect(await unlock(user.id)).toMatchObject({ status: 200 });
      expect(await statusOf(user.id)).toBe(status);
      expect(await stateOf(user.id)).toEqual({ attempts: 0, isHeld: false });
      expect(await unlock(user.id)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000032', errorCauses: [{ errorSummary: 'The user is not locked out.' }] },
      });
      expect(await guess(user.id, PASSWORD)).toMatchObject({ status: 200 });
    },
  );

  test('40 at once hold once', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const answers = await Promise.all(Array.from({ length: 40 }, () => guess(user.id, WRONG)));
    for (const answer of answers) expect(answer).toMatchObject(REFUSED);
    expect(await locksOf(user.id)).toHaveLength(1);
    expect(await stateOf(user.id)).toEqual({ attempts: 40, isHeld: true });
  });

  test('nor does the right one change the recovery question', async () => {
    const user = await userIn(org, 'RECOVERY');
    await lockOut(org.admin, user.id);
    for (const value of [PASSWORD, WRONG]) {
      const body = { password: { value }, recovery_question: QUESTION };
      expect(await org.admin.post(`${userPath(user.id)}/credentials/change_recovery_question`, { body })).toMatchObject(
        REFUSED,
      );
    }
  });

  test('who is held is held at the sign-in too, also once activated', async () => {
    const user = await userIn(org, 'STAGED');
    await lockOut(org.admin, user.id);
    await org.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=false`);
    expect(await statusOf(user.id)).toBe('ACTIVE');
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 401 });
    expect(await guess(user.id, PASSWORD)).toMatchObject(REFUSED);
    expect(await unlock(user.id)).toMatchObject({ status: 200 });
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });

  test('who is held since failed sign-ins is held here', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    for (let time = 0; time < ATTEMPTS_TO_LOCKOUT; time += 1) await signIn(org.anonymous, user.profile.login, WRONG);
    expect(await locksOf(user.id)).toHaveLength(1);
    expect(await guess(user.id, PASSWORD)).toMatchObject(REFUSED);
    expect(await statusOf(user.id)).toBe('PASSWORD_EXPIRED');
  });

  test('a password set by an administrator, and a reset, lift it', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    await lockOut(org.admin, user.id);
    await org.admin.post(userPath(user.id), { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } });
    expect(await changePassword(org.admin, user.id, ANOTHER_PASSWORD, 'Third-3-Password')).toMatchObject({
      status: 200,
    });
    const other = await userIn(org, 'RECOVERY');
    await lockOut(org.admin, other.id);
    await org.admin.post(`${userPath(other.id)}/lifecycle/reset_password?sendEmail=false`);
    expect(await stateOf(other.id)).toEqual({ attempts: 0, isHeld: false });
  });

  test.each(KEPT)('%s: ends after the minutes of the policy, at the next proof', async (status) => {
    const lockout = { autoUnlockMinutes: 30, maxAttempts: 2 };
    vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policyWith({ lockout }));
    const user = await userIn(org, status);
    const fail = (): Promise<TestResponse> => guess(user.id, WRONG);
    await fail();
    await fail();
    service.clock.advance(29 * MINUTE);
    expect(await guess(user.id, PASSWORD)).toMatchObject(REFUSED);
    service.clock.advance(2 * MINUTE);
    const wrong = await fail();
    expect((await eventsOf(org, wrong)).map(({ eventType }) => eventType)).toEqual([
      'user.account.unlock',
      'user.account.update_password',
    ]);
    expect(await stateOf(user.id)).toEqual({ attempts: 1, isHeld: false });
    expect(await guess(user.id, PASSWORD)).toMatchObject({ status: 200 });
  });

  test('no limit, no hold', async () => {
    const lockout = { maxAttempts: 0 };
    vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policyWith({ lockout }));
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    await lockOut(org.admin, user.id);
    expect(await guess(user.id, PASSWORD)).toMatchObject({ status: 200 });
  });
});
