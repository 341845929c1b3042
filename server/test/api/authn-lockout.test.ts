import { afterEach, describe, expect, test, vi } from 'vitest';
import { comparable, newUser, policyWith, REFUSED, signIn, signInFrom, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ATTEMPTS_TO_LOCKOUT, eventsOf, PASSWORD, userIn, userPath } from '../support/users.ts';

const { service } = useService({ isShared: false });
let org: TestOrg;
afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;
/** Creates a user in a new org, because failures are also limited per address and org. */
const ownOrg = async (): Promise<TestResponse['body']> => {
  org = await service.newOrg();
  return newUser(org);
};
const statusOf = async (id: string): Promise<string> => (await org.admin.get(userPath(id))).body.status;
const unlock = (id: string) => org.admin.post(`${userPath(id)}/lifecycle/unlock`);
const logged = (type: string) => org.systemLog(`eventType eq "${type}"`);
const withPolicy = (lockout: object) =>
  vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(policyWith({ lockout }));

async function fail(times: number, login: string, device?: string): Promise<TestResponse[]> {
  const answers: TestResponse[] = [];
  for (let time = 0; time < times; time += 1) {
    const answer = await (device === undefined
      ? signIn(org.anonymous, login, WRONG)
      : signInFrom(org.anonymous, device, login, WRONG));
    expect(answer).toMatchObject(REFUSED);
    answers.push(answer);
  }
  return answers;
}

describe('lockout', () => {
  test('the tenth wrong password locks; the right one no longer helps, and nothing tells; unlock does', async () => {
    const user = await ownOrg();
    const { login } = user.profile;
    await fail(ATTEMPTS_TO_LOCKOUT - 1, login);
    expect(await statusOf(user.id)).toBe('ACTIVE');
    const [last] = await fail(1, login);
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
    const events = await eventsOf(org, last ?? ({} as TestResponse));
    expect(events.map(({ eventType }) => eventType)).toEqual(['user.session.start', 'user.account.lock']);
    expect(events[1]).toMatchObject({ actor: { id: user.id }, target: [{ id: user.id }], severity: 'WARN' });
    const right = await signIn(org.anonymous, login);
    expect(comparable(right)).toEqual(comparable(await signIn(org.anonymous, `no${login}`)));
    expect(comparable(right)).toEqual(comparable(await signIn(org.anonymous, login, WRONG)));
    expect(await eventsOf(org, right)).toMatchObject([{ outcome: { result: 'FAILURE', reason: 'LOCKED_OUT' } }]);
    expect(await unlock(user.id)).toMatchObject({ status: 200 });
    expect(await signIn(org.anonymous, login)).toMatchObject({ status: 200 });
  });

  test('a right one begins the count anew', async () => {
    const user = await ownOrg();
    for (let round = 0; round < 2; round += 1) {
      await fail(ATTEMPTS_TO_LOCKOUT - 1, user.profile.login);
      expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
    }
    expect(await statusOf(user.id)).toBe('ACTIVE');
  });

  test('40 at once, a right one last: locked once, and the count is exact', async () => {
    const user = await ownOrg();
    const { login } = user.profile;
    const answers = await Promise.all(Array.from({ length: 40 }, () => signIn(org.anonymous, login, WRONG)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
    expect(await logged('user.account.lock')).toHaveLength(1);
    const reasons = (await logged('user.session.start')).map(({ outcome }) => outcome.reason);
    expect(reasons.filter((reason) => reason === 'INVALID_CREDENTIALS')).toHaveLength(ATTEMPTS_TO_LOCKOUT);
    expect(reasons).toHaveLength(40);
    expect(await signIn(org.anonymous, login)).toMatchObject(REFUSED);
  });

  test('an org may show it: LOCKED_OUT with the way out; wrong passwords still show nothing', async () => {
    withPolicy({ showLockoutFailures: true, maxAttempts: 2 });
    const user = await ownOrg();
    await fail(2, user.profile.login);
    for (const password of [PASSWORD, WRONG]) {
      const { body, status } = await signIn(org.anonymous, user.profile.login, password);
      expect(status).toBe(200);
      expect(body).toEqual({
        status: 'LOCKED_OUT',
        _links: {
          next: {
            name: 'unlock',
            href: `${org.baseUrl}/api/v1/authn/recovery/unlock`,
            hints: { allow: ['POST'] },
          },
        },
      });
    }
    expect(await signIn(org.anonymous, `no${user.profile.login}`)).toMatchObject(REFUSED);
  });

  test('no limit, no lock', async () => {
    withPolicy({ maxAttempts: 0 });
    const user = await ownOrg();
    await fail(ATTEMPTS_TO_LOCKOUT + 2, user.profile.login);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });

  test('ends by itself after the minutes of the policy, at the next sign-in and not before', async () => {
    withPolicy({ autoUnlockMinutes: 30, maxAttempts: 2 });
    const user = await ownOrg();
    const { login } = user.profile;
    await fail(2, login);
    service.clock.advance(29 * MINUTE);
    expect(await signIn(org.anonymous, login)).toMatchObject(REFUSED);
    service.clock.advance(2 * MINUTE);
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
    const answer = await signIn(org.anonymous, login);
    expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    expect(await statusOf(user.id)).toBe('ACTIVE');
    expect((await eventsOf(org, answer)).map(({ eventType }) => eventType)).toEqual([
      'user.account.unlock',
      'policy.evaluate_sign_on',
      'user.session.start',
    ]);
    expect(await logged('user.account.unlock')).toMatchObject([{ target: [{ id: user.id }] }]);
  });

  test('after that, wrong ones are counted from the beginning', async () => {
    withPolicy({ autoUnlockMinutes: 30, maxAttempts: 2 });
    const user = await ownOrg();
    await fail(2, user.profile.login);
    service.clock.advance(31 * MINUTE);
    await fail(1, user.profile.login);
    expect(await statusOf(user.id)).toBe('ACTIVE');
    await fail(1, user.profile.login);
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
  });

  test('who must change the password is held without losing that status; unlock lets go', async () => {
    await ownOrg();
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const { login } = user.profile;
    await fail(ATTEMPTS_TO_LOCKOUT, login);
    expect(await statusOf(user.id)).toBe('PASSWORD_EXPIRED');
    expect(await logged('user.account.lock')).toHaveLength(1);
    const held = await signIn(org.anonymous, login);
    expect(held).toMatchObject(REFUSED);
    expect(await eventsOf(org, held)).toMatchObject([{ outcome: { reason: 'LOCKED_OUT' } }]);
    expect(await unlock(user.id)).toMatchObject({ status: 200, body: {} });
    expect(await signIn(org.anonymous, login)).toMatchObject({ status: 200, body: { status: 'PASSWORD_EXPIRED' } });
    expect(await unlock(user.id)).toMatchObject({ status: 403, body: { errorCode: 'E0000032' } });
  });
});

describe('known devices', () => {
  test('strangers block strangers: the owner goes on from the known device', async () => {
    const user = await ownOrg();
    const { login } = user.profile;
    expect(await signInFrom(org.anonymous, 'laptop', login)).toMatchObject({ status: 200 });
    await fail(ATTEMPTS_TO_LOCKOUT - 1, login, 'strange');
    const [last] = await fail(1, login);
    expect(await statusOf(user.id)).toBe('ACTIVE');
    expect(await eventsOf(org, last ?? ({} as TestResponse))).toMatchObject([
      { eventType: 'user.session.start' },
      { eventType: 'user.account.lock', debugContext: { debugData: { scope: 'UNKNOWN_DEVICES' } } },
    ]);
    for (const device of ['strange', 'another']) {
      const right = await signInFrom(org.anonymous, device, login);
      expect(comparable(right)).toEqual(comparable(await signIn(org.anonymous, `no${login}`)));
      expect(await eventsOf(org, right)).toMatchObject([{ outcome: { reason: 'UNKNOWN_DEVICE_BLOCKED' } }]);
    }
    expect(await signIn(org.anonymous, login)).toMatchObject(REFUSED);
    expect(await signInFrom(org.anonymous, 'laptop', login)).toMatchObject({ status: 200 });
  });

  test('unlock lets strangers try again, once', async () => {
    const user = await ownOrg();
    const { login } = user.profile;
    await signInFrom(org.anonymous, 'laptop', login);
    await fail(ATTEMPTS_TO_LOCKOUT, login, 'strange');
    const unlocked = await unlock(user.id);
    expect(unlocked).toMatchObject({ status: 200, body: {} });
    expect(await eventsOf(org, unlocked)).toMatchObject([{ eventType: 'user.account.unlock_by_admin' }]);
    expect(await unlock(user.id)).toMatchObject({ status: 403, body: { errorCode: 'E0000032' } });
    await fail(ATTEMPTS_TO_LOCKOUT - 1, login, 'strange');
    expect(await signInFrom(org.anonymous, 'strange', login)).toMatchObject({ status: 200 });
    // The sign-in made the device known and reset the counter.
    await fail(ATTEMPTS_TO_LOCKOUT - 1, login, 'other');
    expect(await signInFrom(org.anonymous, 'other', login)).toMatchObject({ status: 200 });
  });

  test('the block ends by itself as a lockout does', async () => {
    withPolicy({ autoUnlockMinutes: 30, maxAttempts: 2 });
    const user = await ownOrg();
    const { login } = user.profile;
    await signInFrom(org.anonymous, 'laptop', login);
    await fail(2, login, 'strange');
    service.clock.advance(29 * MINUTE);
    expect(await signInFrom(org.anonymous, 'strange', login)).toMatchObject(REFUSED);
    service.clock.advance(2 * MINUTE);
    expect(await signInFrom(org.anonymous, 'strange', login)).toMatchObject({ status: 200 });
  });

  test('wrong passwords from the known device lock as ever', async () => {
    const user = await ownOrg();
    const { login } = user.profile;
    await signInFrom(org.anonymous, 'laptop', login);
    await fail(ATTEMPTS_TO_LOCKOUT, login, 'laptop');
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
    expect(await signInFrom(org.anonymous, 'laptop', login)).toMatchObject(REFUSED);
  });

  test('without a known device everyone is locked', async () => {
    const user = await ownOrg();
    await signIn(org.anonymous, user.profile.login);
    await fail(ATTEMPTS_TO_LOCKOUT, user.profile.login, 'strange');
    expect(await statusOf(user.id)).toBe('LOCKED_OUT');
  });

  test('a device of one user is a stranger to the next; a failed sign-in makes none known', async () => {
    const user = await ownOrg();
    const other = await newUser(org);
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    await signInFrom(org.anonymous, 'desk', other.profile.login);
    await fail(ATTEMPTS_TO_LOCKOUT, other.profile.login, 'laptop');
    expect(await statusOf(other.id)).toBe('ACTIVE');
    expect(await signInFrom(org.anonymous, 'laptop', other.profile.login)).toMatchObject(REFUSED);
    expect(await signInFrom(org.anonymous, 'desk', other.profile.login)).toMatchObject({ status: 200 });
  });

  test('only the newest fifty are kept, as hashes', async () => {
    const user = await ownOrg();
    const text = `insert into known_devices (org_id, user_id, device_hash, last_used_at)
      select $1, $2, sha256(n::text::bytea), now() - make_interval(hours => n) from generate_series(1, 60) as n`;
    await service.database.pool.query(text, [org.id, user.id]);
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    const kept = `select count(*)::integer as devices, bool_or(device_hash = sha256('laptop')) as newest,
      min(octet_length(device_hash)) as bytes from known_devices where user_id = $1`;
    const { rows } = await service.database.pool.query(kept, [user.id]);
    expect(rows).toEqual([{ devices: 50, newest: true, bytes: 32 }]);
  });

  test('deactivation forgets them', async () => {
    const user = await ownOrg();
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    const { rows } = await service.database.pool.query('select 1 from known_devices where user_id = $1', [user.id]);
    expect(rows).toEqual([]);
  });
});
