import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { useService } from '../support/use-service.ts';
import { filterPath, followPages, searchPath, userPath } from '../support/users.ts';

const { service } = useService({ isShared: false });
const org = beforeTests(() => service.newOrg());

const PROFILES: readonly Readonly<Record<string, unknown>>[] = [
  { login: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', city: 'London', title: 'Countess' },
  { login: 'bob@example.com', firstName: 'Bob', lastName: 'Marley', city: 'LONDON', nickName: '100%_x', state: '' },
  { login: 'cäcilie@example.com', firstName: 'Cäcilie', lastName: 'Straße', city: 'Köln', title: 'a"b\\c' },
  { login: 'dora@example.org', firstName: 'Dora', lastName: 'Lovelock', department: 'R&D', email: 'd.o@example.org' },
];

beforeAll(async () => {
  for (const profile of PROFILES) {
    service.clock.advance(60_000);
    await org.createUser({ profile });
  }
});

const ADMIN = 'admin';
const nameOf = (user: { id: string; profile: { login: string } }): string =>
  user.id === org.adminUserId ? ADMIN : (user.profile.login.split('@')[0] ?? '');

async function found(path: string): Promise<string[]> {
  const response = await org.admin.get(path);
  if (response.status !== 200) throw new Error(response.text);
  return response.body.map(nameOf);
}
const search = async (text: string): Promise<string[]> => (await found(searchPath(text))).toSorted();
const filter = async (text: string): Promise<string[]> => (await found(filterPath(text))).toSorted();
const createdOf = async (login: string): Promise<string> => (await org.admin.get(userPath(login))).body.created;

const ALL = ['admin', 'ada', 'bob', 'cäcilie', 'dora'];

describe('search', () => {
  test.each([
    ['profile.city eq "london"', ['ada', 'bob']],
    ['profile.city EQ "LONDON"', ['ada', 'bob']],
    ['profile.city eq "Londo"', []],
    ['profile.city eq "koln"', []],
    ['profile.city eq "KÖLN"', ['cäcilie']],
    ['profile.city eq "Ko\\u0308ln"', ['cäcilie']],
    ['profile.lastName eq "STRASSE"', ['cäcilie']],
    ['profile.firstName sw "A"', ['ada']],
    ['profile.firstName sw "da"', []],
    ['profile.city sw "LoN"', ['ada', 'bob']],
    ['profile.city sw ""', ['ada', 'bob', 'cäcilie']],
    ['profile.firstName gt "bob"', ['admin', 'cäcilie', 'dora']],
    ['profile.firstName ge "BOB"', ['admin', 'bob', 'cäcilie', 'dora']],
    ['profile.firstName lt "bob"', ['ada']],
    ['profile.firstName le "Bob"', ['ada', 'bob']],
    ['profile.lastName co "Love"', ['ada', 'dora']],
    ['profile.lastName co "love"', []],
    ['profile.lastName co "ovel"', ['ada', 'dora']],
    ['profile.email co "@example.org"', ['dora']],
    ['profile.login co "ora@"', ['dora']],
    ['profile.firstName co "%%%"', []],
    ['profile.email co "d_o"', []],
    ['profile.nickName eq "100%_X"', ['bob']],
    ['profile.nickName sw "100%"', ['bob']],
    ['profile.nickName sw "%"', []],
    ['profile.title eq "a\\"b\\\\c"', ['cäcilie']],
    ['profile.title pr', ['ada', 'cäcilie']],
    ['profile.state pr', []],
    ['profile.mobilePhone pr', []],
    ['not (profile.title pr)', ['admin', 'bob', 'dora']],
    ['not profile.city eq "London"', ['admin', 'cäcilie', 'dora']],
    ['profile.city eq "London" and profile.title pr', ['ada']],
    ['profile.city eq "London" or profile.department eq "r&d"', ['ada', 'bob', 'dora']],
    ['profile.city eq "London" or profile.city eq "london"', ['ada', 'bob']],
    ['profile.city eq "London" and (profile.firstName eq "Bob" or profile.firstName eq "Dora")', ['bob']],
    ['profile.firstName eq "Dora" or profile.city eq "London" and profile.firstName eq "Bob"', ['bob', 'dora']],
    ['(profile.city lt "london" or profile.city gt "london")', ['cäcilie']],
    ['status eq "active"', ['admin']],
    ['status eq "PROVISIONED"', ['ada', 'bob', 'cäcilie', 'dora']],
    ['status sw "PRO" and not (profile.city pr)', ['dora']],
    ['passwordChanged pr', ['admin']],
    ['id pr', ALL],
    ['type.id pr and activated pr and statusChanged pr and lastUpdated pr', ALL],
    ['created gt "2001-01-01T00:00:00.000Z"', ALL],
    ['created lt "2001-01-01T00:00:00Z"', []],
  ])('%s: %j', async (expression, expected) => {
    expect(await search(expression)).toEqual(expected.toSorted());
  });

  test('dates to the millisecond, in every spelling of an instant', async () => {
    const created = await createdOf('cäcilie@example.com');
    const date = new Date(created);
    const spellings = [
      created,
      created.replace('.000Z', 'Z'),
      created.replace('.000Z', '.000000Z'),
      created.slice(0, -1),
    ];
    for (const spelling of [...spellings, created.replace('Z', '+00:00')]) {
      expect(await search(`created eq "${spelling}"`)).toEqual(['cäcilie']);
      expect(await search(`created gt "${spelling}"`)).toEqual(['dora']);
      expect(await search(`created ge "${spelling}"`)).toEqual(['cäcilie', 'dora']);
      expect(await search(`created lt "${spelling}"`)).toEqual(['ada', 'admin', 'bob']);
      expect(await search(`created le "${spelling}"`)).toEqual(['ada', 'admin', 'bob', 'cäcilie']);
    }
    const [earlier, later] = [-1, 1].map((step) => new Date(date.getTime() + step).toISOString());
    expect(await search(`created gt "${earlier}" and created lt "${later}"`)).toEqual(['cäcilie']);
    expect(await search(`created eq "${later}"`)).toEqual([]);
  });

  test('id: exact, and in order', async () => {
    const { id } = (await org.admin.get(userPath('bob@example.com'))).body;
    expect(await search(`id eq "${id}"`)).toEqual(['bob']);
    expect(await search(`id eq "${id.toUpperCase()}"`)).toEqual([]);
    expect(await search(`id eq "${id}" and profile.city eq "köln"`)).toEqual([]);
    expect(await search(`id eq "${id}" or profile.city eq "köln"`)).toEqual(['bob', 'cäcilie']);
    expect([...(await search(`id lt "${id}"`)), ...(await search(`id ge "${id}"`))].toSorted()).toEqual(ALL.toSorted());
    expect(await search(`id sw "${id.slice(0, 12)}" and not (id gt "${id}") and not (id lt "${id}")`)).toEqual(['bob']);
  });

  test.each([
    ['profile.firstName ne "Ada"', 'E0000031'],
    ['profile.firstName ew "da"', 'E0000031'],
    ['profile.city co "ondon"', 'E0000031'],
    ['status co "ACT"', 'E0000031'],
    ['created sw "2026"', 'E0000031'],
    ['profile.firstName co "Ad"', 'E0000053'],
    ['profile.firstName co ""', 'E0000053'],
    ['profile.firstName xx "Ada"', 'E0000053'],
    ['profile.firstName eq Ada', 'E0000053'],
    ['profile.firstName eq', 'E0000053'],
    ['profile.firstname eq "Ada"', 'E0000053'],
    ['firstName eq "Ada"', 'E0000053'],
    ['profile.shoeSize eq "1"', 'E0000053'],
    ['constructor pr', 'E0000053'],
    ['lastLogin pr', 'E0000053'],
    ['created eq "yesterday"', 'E0000053'],
    ['profile.city eq 5', 'E0000053'],
    ['profile.city eq true', 'E0000053'],
    [`profile.city sw "${'a'.repeat(201)}"`, 'E0000053'],
    ['', 'E0000053'],
    ['   ', 'E0000053'],
    ['(profile.city pr', 'E0000053'],
    ['not', 'E0000053'],
  ])('%j is refused: %s', async (expression, errorCode) => {
    expect(await org.admin.get(searchPath(expression))).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('sees every write at once', async () => {
    const own = await service.newOrg();
    const count = async (text: string): Promise<number> => (await own.admin.get(searchPath(text))).body.length;
    const user = await own.createUser({ profile: { city: 'Rome' } });
    expect(await count('profile.city eq "Rome"')).toBe(1);
    await own.admin.post(userPath(user.id), { body: { profile: { city: 'Oslo' } } });
    expect([await count('profile.city eq "Rome"'), await count('profile.city eq "Oslo"')]).toEqual([0, 1]);
    await own.admin.post(`${userPath(user.id)}/lifecycle/suspend`);
    expect(await count('profile.city eq "Oslo" and status eq "SUSPENDED"')).toBe(1);
    await own.admin.del(userPath(user.id));
    await own.admin.del(userPath(user.id));
    expect(await count('profile.city eq "Oslo"')).toBe(0);
  });
});

describe('filter', () => {
  test.each([
    ['status eq "ACTIVE"', ['admin']],
    ['status eq "active"', []],
    ['status EQ "ACTIVE" or status eq "PROVISIONED"', ALL],
    ['profile.firstName eq "Ada"', ['ada']],
    ['profile.firstName eq "ada"', []],
    ['profile.lastName eq "Straße"', ['cäcilie']],
    ['profile.lastName eq "Strasse"', []],
    ['profile.login eq "bob@example.com"', ['bob']],
    ['profile.login eq "BOB@example.com"', []],
    ['profile.email eq "d.o@example.org"', ['dora']],
    ['profile.lastName eq "Marley" and profile.firstName eq "Bob"', ['bob']],
    ['(profile.firstName eq "Bob" or profile.firstName eq "Ada") and profile.lastName eq "Marley"', ['bob']],
    ['lastUpdated gt "2001-01-01T00:00:00.000Z"', ALL],
    ['lastUpdated lt "2001-01-01T00:00:00.000Z"', []],
  ])('%s: %j', async (expression, expected) => {
    expect(await filter(expression)).toEqual(expected.toSorted());
  });

  test('lastUpdated by every comparison; ids of several users', async () => {
    const [ada, bob] = [await createdOf('ada@example.com'), await createdOf('bob@example.com')];
    expect(await filter(`lastUpdated eq "${bob}"`)).toEqual(['bob']);
    expect(await filter(`lastUpdated ge "${ada}" and lastUpdated le "${bob}"`)).toEqual(
      expect.arrayContaining(['bob']),
    );
    expect(await filter(`lastUpdated gt "${ada}" and lastUpdated lt "${bob}"`)).toEqual([]);
    const ids = ['dora@example.org', 'bob@example.com'].map(
      async (login) => (await org.admin.get(userPath(login))).body.id,
    );
    const [one, two] = await Promise.all(ids);
    expect(await filter(`id eq "${one}" or id eq "${two}"`)).toEqual(['bob', 'dora']);
  });

  test.each([
    ['profile.firstName sw "A"', 'E0000031'],
    ['profile.firstName pr', 'E0000031'],
    ['status gt "A"', 'E0000031'],
    ['lastUpdated pr', 'E0000031'],
    ['created gt "2001-01-01T00:00:00.000Z"', 'E0000053'],
    ['profile.city eq "London"', 'E0000053'],
    ['status eqq "ACTIVE"', 'E0000053'],
    ['status eq "ACTIVE" and', 'E0000053'],
  ])('%s is refused: %s', async (expression, errorCode) => {
    expect(await org.admin.get(filterPath(expression))).toMatchObject({ status: 400, body: { errorCode } });
  });
});

describe('sortBy', () => {
  const sorted = (query: string, expression = 'id pr') => found(searchPath(expression, query));

  test.each([
    ['&sortBy=profile.login', ['ada', 'admin', 'bob', 'cäcilie', 'dora']],
    ['&sortBy=profile.login&sortOrder=DESC', ['dora', 'cäcilie', 'bob', 'admin', 'ada']],
    ['&sortBy=created', ['admin', 'ada', 'bob', 'cäcilie', 'dora']],
    ['&sortBy=created&sortOrder=asc', ['admin', 'ada', 'bob', 'cäcilie', 'dora']],
    ['&sortBy=created&sortOrder=desc', ['dora', 'cäcilie', 'bob', 'ada', 'admin']],
  ])('%s: %j', async (query, expected) => {
    expect(await sorted(query)).toEqual(expected);
    expect(await sorted(query, 'profile.firstName sw "" and id pr')).toEqual(expected);
  });

  test('users without the attribute come last in either order, forward and back', async () => {
    for (const [order, titled] of [
      ['asc', ['cäcilie', 'ada']],
      ['desc', ['ada', 'cäcilie']],
    ] as const) {
      for (const expression of ['id pr', 'profile.firstName pr']) {
        const path = searchPath(expression, `&sortBy=profile.title&sortOrder=${order}`);
        const all = await found(path);
        expect(all.slice(0, 2)).toEqual(titled);
        expect(all.slice(2).toSorted()).toEqual(['admin', 'bob', 'dora']);
        const { last, users } = await followPages(org.admin, `${path}&limit=1`);
        expect(users.map(nameOf)).toEqual(all);
        const start = /<https:\/\/[^/]+([^>]*)>; rel="prev"/.exec(String(last.headers['link']))?.[1] ?? '';
        const back = await followPages(org.admin, start, { relation: 'prev' });
        expect(back.users.map(nameOf)).toEqual(all.slice(0, -1).toReversed());
      }
    }
  });

  test('id, in both orders, whatever drives the search', async () => {
    for (const expression of ['id pr', 'profile.city pr', 'profile.city sw "l" or profile.city sw "k"']) {
      const ids = async (order: string): Promise<string[]> =>
        (await org.admin.get(searchPath(expression, `&sortBy=id&sortOrder=${order}`))).body.map(
          ({ id }: { id: string }) => id,
        );
      const ascending = await ids('asc');
      expect(ascending).toEqual(ascending.toSorted());
      expect(ascending.length).toBeGreaterThan(2);
      expect(await ids('desc')).toEqual(ascending.toReversed());
    }
  });

  test.each(['profile.shoeSize', 'lastLogin', 'toString', '', 'profile'])(
    '%j cannot be sorted by',
    async (attribute) => {
      expect(await org.admin.get(searchPath('id pr', `&sortBy=${attribute}`))).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: sortBy' },
      });
    },
  );

  test('another order is refused; without a search it is left aside', async () => {
    expect(await org.admin.get(searchPath('id pr', '&sortBy=id&sortOrder=up'))).toMatchObject({ status: 400 });
    expect(await org.admin.get(filterPath('status eq "ACTIVE"', '&sortBy=nothing'))).toMatchObject({ status: 200 });
  });
});
