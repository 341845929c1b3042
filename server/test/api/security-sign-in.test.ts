import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { listMails } from '../../src/platform/mail/index.ts';
import { AUTHN, comparable, handOut, newUser, REFUSED, signIn, step, WRONG } from '../support/authn.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { exchange, ME, NO_SESSION, openSession, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  ATTEMPTS_TO_LOCKOUT,
  changePassword,
  PASSWORD,
  QUESTION,
  userIn,
  userPath,
} from '../support/users.ts';

/** This file tests parts of attacks 37, 40, 41, 43, 45 and 53 (docs/security-rows.md). */
const { service } = useService({ isShared: false });
let org: TestOrg;
afterEach(() => vi.restoreAllMocks());

/** Creates a separate org, because failures are limited per address and org. */
const newOrg = async (): Promise<void> => {
  org = await service.newOrg();
};

describe('row 37: a password too long, or with NUL, is refused wherever one is set, before it is hashed', () => {
  beforeAll(newOrg);

  const PLACES: Readonly<Record<string, (value: string) => Promise<TestResponse>>> = {
    'at creation': (value) =>
      org.admin.post('/api/v1/users', { body: { profile: newProfile(), credentials: { password: { value } } } }),
    'by an administrator': async (value) => {
      const { id } = await newUser(org);
      return org.admin.post(userPath(id), { body: { credentials: { password: { value } } } });
    },
    'in a change': async (value) => changePassword(org.admin, (await newUser(org)).id, PASSWORD, value),
    'in the change of an expired one': async (newPassword) => {
      const user = await userIn(org, 'PASSWORD_EXPIRED');
      const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
      const body = { stateToken, oldPassword: PASSWORD, newPassword };
      return step(org.anonymous, '/credentials/change_password', body);
    },
    'in a recovery': async (newPassword) => {
      const user = await newUser(org);
      const recoveryToken = await handOut(org, 'password', user);
      const { stateToken } = (await step(org.anonymous, '/recovery/token', { recoveryToken })).body;
      await step(org.anonymous, '/recovery/answer', { stateToken, answer: QUESTION.answer });
      return step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword });
    },
  };
  const TOO_LONG = [73, 1_000, 60_000].map((length) => `Aa1${'x'.repeat(length - 3)}`);

  test.each(Object.entries(PLACES))('%s', async (_, set) => {
    const hash = vi.spyOn(service.application.users.passwords, 'hash');
    for (const password of [...TOO_LONG, `${ANOTHER_PASSWORD}\0x`, '\0']) {
      const { body, status } = await set(password);
      expect([400, 403]).toContain(status);
      expect(['E0000001', 'E0000014', 'E0000080']).toContain(body.errorCode);
      expect(body.errorCauses).not.toEqual([]);
      expect(JSON.stringify(body).length).toBeLessThan(2_000);
    }
    const hashed = hash.mock.calls.map(([password]) => password.length);
    expect(Math.max(0, ...hashed)).toBeLessThanOrEqual(72);
  });
});

describe('row 40: known and unknown take the same time', () => {
  const median = (times: readonly number[]): number =>
    times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

  /** Returns the median response time for existing users, divided by the median response time for unknown ones. */
  async function ratioOf(tries: number, send: (username: string) => Promise<TestResponse>): Promise<number> {
    await newOrg();
    // There are enough users that none of them is locked out.
    const users = await Promise.all(Array.from({ length: 8 }, () => newUser(org)));
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let count = 0; count < tries; count += 1) {
      const known = users[count % users.length].profile.login;
      for (const [kind, username] of [['known', known] as const, ['unknown', `no${known}`] as const]) {
        const began = performance.now();
        await send(username);
        times[kind].push(performance.now() - began);
      }
    }
    return median(times.known) / median(times.unknown);
  }

  test.each<[string, number, (username: string) => Promise<TestResponse>]>([
    ['at a sign-in', 40, (username) => signIn(org.anonymous, username, WRONG)],
    ['asking for a mail', 16, (username) => step(org.anonymous, '/recovery/unlock', { username, factorType: 'EMAIL' })],
  ])('%s', async (_, tries, send) => {
    // On a busy machine, the test needs wide bounds and several rounds.
    let ratio = 0;
    for (let round = 0; round < 3 && !(ratio > 1 / 2 && ratio < 2); round += 1) ratio = await ratioOf(tries, send);
    expect(ratio).toBeGreaterThan(1 / 2);
    expect(ratio).toBeLessThan(2);
  });

  test('also with a user whose password is none of ours', async () => {
    await newOrg();
    const { passwords } = service.application.users;
    const provider = { type: 'FEDERATION', name: 'FEDERATION' };
    const federated = await org.createUser({ credentials: { provider }, query: '?provider=true' });
    const verify = vi.spyOn(passwords, 'verify');
    const answers = [];
    for (const login of [federated.profile.login, 'nobody@example.com']) {
      answers.push(comparable(await signIn(org.anonymous, login)));
      expect(verify).toHaveBeenCalledTimes(answers.length);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('row 41: guesses of recovery tokens', () => {
  test('are limited in an org, from however many addresses; the right one is not used up meanwhile', async () => {
    await newOrg();
    const user = await newUser(org);
    const recoveryToken = await handOut(org, 'password', user);
    const redeem = (token: string) => step(org.anonymous, '/recovery/token', { recoveryToken: token });
    expect(await redeem('x'.repeat(20))).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    const counted = `update sign_in_attempts set count = 6000 where org_id = $1 and kind = 'ORG_FAILURES'`;
    expect((await service.database.pool.query(counted, [org.id])).rowCount).toBeGreaterThan(0);
    for (const token of ['y'.repeat(20), recoveryToken]) {
      expect(await redeem(token)).toMatchObject({ status: 429, body: { errorCode: 'E0000047' } });
    }
    service.clock.advance(60_000);
    expect((await redeem(recoveryToken)).status).toBe(200);
  });
});

describe('row 43: a mail of recovery', () => {
  const mails = () => listMails(service.application.db, masterKeyOf(Buffer.alloc(32, 7)), org.id, 200);
  const ask = (client: TestClient, username: string) =>
    step(client, '/recovery/password', { username, factorType: 'EMAIL' });

  test('is not sent where the host is nobody’s, or another org’s', async () => {
    await newOrg();
    const other = await service.newOrg();
    const { login } = (await newUser(org)).profile;
    const poisoned = org.client({ host: 'evil.example' });
    expect(await ask(poisoned, login)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const elsewhere = org.client({ host: `${other.hostname}:${service.port}` });
    expect((await ask(elsewhere, login)).status).toBe(200);
    const doubled = org.client({ host: `${org.hostname}@evil.example` });
    expect((await ask(doubled, login)).status).toBe(400);
    expect(await mails()).toEqual([]);
  });

  test('leads to the org alone, and loads nothing from anywhere', async () => {
    await newOrg();
    const { login } = (await newUser(org)).profile;
    const origin = { origin: 'https://evil.example', referer: 'https://evil.example/', 'x-forwarded-proto': 'http' };
    await ask(org.client(origin), login);
    const [mail] = await mails();
    const text = Object.values(mail ?? {}).join('\n');
    const addresses = [...text.matchAll(/\bhttps?:\/\/[^\s"\\<>]+/g)].map(([address]) => address);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(new URL(address).origin).toBe(org.baseUrl);
    expect(text).not.toMatch(/<(?:img|link|script|iframe)|url\(/i);
  });
});

describe('row 45: spellings of one login', () => {
  test('are counted as one', async () => {
    await newOrg();
    const name = `zoe.${Date.now()}`;
    const login = `${name}@example.com`;
    const user = await org.createUser({ profile: { login }, credentials: { password: { value: PASSWORD } } });
    const wide = login.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
    const spellings = [login, login.toUpperCase(), wide, name, name.toUpperCase(), login.replace('zoe', 'zoë')];
    for (let count = 0; count < ATTEMPTS_TO_LOCKOUT; count += 1) {
      const spelling = spellings[count % spellings.length] ?? '';
      expect(await signIn(org.anonymous, spelling, WRONG)).toMatchObject(REFUSED);
    }
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('LOCKED_OUT');
    for (const spelling of spellings) expect(await signIn(org.anonymous, spelling)).toMatchObject(REFUSED);
  });
});

describe('row 53: what a browser had before a sign-in', () => {
  test('is neither taken over nor answered: ids are new, and the sign-in sets no cookie', async () => {
    await newOrg();
    const planted = await openSession(service, org);
    const victim = await newUser(org);
    const headers = { cookie: `__Host-sid=${planted.id}; sid=${planted.id}`, origin: org.baseUrl };
    const browser = org.client(headers);
    const signIns = [await signIn(browser, victim.profile.login), await signIn(browser, victim.profile.login)];
    for (const { headers: answered, status } of signIns) {
      expect(status).toBe(200);
      expect(answered['set-cookie']).toBeUndefined();
    }
    const sessions = await Promise.all(signIns.map(({ body }) => exchange(browser, body.sessionToken)));
    const ids = sessions.map(({ body }) => body.id);
    expect(new Set([planted.id, ...ids]).size).toBe(3);
    for (const { body } of sessions) expect(body.userId).toBe(victim.id);
    expect((await planted.client.get(ME)).body.userId).toBe(planted.userId);
  });

  test('a token that the client has chosen begins nothing', async () => {
    await newOrg();
    const user = await newUser(org);
    const chosen = 'A'.repeat(43);
    const more = { body: { stateToken: chosen, sessionToken: chosen, token: chosen } };
    const answer = await signIn(org.anonymous, user.profile.login, PASSWORD, more);
    expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    const expired = await userIn(org, 'PASSWORD_EXPIRED');
    const { body } = await signIn(org.anonymous, expired.profile.login, PASSWORD, { body: { id: chosen } });
    expect(body.stateToken).not.toBe(chosen);
    expect(await exchange(org.anonymous, chosen)).toMatchObject({ status: 401 });
    expect(await org.client({ cookie: `sid=${chosen}` }).get(ME)).toMatchObject(NO_SESSION);
  });

  test('the token of one who has begun is not that of another who goes on', async () => {
    await newOrg();
    const { sessionToken } = await signedIn(service, org, (await newUser(org)).id);
    const expired = await userIn(org, 'PASSWORD_EXPIRED');
    const { stateToken } = (await signIn(org.anonymous, expired.profile.login)).body;
    const invalid = { status: 401, body: { errorCode: 'E0000011' } };
    expect(await org.anonymous.post(AUTHN, { body: { stateToken: sessionToken } })).toMatchObject(invalid);
    expect(await exchange(org.anonymous, stateToken)).toMatchObject({ status: 401 });
    expect(await step(org.anonymous, '/recovery/token', { recoveryToken: stateToken })).toMatchObject(invalid);
  });
});
