import { describe, expect, test } from 'vitest';
import { newLogin, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { filterPath, followPages, linksOf, newProfile, searchPath, userIn, userPath } from '../support/users.ts';

const { service, org } = useService();

const url = '/api/v1/users';
const idsOf = (users: readonly { id: string }[]): string[] => users.map(({ id }) => id);

async function orgWith(users: number): Promise<{ own: TestOrg; ids: string[] }> {
  const own = await service.newOrg();
  const made = await Promise.all(Array.from({ length: users - 1 }, () => own.createUser()));
  return { own, ids: [own.adminUserId, ...idsOf(made)].toSorted() };
}

describe('without conditions', () => {
  test('everyone but the deprovisioned, by id, with the self link only', async () => {
    const { own, ids } = await orgWith(4);
    const gone = await userIn(own, 'DEPROVISIONED');
    const suspended = await userIn(own, 'SUSPENDED');
    const list = await own.admin.get(url);
    expect(idsOf(list.body)).toEqual([...ids, suspended.id].toSorted());
    for (const user of list.body) {
      expect(user._links).toEqual({ self: { href: `${own.baseUrl}${userPath(user.id)}` } });
      const single = (await own.admin.get(userPath(user.id))).body;
      expect({ ...user, _links: null }).toEqual({ ...single, _links: null });
    }
    expect(linksOf(list)).toEqual({ self: `${url}?limit=200` });
    expect(idsOf((await own.admin.get(filterPath('status eq "DEPROVISIONED"'))).body)).toEqual([gone.id]);
    expect(idsOf((await own.admin.get(searchPath('status eq "DEPROVISIONED"'))).body)).toEqual([gone.id]);
  });

  test("another org's users are not among them", async () => {
    const { own, ids } = await orgWith(2);
    await orgWith(3);
    expect(idsOf((await own.admin.get(url)).body)).toEqual(ids);
  });
});

describe('limit', () => {
  test.each([
    ['1', 1, 1],
    ['3', 3, 3],
    ['200', 4, 200],
    ['201', 4, 200],
    ['100000', 4, 200],
  ])('%s: %d users, limit=%d in the links', async (limit, users, shown) => {
    const { own } = await orgWith(4);
    const list = await own.admin.get(`${url}?limit=${limit}`);
    expect(list.body).toHaveLength(users);
    expect(linksOf(list)['self']).toBe(`${url}?limit=${shown}`);
  });

  test.each([
    ['limit=0', 'E0000001'],
    ['limit=-1', 'E0000001'],
    ['limit=abc', 'E0000037'],
    ['limit=', 'E0000037'],
    ['limit=1.5', 'E0000037'],
    ['limit=1e2', 'E0000037'],
    ['limit=2&limit=2', 'E0000001'],
    ['after=x&before=y', 'E0000001'],
  ])('%s is refused: %s', async (query, errorCode) => {
    expect(await org.admin.get(`${url}?${query}`)).toMatchObject({ status: 400, body: { errorCode } });
  });
});

describe('pages', () => {
  test('limit=2 over 4 users: two pages, no empty third; one Link line per relation', async () => {
    const { own, ids } = await orgWith(4);
    const first = await own.admin.get(`${url}?limit=2`);
    expect(Object.keys(linksOf(first))).toEqual(['self', 'next']);
    expect(linksOf(first)['next']).toMatch(/^\/api\/v1\/users\?after=[\w-]+&limit=2$/);
    const { last, sizes, users } = await followPages(own.admin, `${url}?limit=2`);
    expect(sizes).toEqual([2, 2]);
    expect(idsOf(users)).toEqual(ids);
    expect(Object.keys(linksOf(last))).toEqual(['self', 'prev']);
  });

  test.each([1, 2, 3, 7, 24, 25, 26])('of %d, forward and back: nobody twice, nobody missed', async (limit) => {
    const { own, ids } = await orgWith(25);
    const forward = await followPages(own.admin, `${url}?limit=${limit}`);
    expect(idsOf(forward.users)).toEqual(ids);
    expect(forward.sizes).toHaveLength(Math.ceil(25 / limit));
    const start = linksOf(forward.last)['prev'];
    if (start === undefined) return expect(limit).toBeGreaterThanOrEqual(25);
    const before = ids.slice(0, 25 - forward.last.body.length);
    const back = await followPages(own.admin, start, { relation: 'prev' });
    expect(idsOf(back.users).toSorted()).toEqual(before);
    for (const size of back.sizes.slice(0, -1)) expect(size).toBe(limit);
    expect(Object.keys(linksOf(back.last))).toEqual(['self', 'next']);
    return undefined;
  });

  test('while users are made and removed, whoever stays is seen once', async () => {
    const { own, ids } = await orgWith(25);
    const passing: string[] = [];
    const between = async () => {
      const user = await own.createUser();
      passing.push(user.id);
      if (passing.length % 2 === 0) await own.admin.del(userPath(String(passing.at(-2))));
    };
    const { users } = await followPages(own.admin, `${url}?limit=3`, { between });
    const seen = idsOf(users);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => !passing.includes(id))).toEqual(ids);
    expect(passing.length).toBeGreaterThan(5);
  });

  test('a page whose start was removed goes on behind it', async () => {
    const { own, ids } = await orgWith(6);
    const first = await own.admin.get(`${url}?limit=2`);
    const [one, two] = idsOf(first.body).map((id) => (id === own.adminUserId ? null : id));
    for (const id of [one, two]) if (typeof id === 'string') await own.admin.del(userPath(id));
    const { users } = await followPages(own.admin, String(linksOf(first)['next']));
    expect(idsOf(users)).toEqual(ids.slice(2));
  });

  test('the links keep the query, encoded', async () => {
    const own = await service.newOrg();
    for (const city of ['Köln & Bonn', 'Köln & Bonn', 'Aachen']) await own.createUser({ profile: { city } });
    const path = searchPath('profile.city eq "Köln & Bonn"', '&limit=1&sortBy=profile.login&sortOrder=desc');
    const first = await own.admin.get(path);
    const next = new URLSearchParams(String(linksOf(first)['next']).split('?')[1]);
    expect([...next.keys()]).toEqual(['after', 'limit', 'search', 'sortBy', 'sortOrder']);
    expect(next.get('search')).toBe('profile.city eq "Köln & Bonn"');
    expect((await followPages(own.admin, path)).sizes).toEqual([1, 1]);
  });

  test('a key of the greatest length fits into a cursor', async () => {
    const own = await service.newOrg();
    for (const end of ['a', 'b', 'c']) {
      const title = `${'\u0001"\\漢'.repeat(300)}${end}`;
      await own.createUser({ profile: { title } });
    }
    const { users } = await followPages(own.admin, searchPath('profile.title pr', '&limit=1'));
    expect(new Set(idsOf(users)).size).toBe(3);
    const sorted = await followPages(own.admin, searchPath('id pr', '&limit=1&sortBy=profile.title'));
    expect(new Set(idsOf(sorted.users)).size).toBe(4);
  });
});

describe('a cursor', () => {
  const cursorOf = (path: string | undefined): string =>
    String(new URLSearchParams(String(path).split('?')[1]).get('after'));
  const refused = { status: 400, body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: after' } };
  const middle = async (own: TestOrg, path: string) => cursorOf(linksOf(await own.admin.get(path))['next']);

  test('that was changed in any place is refused', async () => {
    const { own } = await orgWith(3);
    const cursor = await middle(own, `${url}?limit=1`);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`;
      expect(await own.admin.get(`${url}?limit=1&after=${changed}`)).toMatchObject(refused);
    }
  });

  test('of another org, query, list or direction is refused', async () => {
    const [{ own }, { own: other }] = [await orgWith(3), await orgWith(3)];
    const cursor = await middle(own, `${url}?limit=1`);
    expect(await own.admin.get(`${url}?limit=2&after=${cursor}`)).toMatchObject({ status: 200 });
    expect(await other.admin.get(`${url}?limit=1&after=${cursor}`)).toMatchObject(refused);
    expect(await own.admin.get(searchPath('id pr', `&limit=1&after=${cursor}`))).toMatchObject(refused);
    expect(await own.admin.get(`/api/v1/trustedOrigins?after=${cursor}`)).toMatchObject({ status: 400 });
    expect(await own.admin.get(`${url}?before=${cursor}`)).toMatchObject({
      status: 400,
      body: { errorSummary: 'Api validation failed: before' },
    });
    const searching = await middle(own, searchPath('id pr', '&limit=1'));
    expect(await own.admin.get(searchPath('id pr and id pr', `&limit=1&after=${searching}`))).toMatchObject(refused);
    expect(await own.admin.get(searchPath('id pr', `&sortBy=created&after=${searching}`))).toMatchObject(refused);
  });

  test.each(['', 'x', 'null', 'a'.repeat(2_049), '00u11111111111111111'])('%j is refused', async (cursor) => {
    expect(await org.admin.get(`${url}?after=${cursor}`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });
});

describe('fields', () => {
  test('nothing is shown but the id and what is asked for, whichever way the list is found', async () => {
    const own = await service.newOrg();
    const user = await own.createUser({ profile: { firstName: 'Marie', lastName: 'Curie', city: 'Paris' } });
    const fields = encodeURIComponent('status,profile:(firstName,city)');
    for (const found of [
      'q=marie',
      `filter=${encodeURIComponent(`id eq "${user.id}"`)}`,
      `search=${encodeURIComponent('profile.city eq "Paris"')}`,
    ]) {
      expect((await own.admin.get(`${url}?${found}&fields=${fields}`)).body).toEqual([
        { id: user.id, status: user.status, profile: { firstName: 'Marie', city: 'Paris' } },
      ]);
    }
    const first = await own.admin.get(`${url}?limit=1&fields=id`);
    expect(first.body).toEqual([{ id: expect.any(String) }]);
    expect(linksOf(first)['next']).toContain('fields=id');
    expect(await own.admin.get(`${url}?fields=${encodeURIComponent('profile:(city')}`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: expect.stringContaining('fields') },
    });
  });
});

describe('q', () => {
  test('the beginning of first name, last name or e-mail, whatever its case; 10 at most, without pages', async () => {
    const own = await service.newOrg();
    const wanted = [
      await own.createUser({ profile: { firstName: 'Marie', lastName: 'Curie' } }),
      await own.createUser({ profile: { firstName: 'Jean', lastName: 'MARIETTE' } }),
      await own.createUser({ profile: { email: 'mariner@example.com' } }),
    ];
    await own.createUser({ profile: { firstName: 'Annemarie', lastName: 'Rosemarie', login: newLogin() } });
    await own.createUser({ profile: { login: 'marielogin@example.com', email: 'other@example.com' } });
    const gone = await own.createUser({ profile: { firstName: 'Marie' } });
    await own.admin.post(`${userPath(gone.id)}/lifecycle/deactivate`);
    for (const q of ['mari', 'MARI', 'Mari', 'mari%20']) {
      expect(idsOf((await own.admin.get(`${url}?q=${q}`)).body)).toEqual(idsOf(wanted).toSorted());
    }
    for (const q of ['mari%25', 'mar_e', 'arie', '%25'])
      expect((await own.admin.get(`${url}?q=${q}`)).body).toEqual([]);
    await Promise.all(
      Array.from({ length: 12 }, () => own.admin.post(url, { body: { profile: newProfile({ firstName: 'Zoe' }) } })),
    );
    const first = await own.admin.get(`${url}?q=zoe`);
    expect(first.body).toHaveLength(10);
    expect(Object.keys(linksOf(first))).toEqual(['self']);
    expect((await own.admin.get(`${url}?q=zoe&limit=12`)).body).toHaveLength(12);
    expect((await own.admin.get(`${url}?q=zoe&limit=3`)).body).toHaveLength(3);
  });

  test.each([
    `q=a&search=${encodeURIComponent('id pr')}`,
    `q=a&filter=${encodeURIComponent('id eq "a"')}`,
    `filter=${encodeURIComponent('id eq "a"')}&search=${encodeURIComponent('id pr')}`,
  ])('%s: 400 E0000033', async (query) => {
    expect(await org.admin.get(`${url}?${query}`)).toMatchObject({ status: 400, body: { errorCode: 'E0000033' } });
  });
});
