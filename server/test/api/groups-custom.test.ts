import { beforeAll, describe, expect, test } from 'vitest';
import { createGroup, GROUPS, groupPath } from '../support/groups.ts';
import { defineAttributes, GROUP_SCHEMA } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { followPages } from '../support/users.ts';

const { service, org } = useService();

const PROFILES = {
  One: { cost: 9, region: 'EU', open: true, tags: ['a', 'A', 'b', 'a'] },
  Two: { cost: 10, region: 'us', open: false, tags: ['b', 'c'] },
  Three: { cost: -1.5, tags: [] },
  Four: { region: '', constructor: 'plain' },
};

beforeAll(async () => {
  await defineAttributes(
    org,
    {
      cost: { title: 'Cost', type: 'number' },
      region: { title: 'Region', type: 'string' },
      open: { title: 'Open', type: 'boolean' },
      tags: { title: 'Tags', type: 'array', items: { type: 'string' } },
      constructor: { title: 'A name like any other', type: 'string' },
      kept: { title: 'Kept', type: 'string', mutability: 'IMMUTABLE' },
      shown: { title: 'Shown', type: 'string', mutability: 'READ_ONLY' },
    },
    GROUP_SCHEMA,
  );
  for (const [name, profile] of Object.entries(PROFILES)) await createGroup(org, { name, ...profile });
});

const list = (query: Readonly<Record<string, string>>) => org.admin.get(`${GROUPS}?${new URLSearchParams(query)}`);
const namesOf = (rows: readonly { profile: { name: string } }[]): string[] => rows.map(({ profile }) => profile.name);

describe('custom attributes', () => {
  test('are printed as they were given, absent ones not at all', async () => {
    const { body } = await list({ q: 'O' });
    expect(body[0].profile).toEqual({ name: 'One', description: null, ...PROFILES.One });
  });

  test.each([
    ['profile.cost gt 9', ['Two']],
    ['profile.cost le 9', ['One', 'Three']],
    ['profile.cost eq 10', ['Two']],
    ['profile.region eq "US"', ['Two']],
    ['profile.region sw "e"', ['One']],
    ['profile.region pr', ['One', 'Two']],
    ['profile.open eq false', ['Two']],
    ['profile.tags eq "A"', ['One']],
    ['profile.tags pr', ['One', 'Two']],
    ['profile.tags gt "a"', ['One', 'Two']],
    ['profile.tags eq "b" and not (profile.open eq true)', ['Two']],
    ['profile.constructor eq "plain"', ['Four']],
  ])('%s', async (search, names) => {
    const pages = await followPages(org.admin, `${GROUPS}?${new URLSearchParams({ search, limit: '1' })}`);
    expect(namesOf(pages.users).toSorted()).toEqual(names.toSorted());
  });

  test('sort by number, not by digits', async () => {
    const { body } = await list({ search: 'profile.cost pr', sortBy: 'profile.cost', sortOrder: 'desc' });
    expect(namesOf(body)).toEqual(['Two', 'One', 'Three']);
    expect(await list({ search: 'id pr', sortBy: 'profile.tags' })).toMatchObject({ status: 400 });
  });

  test.each([
    ['profile.cost eq "9"', 'E0000053'],
    ['profile.open gt true', 'E0000031'],
    ['profile.region co "EUR"', 'E0000031'],
    ['profile.toString pr', 'E0000053'],
  ])('refuses %s', async (search, errorCode) => {
    expect(await list({ search })).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('are found by their new value after a replace, and by none after they are left out', async () => {
    const { id } = await createGroup(org, { name: 'Five', region: 'before', tags: ['x', 'y'] });
    const found = async (search: string) => namesOf((await list({ search })).body);
    await org.admin.put(groupPath(id), { body: { profile: { name: 'Five', tags: ['y', 'z'] } } });
    expect(await found('profile.region eq "before"')).toEqual([]);
    expect(await found('profile.tags eq "x"')).toEqual([]);
    expect(await found('profile.tags eq "y" and profile.tags eq "z"')).toEqual(['Five']);
    await org.admin.del(groupPath(id));
    expect(await found('profile.tags eq "z"')).toEqual([]);
  });

  test('belong to their org', async () => {
    const other = await service.newOrg();
    const refused = await other.admin.post(GROUPS, { body: { profile: { name: 'Six', region: 'EU' } } });
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCauses: [{ errorSummary: "Property name 'region' is not defined in profile" }] },
    });
    const search = encodeURIComponent('profile.region pr');
    expect(await other.admin.get(`${GROUPS}?search=${search}`)).toMatchObject({ status: 400 });
  });
});

describe('what clients cannot write', () => {
  test('a read-only attribute is refused, an immutable one once it is set; a replace keeps it', async () => {
    const shown = await org.admin.post(GROUPS, { body: { profile: { name: 'Seven', shown: 'x' } } });
    expect(shown).toMatchObject({ status: 403, body: { errorCode: 'E0000077' } });
    const { id } = await createGroup(org, { name: 'Seven', kept: 'for life' });
    const put = (profile: object) => org.admin.put(groupPath(id), { body: { profile: { name: 'Seven', ...profile } } });
    expect(await put({ kept: 'other' })).toMatchObject({ status: 403, body: { errorCode: 'E0000078' } });
    expect(await put({ region: 'EU' })).toMatchObject({
      status: 200,
      body: { profile: { kept: 'for life', region: 'EU' } },
    });
  });
});
