import { beforeAll, describe, expect, test } from 'vitest';
import { newApp } from '../support/app-assignments.ts';
import { newUser } from '../support/authn.ts';
import { createServerPath, createServerPolicyPath } from '../support/authorization-servers.ts';
import type { TestResponse } from '../support/client.ts';
import { createGroup, GROUPS } from '../support/groups.ts';
import { openPageClient, signInByPages } from '../support/page-client.ts';
import { createPolicyPath } from '../support/policies.ts';
import { newLogin, newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';
import { next, type Place, WRITTEN_TEXTS } from '../support/written-texts.ts';

/**
 * Strings have a maximum length, and are stored as written (docs/review-findings.md, security 2 and 19, contract 30 and
 * 31).
 */
const { org } = useService({ isShared: false });

let place: Place;
let save: (fields: Readonly<Record<string, string>>) => Promise<TestResponse>;

beforeAll(async () => {
  const person = await newUser(org);
  const browser = openPageClient(org);
  await signInByPages(browser, person.profile.login);
  const server = await createServerPath(org);
  const [token] = (await org.admin.get('/api/v1/api-tokens')).body;
  place = {
    org,
    server,
    serverPolicy: await createServerPolicyPath(org, server),
    policy: await createPolicyPath(org),
    app: await newApp(org),
    group: (await createGroup(org)).id,
    user: await org.createUser(),
    token: token.id,
  };
  save = (fields) => browser.submit('/account/profile', fields, '/account/profile');
});

const PLACES = Object.entries(WRITTEN_TEXTS);
const post = (path: string, body: unknown): Promise<TestResponse> => org.admin.post(path, { body });

/** The attack's text contains each of two marks this many times. Normalizing the text takes quadratic time. */
const ATTACK_MARKS = 15_000;
const attackOf = (marks: number): string => `a${'\u0315'.repeat(marks)}${'\u0316'.repeat(marks)}`;

async function cpuOf(run: () => Promise<unknown> | string): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { system, user } = process.cpuUsage(before);
  return system + user;
}

/** Measures the current cost of half as many marks: a quarter of the attack's cost, because the time is quadratic. */
const quarterCost = (): Promise<number> => cpuOf(() => attackOf(ATTACK_MARKS / 2).normalize('NFC'));

/**
 * Expects a refusal that costs less than half as much as normalizing the text. Tries up to five times, because the
 * process may do other work meanwhile.
 */
async function expectCheap(send: () => Promise<TestResponse>, expected: object): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const quarter = await quarterCost();
    let answer: TestResponse | undefined;
    const cost = await cpuOf(async () => {
      answer = await send();
    });
    expect(answer).toMatchObject(expected);
    if (tries === 5) expect(cost).toBeLessThan(2 * quarter);
    if (cost < 2 * quarter) return;
  }
}

const refused = (field: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
});

describe('60 KB of combining marks', () => {
  test.each(PLACES)('%s: 400 with the field named, before it is normalised', async (_, { field, write }) => {
    await expectCheap(() => write(place, attackOf(ATTACK_MARKS)), refused(field));
  });

  test('on the page of the own account', async () => {
    await expectCheap(() => save({ 'profile.firstName': attackOf(ATTACK_MARKS) }), { status: 400 });
  });

  test.each([
    [
      'the login',
      'login',
      () => ({ profile: newProfile({ login: `${attackOf(ATTACK_MARKS)}@example.com`, email: 'a@example.com' }) }),
    ],
    [
      'the names that a password must not have in it',
      'lastName',
      () => ({
        profile: newProfile({ lastName: attackOf(ATTACK_MARKS) }),
        credentials: { password: { value: 'a-Long.Pass1' } },
      }),
    ],
    [
      'the login that a password must not have in it, of many parts',
      'login',
      () => ({
        profile: newProfile({ login: 'ab.c@'.repeat(12_000), email: 'a@example.com' }),
        credentials: { password: { value: 'a-Long.Pass1' } },
      }),
    ],
    [
      'the answer to a question',
      'credentials.recovery_question.answer',
      () => ({
        profile: newProfile(),
        credentials: { recovery_question: { question: 'q', answer: attackOf(ATTACK_MARKS) } },
      }),
    ],
    [
      'a password',
      'password',
      () => ({ profile: newProfile(), credentials: { password: { value: attackOf(ATTACK_MARKS) } } }),
    ],
  ])('%s of a new user', async (_, field, body) => {
    await expectCheap(() => post('/api/v1/users', body()), refused(field));
  });

  test.each([
    ['31 marks', `ab${'\u0301'.repeat(31)}`, 400],
    ['30 marks', `ab${'\u0301'.repeat(30)}`, 200],
  ])('%s in a row are %s', async (_, firstName, status) => {
    const answer = await post('/api/v1/users', { profile: newProfile({ firstName }) });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.errorCauses[0].errorSummary).toContain('30 combining marks in a row');
  });

  test('what is only looked for costs no more than its length', async () => {
    // The marks are few, because the length of an address is limited.
    const marks = attackOf(300);
    for (const query of [
      `search=${encodeURIComponent(`profile.city eq "${marks}"`)}`,
      `q=${encodeURIComponent(marks)}`,
    ]) {
      const answer = await org.admin.get(`/api/v1/users?${query}`);
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 200) expect(answer.body).toEqual([]);
    }
  });
});

describe('what was written', () => {
  test.each(PLACES)('%s: is what is read back', async (_, { read, write }) => {
    const text = `Zu\u0308rich ${next()}`;
    const { body, status } = await write(place, text);
    expect([status < 300, read?.(body)]).toEqual([true, text]);
  });

  test.each(PLACES.filter(([, { isName }]) => isName === true))(
    '%s: twins are one name',
    async (_, { field, write }) => {
      const name = `Caf\u00e9 ${next()}`;
      expect((await write(place, name)).status).toBeLessThan(300);
      expect(await write(place, name.normalize('NFD'))).toMatchObject(refused(field));
    },
  );

  test('twins of a label find the same role and the same set', async () => {
    const label = `Re\u0301gie ${next()}`;
    const role = (await WRITTEN_TEXTS['a custom role']?.write(place, label))?.body;
    const set = (await WRITTEN_TEXTS['a resource set']?.write(place, label))?.body;
    const twin = encodeURIComponent(label.normalize('NFC'));
    expect((await org.admin.get(`/api/v1/iam/roles/${twin}`)).body).toMatchObject({ id: role.id, label });
    expect((await org.admin.get(`/api/v1/iam/resource-sets/${twin}`)).body).toMatchObject({ id: set.id, label });
  });

  test('twins of a login are one login, which stays as it was written', async () => {
    const login = `jose\u0301.${newLogin()}`;
    const { id } = await org.createUser({ profile: { login } });
    const twin = login.normalize('NFC');
    expect(await post('/api/v1/users', { profile: newProfile({ login: twin, email: 'a@example.com' }) })).toMatchObject(
      refused('login'),
    );
    expect((await org.admin.get(userPath(twin))).body).toMatchObject({ id, profile: { login } });
  });

  test('is found by either spelling, and an update to the other one is a change', async () => {
    const nfd = `Lie\u0301ge ${next()}`;
    const nfc = nfd.normalize('NFC');
    const { id } = await org.createUser({ profile: { city: nfd } });
    for (const city of [nfd, nfc]) {
      const search = encodeURIComponent(`profile.city eq "${city}"`);
      expect((await org.admin.get(`/api/v1/users?search=${search}`)).body).toMatchObject([{ id }]);
    }
    expect((await post(userPath(id), { profile: { city: nfc } })).body.profile.city).toBe(nfc);
  });
});

describe('control characters', () => {
  const LINES = PLACES.filter(([, { isProse }]) => isProse !== true);

  test.each(LINES)('%s: has none', async (_, { field, write }) => {
    for (const sign of ['\n', '\r\n', '\t', '\u0007', '\u0085', '\u2028']) {
      expect(await write(place, `a${sign}b`)).toMatchObject(refused(field));
    }
  });

  test('a text of several lines may have them', async () => {
    const description = 'one\ntwo\tthree';
    const { body } = await post(GROUPS, { profile: { name: next(), description } });
    expect(body.profile.description).toBe(description);
  });
});
