import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Cost, costOf, parseTransferredHash } from '../../src/platform/crypto/passwords/index.ts';
import { handOut, newUser, signIn, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, changePassword, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

// A refusal takes as long as the most expensive hash of the org would, up to a limit (docs/review-findings.md, security
// 13). The tests check the waits instead of measuring time.

const { service } = useService({ isShared: false });
let org: TestOrg;

beforeAll(async () => {
  org = await service.newOrg();
});
afterEach(() => vi.restoreAllMocks());

const OURS: Cost = { kind: 'ARGON2ID', units: 8 };
const BCRYPT: Cost = { kind: 'BCRYPT', units: 2 ** 5 };

async function importUser(): Promise<TestResponse['body']> {
  const encoded = bcryptHash(PASSWORD, { cost: 5 });
  const hash = { algorithm: 'BCRYPT', workFactor: 5, salt: encoded.slice(7, 29), value: encoded.slice(29) };
  return (
    await org.admin.post('/api/v1/users', { body: { profile: newProfile(), credentials: { password: { hash } } } })
  ).body;
}

const DEAREST_MILLISECONDS = 60_000;
const LONGEST_WAIT_MILLISECONDS = 5_000;

interface Watched {
  /** The costs with which `ampleMilliseconds` was called. */
  readonly asked: (readonly Cost[])[];
  readonly waits: number[];
}

function watch(pause: () => Promise<void> = () => Promise.resolve()): Watched {
  const { users } = service.application;
  const watched: Watched = { asked: [], waits: [] };
  vi.spyOn(users.passwords, 'ampleMilliseconds').mockImplementation((costs) => {
    watched.asked.push(costs);
    return DEAREST_MILLISECONDS;
  });
  vi.spyOn(users, 'pause').mockImplementation((milliseconds) => {
    watched.waits.push(milliseconds);
    return pause();
  });
  return watched;
}

function expectWait(waits: readonly number[]): void {
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(0);
  expect(waits[0]).toBeLessThan(LONGEST_WAIT_MILLISECONDS);
}

const failedSignIn = (login: string, password = WRONG) => signIn(org.anonymous, login, password);
const nextSecond = () => service.clock.advance(1_000);

describe('a refused password is answered when the dearest of the org would be done', () => {
  const loginIn = async (status: Parameters<typeof userIn>[1]) => (await userIn(org, status)).profile.login;
  const ways: [string, () => Promise<() => Promise<TestResponse>>][] = [
    ['nobody', () => Promise.resolve(() => failedSignIn('nobody@example.com'))],
    [
      'a password of ours',
      async () =>
        (
          ({ login }) =>
          () =>
            failedSignIn(login)
        )((await newUser(org)).profile),
    ],
    [
      'an imported one',
      async () =>
        (
          ({ login }) =>
          () =>
            failedSignIn(login)
        )((await importUser()).profile),
    ],
    [
      'one that bcrypt cannot have',
      async () =>
        (
          ({ login }) =>
          () =>
            failedSignIn(login, 'x'.repeat(73))
        )((await importUser()).profile),
    ],
    [
      'somebody without',
      async () =>
        (
          (login) => () =>
            failedSignIn(login)
        )(await loginIn('PROVISIONED')),
    ],
    [
      'somebody locked out',
      async () =>
        (
          (login) => () =>
            failedSignIn(login)
        )(await loginIn('LOCKED_OUT')),
    ],
    [
      'somebody suspended',
      async () =>
        (
          (login) => () =>
            failedSignIn(login)
        )(await loginIn('SUSPENDED')),
    ],
    [
      'the right one of somebody suspended',
      async () =>
        (
          (login) => () =>
            failedSignIn(login, PASSWORD)
        )(await loginIn('SUSPENDED')),
    ],
    [
      'somebody who is gone',
      async () =>
        (
          (login) => () =>
            failedSignIn(login)
        )(await loginIn('DEPROVISIONED')),
    ],
    [
      'changing it',
      async () =>
        (
          ({ id }) =>
          () =>
            changePassword(org.admin, id, WRONG, ANOTHER_PASSWORD)
        )(await newUser(org)),
    ],
    [
      'changing the question',
      async () => {
        const path = `${userPath((await newUser(org)).id)}/credentials/change_recovery_question`;
        return () => org.admin.post(path, { body: { password: { value: WRONG }, recovery_question: QUESTION } });
      },
    ],
    [
      'a wrong answer, by the API',
      async () => {
        const path = `${userPath((await newUser(org)).id)}/credentials/forgot_password_recovery_question`;
        const answered = { password: { value: ANOTHER_PASSWORD }, recovery_question: { answer: 'wrong' } };
        return () => org.admin.post(path, { body: answered });
      },
    ],
    [
      'a wrong answer, signing in',
      async () => {
        const recoveryToken = await handOut(org, 'password', await newUser(org));
        const { stateToken } = (await step(org.anonymous, '/recovery/token', { recoveryToken })).body;
        return () => step(org.anonymous, '/recovery/answer', { stateToken, answer: 'wrong' });
      },
    ],
    [
      'an expired one',
      async () => {
        const { stateToken } = (await signIn(org.anonymous, await loginIn('PASSWORD_EXPIRED'))).body;
        const change = { stateToken, oldPassword: WRONG, newPassword: ANOTHER_PASSWORD };
        return () => step(org.anonymous, '/credentials/change_password', change);
      },
    ],
  ];

  test.each(ways)('%s', async (_, prepare) => {
    await importUser();
    const send = await prepare();
    nextSecond();
    const { asked, waits } = watch();
    expect([401, 403]).toContain((await send()).status);
    expect(asked).toEqual([[OURS, BCRYPT]]);
    expectWait(waits);
  });

  test('a right one is not kept waiting', async () => {
    const { login } = (await newUser(org)).profile;
    const watched = watch();
    expect((await signIn(org.anonymous, login)).status).toBe(200);
    expect(watched).toEqual({ asked: [], waits: [] });
  });
});

test('what waits holds neither a thread nor a connection, and is answered when it has waited', async () => {
  const { login } = (await newUser(org)).profile;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { waits } = watch(() => released);
  const answered: number[] = [];
  // There are more of these requests than connections for requests.
  const failures = Array.from({ length: 14 }, async (_, index) => {
    const { status } = await failedSignIn(`nobody${index}@example.com`);
    answered.push(status);
  });
  await vi.waitUntil(() => waits.length === 14);
  expect((await signIn(org.anonymous, login)).status).toBe(200);
  expect((await org.admin.get('/api/v1/users/me')).status).toBe(200);
  expect(service.application.passwords.queueDepth()).toBe(0);
  expect(answered).toEqual([]);
  release();
  await Promise.all(failures);
  expect(answered).toEqual(Array.from({ length: 14 }, () => 401));
});

test('the dearest is known a second after an import elsewhere, and after its owner has signed in', async () => {
  org = await service.newOrg();
  const { id, profile } = await newUser(org);
  const { asked } = watch();
  const costs = async () => {
    nextSecond();
    await failedSignIn('nobody@example.com');
    return asked.at(-1);
  };
  expect(await costs()).toEqual([OURS]);
  const encoded = bcryptHash(PASSWORD, { cost: 5 });
  const hash = { algorithm: 'BCRYPT', workFactor: 5, salt: encoded.slice(7, 29), value: encoded.slice(29) };
  const text = 'update user_sign_in set password = $3 where org_id = $1 and user_id = $2';
  await service.database.pool.query(text, [org.id, id, JSON.stringify(hash)]);
  expect(await costs()).toEqual([OURS, BCRYPT]);
  expect((await signIn(org.anonymous, profile.login)).status).toBe(200);
  expect(await costs()).toEqual([OURS]);
});

const SALTED = { salt: 'c2FsdA==', value: Buffer.alloc(64).toString('base64') };
test.each([
  { algorithm: 'BCRYPT', workFactor: 12, salt: 'Ig4eeK2UN1k5aftUyTkniO', value: 'ldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e' },
  { algorithm: 'PBKDF2', iterationCount: 27_500, keySize: 64, digestAlgorithm: 'SHA1_HMAC', ...SALTED },
  { algorithm: 'PBKDF2', iterationCount: 27_500, keySize: 64, digestAlgorithm: 'SHA256_HMAC', ...SALTED },
  { algorithm: 'PBKDF2', iterationCount: 27_500, keySize: 64, digestAlgorithm: 'SHA512_HMAC', ...SALTED },
  { algorithm: 'SCRYPT', cost: 16_384, blockSize: 8, parallelization: 2, keySize: 64, ...SALTED },
  { algorithm: 'ARGON2ID', encoded: `$argon2id$v=19$m=7168,t=5,p=1$${'c'.repeat(22)}$${'c'.repeat(43)}` },
  { algorithm: 'SHA-512', saltOrder: 'PREFIX', ...SALTED },
])('the database and the hasher agree on what $algorithm costs', async (given) => {
  const stored = parseTransferredHash(given);
  if ('problems' in stored) throw new Error(stored.problems.join('; '));
  const text = 'select password_cost_kind($1) as kind, password_cost_units($1)::float8 as units';
  const { rows } = await service.database.pool.query(text, [JSON.stringify(stored)]);
  expect(rows).toEqual([costOf(stored)]);
});
