import { beforeAll, describe, expect, test } from 'vitest';
import { addMember, createGroup, everyoneOf, GROUPS, groupPath, idsOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { followPages, linksOf } from '../support/users.ts';

const { service, org } = useService({ isShared: false });
let groups: Awaited<ReturnType<typeof createGroup>>[];
let everyone: string;

const NAMES = ['Alpha', 'alphabet', 'Beta', 'beta%', 'Gamma_1', 'Gamma 2', 'Delta', 'Ärger', 'Zeta'];

beforeAll(async () => {
  groups = [];
  for (const [index, name] of NAMES.entries()) {
    const description = index % 3 === 0 ? undefined : `No ${index}: ${name === 'Beta' ? 'the Second' : 'another'}`;
    // The clock moves before each creation, because groups that were created in the same second are sorted by id.
    service.clock.advance(1_000);
    groups.push(await createGroup(org, { name, ...(description === undefined ? {} : { description }) }));
  }
  everyone = (await everyoneOf(org)).id;
});

const list = (query: Readonly<Record<string, string>>) => org.admin.get(`${GROUPS}?${new URLSearchParams(query)}`);
const namesOf = (rows: readonly { profile: { name: string } }[]): string[] => rows.map(({ profile }) => profile.name);
const groupOf = (name: string) => groups.find(({ profile }) => profile.name === name);

async function found(query: Readonly<Record<string, string>>): Promise<string[]> {
  const { body, status, text } = await list(query);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return namesOf(body);
}

const all = (): string[] => [everyone, ...idsOf(groups)].toSorted();

describe('without a condition', () => {
  test('all groups come by id, those of other orgs never', async () => {
    await createGroup(await service.newOrg());
    expect(idsOf((await list({})).body)).toEqual(all());
  });

  test('page by page, forward and back', async () => {
    const { users: rows, sizes, last } = await followPages(org.admin, `${GROUPS}?limit=4`);
    expect(idsOf(rows)).toEqual(all());
    expect(sizes).toEqual([4, 4, 2]);
    const back = /<https:\/\/[^/]+([^>]*)>; rel="prev"/.exec(String(last.headers['link']))?.[1] ?? '';
    const { users: before } = await followPages(org.admin, back, { relation: 'prev' });
    expect(idsOf(before).toSorted()).toEqual(all().slice(0, 8));
  });

  test('a limit above the greatest is the greatest, one below the least is refused', async () => {
    expect(String((await list({ limit: '20000' })).headers['link'])).toContain('limit=10000');
    expect(await list({ limit: '0' })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await list({ limit: 'x' })).toMatchObject({ status: 400, body: { errorCode: 'E0000037' } });
  });
});

describe('q', () => {
  test('is what names start with, in whatever letters', async () => {
    expect(await found({ q: 'ALPHA' })).toEqual(expect.arrayContaining(['Alpha', 'alphabet']));
    expect(await found({ q: 'alpha' })).toHaveLength(2);
    expect(await found({ q: 'Every' })).toEqual(['Everyone']);
    expect(await found({ q: 'lpha' })).toEqual([]);
    expect(await found({ q: 'beta%' })).toEqual(['beta%']);
    expect(await found({ q: 'ärg' })).toEqual(['Ärger']);
  });

  test('has no pages, and a limit', async () => {
    const { body, headers } = await list({ q: 'a', limit: '1' });
    expect(body).toHaveLength(1);
    expect(String(headers['link'])).not.toContain('rel="next"');
  });
});

describe('filter', () => {
  test.each([
    ['id eq', () => `id eq "${groupOf('Beta')?.id}"`, ['Beta']],
    ['type eq', () => 'type eq "BUILT_IN"', ['Everyone']],
    ['lastUpdated', () => `lastUpdated gt "${groupOf('Delta')?.lastUpdated}"`, ['Ärger', 'Zeta']],
    [
      'lastMembershipUpdated and type',
      () => `type eq "SVC_GROUP" and lastMembershipUpdated lt "${groupOf('Beta')?.lastMembershipUpdated}"`,
      ['Alpha', 'alphabet'],
    ],
    ['or', () => `type eq "BUILT_IN" or id eq "${groupOf('Zeta')?.id}"`, ['Everyone', 'Zeta']],
    ['not', () => 'not (type eq "SVC_GROUP")', ['Everyone']],
    ['an unknown type', () => 'type eq "svc_group"', []],
    ['the stored type', () => 'type eq "NATIVE_GROUP"', []],
  ])('%s', async (_, filter, names) => {
    expect((await found({ filter: filter() })).toSorted()).toEqual(names.toSorted());
  });

  test.each([
    ['profile.name eq "Beta"', 'E0000053'],
    ['type sw "SVC"', 'E0000031'],
    ['type eq', 'E0000053'],
    ['lastUpdated eq "yesterday"', 'E0000053'],
    ['constructor pr', 'E0000053'],
  ])('refuses %s', async (filter, errorCode) => {
    expect(await list({ filter })).toMatchObject({ status: 400, body: { errorCode } });
  });
});

describe('search', () => {
  const NATIVE = NAMES.toSorted();

  test.each([
    ['profile.name eq "BETA"', ['Beta']],
    ['profile.name sw "gamma"', ['Gamma 2', 'Gamma_1']],
    ['profile.name co "lph"', ['Alpha', 'alphabet']],
    ['profile.name co "Lph"', []],
    ['profile.description co "the Second"', ['Beta']],
    ['profile.description pr and profile.name sw "a"', ['alphabet']],
    ['not (profile.description pr)', ['Alpha', 'Delta', 'beta%']],
    ['type eq "BUILT_IN"', ['Everyone']],
    ['type eq "svc_group"', NATIVE],
    ['type sw "SVC"', NATIVE],
    ['type sw "B"', ['Everyone']],
    ['type gt "BUILT_IN"', NATIVE],
    ['type pr', [...NAMES, 'Everyone']],
    ['type eq "APP_GROUP"', []],
    ['type eq "APP_GROUP" or profile.name eq "zeta"', ['Zeta']],
    ['source.id eq "0oa00000000000000000"', []],
    ['source.id pr', []],
    ['profile.name gt "delta" and profile.name lt "gamma_1"', ['Everyone', 'Gamma 2']],
    ['created gt "2020-01-01T00:00:00.000Z" and profile.name eq "alpha"', ['Alpha']],
    ['id sw "00g" and profile.name sw "z"', ['Zeta']],
  ])('%s', async (search, names) => {
    expect((await found({ search })).toSorted()).toEqual([...names].toSorted());
  });

  test('sees a write at once, and a renamed group under its new name alone', async () => {
    const group = await createGroup(org, { name: 'Before', description: 'first' });
    expect(await found({ search: 'profile.name eq "Before"' })).toEqual(['Before']);
    await org.admin.put(groupPath(group.id), { body: { profile: { name: 'After' } } });
    expect(await found({ search: 'profile.name eq "Before"' })).toEqual([]);
    expect(await found({ search: 'profile.description eq "first"' })).toEqual([]);
    expect(await found({ search: 'profile.name eq "After"' })).toEqual(['After']);
    await org.admin.del(groupPath(group.id));
    expect(await found({ search: 'profile.name eq "After"' })).toEqual([]);
  });

  test('sees when a membership changed', async () => {
    service.clock.advance(60_000);
    const since = org.now().toISOString();
    const group = groups[2];
    await addMember(org, group?.id, org.adminUserId);
    for (const way of ['search', 'filter']) {
      expect(await found({ [way]: `lastMembershipUpdated ge "${since.slice(0, 19)}.000Z"` })).toEqual(['Beta']);
    }
  });

  test('sorts by a property, those without it last, page by page', async () => {
    const byName = [...NAMES, 'Everyone'].toSorted((one, other) => {
      const [left, right] = [one.toLowerCase(), other.toLowerCase()];
      return Buffer.compare(Buffer.from(left), Buffer.from(right));
    });
    const path = (sortBy: string, sortOrder: string) =>
      `${GROUPS}?${new URLSearchParams({ search: 'id pr', sortBy, sortOrder, limit: '3' })}`;
    const sorted = async (sortBy: string, sortOrder: string) =>
      namesOf((await followPages(org.admin, path(sortBy, sortOrder))).users);
    expect(await sorted('profile.name', 'asc')).toEqual(byName);
    expect(await sorted('profile.name', 'desc')).toEqual(byName.toReversed());
    const described = await sorted('profile.description', 'desc');
    expect(described.slice(-3).toSorted()).toEqual(['Alpha', 'Delta', 'beta%']);
    expect(await sorted('created', 'asc')).toEqual(['Everyone', ...NAMES]);
  });

  test.each([
    ['profile.name ne "x"', 'E0000031'],
    ['profile.name co "lp"', 'E0000053'],
    ['profile.unheardOf eq "x"', 'E0000053'],
    ['profile.constructor pr', 'E0000053'],
    ['_links pr', 'E0000053'],
    ['objectClass eq "svc:user_group"', 'E0000053'],
    [`profile.name sw "${'x'.repeat(201)}"`, 'E0000053'],
  ])('refuses %s', async (search, errorCode) => {
    expect(await list({ search })).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('a property that nothing can be sorted by is refused', async () => {
    for (const sortBy of ['profile.unheardOf', '_embedded', 'toString']) {
      expect(await list({ search: 'id pr', sortBy })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
  });

  test('goes with neither q nor filter', async () => {
    for (const other of ['q', 'filter']) {
      const query = { search: 'id pr', [other]: other === 'q' ? 'a' : 'type eq "BUILT_IN"' };
      expect(await list(query)).toMatchObject({ status: 400, body: { errorCode: 'E0000033' } });
    }
  });
});

describe('expand', () => {
  test('stats are told of 200 groups at a time, whatever the limit', async () => {
    const own = await service.newOrg();
    const group = await createGroup(own);
    await service.database.pool.query(
      `insert into groups (org_id, id, type, name, name_key, profile, created_at, last_updated_at,
         last_membership_updated_at)
       select org_id, '00gmany' || n, type, name || ' ' || n, name_key || ' ' || n, profile, created_at, created_at,
         created_at from groups, generate_series(1, 230) n where org_id = $1 and id = $2`,
      [own.id, group.id],
    );
    await service.database.pool.query(
      `insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
       select org_id, attribute_id, value_key || ' ' || n, '00gmany' || n
       from group_attribute_values, generate_series(1, 230) n where org_id = $1 and group_id = $2`,
      [own.id, group.id],
    );
    expect((await own.admin.get(GROUPS)).body).toHaveLength(232);
    for (const query of ['', '&limit=10000']) {
      const page = await own.admin.get(`${GROUPS}?expand=stats${query}`);
      expect(page.body).toHaveLength(200);
      const rest = await own.admin.get(linksOf(page)['next'] ?? '');
      expect(rest.body).toHaveLength(32);
      expect(rest.body[0]._embedded.stats).toMatchObject({ appsCount: 0 });
    }
    expect((await own.admin.get(`${GROUPS}?expand=stats&limit=5`)).body).toHaveLength(5);
    const q = encodeURIComponent(group.profile.name);
    expect((await own.admin.get(`${GROUPS}?q=${q}`)).body).toHaveLength(231);
    expect((await own.admin.get(`${GROUPS}?q=${q}&expand=stats`)).body).toHaveLength(200);
    expect((await own.admin.get(`${GROUPS}?expand=app`)).body).toHaveLength(232);
  });

  test('stats counts members, apps and roles of each group of the page', async () => {
    const own = await service.newOrg();
    const [empty, full] = [await createGroup(own), await createGroup(own)];
    for (const { id } of await Promise.all([own.createUser(), own.createUser()])) await addMember(own, full.id, id);
    const { body } = await own.admin.get(`${GROUPS}?expand=stats`);
    const stats = new Map(
      body.map((group: { id: string; _embedded: { stats: unknown } }) => [group.id, group._embedded.stats]),
    );
    const none = { appsCount: 0, groupPushMappingsCount: 0, hasAdminPrivilege: false, hasAdminPrivlege: false };
    expect(stats.get(empty.id)).toEqual({ usersCount: 0, ...none });
    expect(stats.get(full.id)).toEqual({ usersCount: 2, ...none });
    expect(stats.get((await everyoneOf(own)).id)).toEqual({ usersCount: 3, ...none });
  });

  test('app tells nothing of groups made here', async () => {
    const { body } = await list({ expand: 'app,stats', q: 'Beta' });
    expect(body[0]._embedded).toEqual({ stats: expect.objectContaining({ appsCount: 0 }) });
    expect((await list({ q: 'Beta' })).body[0]).not.toHaveProperty('_embedded');
  });

  test('anything else is refused', async () => {
    expect((await list({ expand: 'stats,users', limit: '1' })).body[0]._embedded).toEqual({ stats: expect.anything() });
  });
});
