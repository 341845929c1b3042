import { afterEach, describe, expect, test, vi } from 'vitest';
import { dropOldSignInRows } from '../../src/sign-in/index.ts';
import { comparable, newUser, REFUSED, signIn, signInFrom, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { trustProxy } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userIn } from '../support/users.ts';

const { service } = useService();
let org: TestOrg;
afterEach(() => vi.restoreAllMocks());

/** Stops the clock at the start of a minute, so that all requests of a test fall into one window. */
async function standing(): Promise<Date> {
  org = await service.newOrg();
  const now = new Date(Math.ceil(service.clock.now().getTime() / 60_000) * 60_000 + 60_000);
  vi.spyOn(service.clock, 'now').mockImplementation(() => new Date(now));
  return now;
}
const goOn = (from: Date, milliseconds: number): void => {
  vi.spyOn(service.clock, 'now').mockImplementation(() => new Date(from.getTime() + milliseconds));
};

const TOO_MANY = { status: 429, body: { errorCode: 'E0000047' } };

/** Tries to sign in with a different name each time, as in credential stuffing. */
async function stuff(times: number, headers: (time: number) => Record<string, string> = () => ({})) {
  const answers: TestResponse[] = [];
  for (let time = 0; time < times; time += 1) {
    answers.push(await signIn(org.anonymous, `n${time}@example.com`, WRONG, { headers: headers(time) }));
  }
  return answers;
}

describe('failures of an address', () => {
  test('100 a minute, whatever the name: then 429 for right and wrong alike, until the minute ends', async () => {
    const now = await standing();
    const user = await newUser(org);
    const answers = await stuff(100);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const right = await signIn(org.anonymous, user.profile.login);
    expect(right).toMatchObject(TOO_MANY);
    expect(comparable(await signIn(org.anonymous, 'nobody@example.com', WRONG))).toEqual(comparable(right));
    expect(right.headers).toMatchObject({
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(now.getTime() / 1_000 + 60),
    });
    goOn(now, 60_000);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });

  test('one event of the limit, and none of what comes after it', async () => {
    await standing();
    await stuff(103);
    const events = await org.systemLog('eventType eq "system.operation.rate_limit.violation"');
    expect(events).toMatchObject([{ outcome: { result: 'RATE_LIMIT' }, client: { ipAddress: '127.0.0.1' } }]);
    expect(await org.systemLog('eventType eq "user.session.start"')).toHaveLength(100);
  });

  test('successes are no failures', async () => {
    const now = await standing();
    const user = await newUser(org);
    for (let time = 0; time < 110; time += 1) {
      if (time % 40 === 0) goOn(now, 1_000 * (time / 40));
      expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
    }
  });

  test('the owner still comes in from a known device', async () => {
    await standing();
    const user = await newUser(org);
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    await stuff(100);
    expect(await signInFrom(org.anonymous, 'laptop', user.profile.login)).toMatchObject({ status: 200 });
    expect(await signInFrom(org.anonymous, 'strange', user.profile.login)).toMatchObject(TOO_MANY);
  });

  test('of this org: another one is not held', async () => {
    await standing();
    await stuff(100);
    expect(await signIn(org.anonymous, 'a@example.com', WRONG)).toMatchObject(TOO_MANY);
    const other = await service.newOrg();
    expect(await signIn(other.anonymous, 'a@example.com', WRONG)).toMatchObject(REFUSED);
  });

  test('all of a /64 is one; the mapped form of an address is that address', async () => {
    await standing();
    await trustProxy(service, org, '127.0.0.0/8');
    const from = (address: string) => ({ 'x-forwarded-for': address });
    await stuff(100, (time) => from(`2001:db8:0:1::${time.toString(16)}`));
    const next = { headers: from('2001:db8:0:1:ffff::1') };
    expect(await signIn(org.anonymous, 'a@example.com', WRONG, next)).toMatchObject(TOO_MANY);
    const elsewhere = { headers: from('2001:db8:0:2::1') };
    expect(await signIn(org.anonymous, 'a@example.com', WRONG, elsewhere)).toMatchObject(REFUSED);
    await stuff(100, (time) => from(time % 2 === 0 ? '192.0.2.7' : '::ffff:192.0.2.7'));
    const mapped = { headers: from('::ffff:c000:207') };
    expect(await signIn(org.anonymous, 'a@example.com', WRONG, mapped)).toMatchObject(TOO_MANY);
  });
});

describe('a name', () => {
  test('100 failures a minute from wherever: 429 for all but the known device, known and unknown alike', async () => {
    const now = await standing();
    await trustProxy(service, org, '127.0.0.0/8');
    const user = await newUser(org);
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    for (const username of [user.profile.login, 'nobody@example.com']) {
      for (let time = 0; time < 100; time += 1) {
        goOn(now, 1_000 * Math.floor(time / 40));
        const headers = { 'x-forwarded-for': `198.51.100.${time}` };
        expect(await signIn(org.anonymous, username, WRONG, { headers })).toMatchObject(REFUSED);
      }
      const headers = { 'x-forwarded-for': '203.0.113.1' };
      expect(await signIn(org.anonymous, username, WRONG, { headers })).toMatchObject(TOO_MANY);
    }
    expect(await signInFrom(org.anonymous, 'laptop', user.profile.login)).toMatchObject({ status: 200 });
  });

  test('50 attempts a second, known and unknown alike; the next second is a new one', async () => {
    const now = await standing();
    const user = await newUser(org);
    await trustProxy(service, org, '127.0.0.0/8');
    for (const [username, status] of [
      [user.profile.login, 200],
      ['nobody@example.com', 401],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 60 }, () => signIn(org.anonymous, username)));
      const statuses = answers.map((answer) => answer.status);
      expect(statuses.filter((one) => one === status)).toHaveLength(50);
      expect(statuses.filter((one) => one === 429)).toHaveLength(10);
    }
    const limited = await org.systemLog('eventType eq "system.operation.rate_limit.violation"');
    expect(limited).toHaveLength(2);
    goOn(now, 1_000);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });
});

describe('an org', () => {
  test('6,000 failures a minute: then strangers wait, known devices do not', async () => {
    await standing();
    const user = await newUser(org);
    await signInFrom(org.anonymous, 'laptop', user.profile.login);
    await stuff(1);
    const text = `update sign_in_attempts set count = 6000 where org_id = $1 and kind = 'ORG_FAILURES'`;
    await service.database.pool.query(text, [org.id]);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject(TOO_MANY);
    expect(await signInFrom(org.anonymous, 'laptop', user.profile.login)).toMatchObject({ status: 200 });
  });
});

describe('what cannot be a password', () => {
  const OVERLONG = 'A'.repeat(1_001);
  const counted = async () => {
    const text =
      'select kind, sum(count)::int as count from sign_in_attempts where org_id = $1 group by kind order by kind';
    return (await service.database.pool.query(text, [org.id])).rows;
  };
  const failuresOf = async (id: string) => {
    const text = 'select failed_attempts as failed from user_sign_in where org_id = $1 and user_id = $2';
    return (await service.database.pool.query(text, [org.id, id])).rows[0];
  };

  test('costs its address alone: not the org, not the name, not the user', async () => {
    await standing();
    const user = await newUser(org);
    const known = await signIn(org.anonymous, user.profile.login, OVERLONG);
    expect(known).toMatchObject(REFUSED);
    expect(comparable(await signIn(org.anonymous, 'nobody@example.com', OVERLONG))).toEqual(comparable(known));
    expect(await counted()).toEqual([{ kind: 'ADDRESS_FAILURES', count: 2 }]);
    expect(await failuresOf(user.id)).toEqual({ failed: 0 });
    expect(await org.systemLog('eventType eq "user.session.start"')).toMatchObject([
      { actor: { alternateId: user.profile.login }, outcome: { reason: 'INVALID_CREDENTIALS' } },
      { actor: { alternateId: 'nobody@example.com' } },
    ]);
  });

  test('is held where the address is, and only there', async () => {
    await standing();
    await trustProxy(service, org, '127.0.0.0/8');
    const user = await newUser(org);
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    await signIn(org.anonymous, user.profile.login, OVERLONG, from('192.0.2.1'));
    await service.database.pool.query('update sign_in_attempts set count = 100 where org_id = $1', [org.id]);
    expect(await signIn(org.anonymous, user.profile.login, OVERLONG, from('192.0.2.1'))).toMatchObject(TOO_MANY);
    expect(await signIn(org.anonymous, user.profile.login, OVERLONG, from('198.51.100.1'))).toMatchObject(REFUSED);
    expect(await signIn(org.anonymous, user.profile.login, undefined, from('198.51.100.1'))).toMatchObject({
      status: 200,
    });
  });

  test('the same for the old one when a password is changed that is expired', async () => {
    await standing();
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
    const before = await counted();
    const change = { stateToken, oldPassword: OVERLONG, newPassword: 'Battery-2-Staple' };
    const refused = await step(org.anonymous, '/credentials/change_password', change);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000014' } });
    expect(await counted()).toEqual([{ kind: 'ADDRESS_FAILURES', count: 1 }, ...before]);
    expect(await failuresOf(user.id)).toEqual({ failed: 0 });
    const right = { ...change, oldPassword: 'Correct-1-Horse' };
    expect(await step(org.anonymous, '/credentials/change_password', right)).toMatchObject({ status: 200 });
  });
});

describe('guesses of tokens and begun recoveries', () => {
  test('a token that is none counts as a failure of its address', async () => {
    await standing();
    for (let time = 0; time < 100; time += 1) {
      const answer = await step(org.anonymous, '/recovery/token', { recoveryToken: `guess${time}` });
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    }
    expect(await step(org.anonymous, '/recovery/token', { recoveryToken: 'guess' })).toMatchObject(TOO_MANY);
    expect(await step(org.anonymous, '', { token: 'guess' })).toMatchObject(TOO_MANY);
    expect(await org.systemLog('eventType eq "user.account.use_token"')).toHaveLength(100);
  });

  test('10 recoveries a minute of one name, known or not', async () => {
    await standing();
    const user = await newUser(org);
    for (const username of [user.profile.login, 'nobody@example.com']) {
      const ask = () => step(org.anonymous, '/recovery/password', { username, factorType: 'EMAIL' });
      const answers = await Promise.all(Array.from({ length: 12 }, ask));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    }
  });

  test('100 recoveries a minute of one address', async () => {
    await standing();
    const ask = (time: number) =>
      step(org.anonymous, '/recovery/unlock', { username: `n${time}@example.com`, factorType: 'EMAIL' });
    const answers = await Promise.all(Array.from({ length: 101 }, (_, time) => ask(time)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  });
});

test('what no limit speaks of any more is swept, a bounded number at a time', async () => {
  const now = await standing();
  await stuff(3);
  const count = async () => {
    const text = 'select count(*)::integer as rows from sign_in_attempts where org_id = $1';
    return (await service.database.pool.query<{ rows: number }>(text, [org.id])).rows[0]?.rows ?? 0;
  };
  expect(await count()).toBeGreaterThan(3);
  await dropOldSignInRows(service.application.db, new Date(now.getTime() - 60_000));
  expect(await count()).toBeGreaterThan(3);
  expect(await dropOldSignInRows(service.application.db, new Date(now.getTime() + 60_000), 1)).toBe(true);
  while (await dropOldSignInRows(service.application.db, new Date(now.getTime() + 60_000)));
  expect(await count()).toBe(0);
});
