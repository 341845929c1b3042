import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { readFilter } from '../../src/filter/index.ts';
import { searchFieldsWith } from '../../src/management/users/profile/search-fields.ts';
import { searchedUsers } from '../../src/management/users/profile/searched-users-store.ts';
import type { UserRow } from '../../src/management/users/records/user-row.ts';
import {
  chooseScan,
  type IndexScan,
  type Place,
  runScan,
  type ScannedColumn,
  type SearchScope,
} from '../../src/search/index.ts';
import { MANY } from '../../src/search/scan/choose-scan.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** The number of users. Even half of them are more than MANY. */
const USERS = 2 * MANY + 2;
const { service } = useService();
let org: TestOrg;

const FILL = (orgId: string) => sql`
  with people as (
    select '00u' || substr(md5(n::text), 1, 17) as id, n, 'user.' || n || '@example.com' as login
    from generate_series(0, ${USERS - 1}::integer) n),
  added as (
    insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
      provider_type, provider_name, has_password, created_at, last_updated_at)
    select t.org_id, p.id, t.id, 'STAGED', p.login, p.login, split_part(p.login, '@', 1), 1,
      jsonb_build_object('login', p.login, 'email', p.login, 'firstName', 'N' || p.n, 'lastName', 'Ada'),
      'INTERNAL', 'INTERNAL', false, now(), now()
    from people p join user_types t on t.org_id = ${orgId} and t.is_default),
  signs as (insert into user_sign_in (org_id, user_id) select ${orgId}, id from people)
  insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
  select ${orgId}, a.attribute_id, a.value_key, p.id from people p,
    lateral (values (1, 'staged'), (108, 'title ' || p.n % 2), (115, 'city ' || p.n % 400), (128, 'dept ' || p.n % 3),
      (124, lpad(p.n::text, 6, '0')), (110, case when p.n % 2 = 0 then 'nick ' || p.n % 50 end))
      as a (attribute_id, value_key) where a.value_key is not null`;

beforeAll(async () => {
  org = await service.newOrg();
  // Statements of the service have a shorter time limit, which this one exceeds on a busy machine.
  await FILL(org.id).execute(service.database.db);
  await sql`analyze users, user_attribute_values`.execute(service.database.db);
}, 120_000);

const scopeOf = (search: string): SearchScope =>
  searchedUsers({
    orgId: org.id,
    grant: { kind: 'all' },
    expression: readFilter(search, searchFieldsWith(new Map())),
    withDeprovisioned: true,
  });

/** Returns the chosen scan and the numbers of the users on all pages. A user found twice is in the list twice. */
async function found(
  search: string,
  sortBy: string | null,
  limit: number,
): Promise<{ walk: IndexScan; numbers: number[] }> {
  const { db } = service.application;
  const scope = scopeOf(search);
  const walk = await chooseScan(db, scope, sortBy);
  const numbers: number[] = [];
  for (let after: Place | null = null; ; ) {
    const request = { limit, after, descending: false, backwards: false };
    const page: ScannedColumn<UserRow>[] = await runScan(db, scope, walk, sortBy, request);
    numbers.push(...page.map(({ login }) => Number(login.slice('user.'.length, login.indexOf('@')))));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return { walk, numbers };
    after = { key: last.scanKey, id: last.id };
  }
}

const all = Array.from({ length: USERS }, (_, n) => n);
const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((left, right) => left - right);

type Case = readonly [search: string, kind: IndexScan['kind'], holds: (n: number) => boolean];

const CASES: readonly Case[] = [
  ['profile.city eq "City 7"', 'range', (n) => n % 400 === 7],
  ['profile.title eq "Title 0" and profile.city eq "City 8"', 'range', (n) => n % 400 === 8],
  ['profile.title eq "Title 0" and profile.department eq "Dept 1"', 'range', (n) => n % 2 === 0 && n % 3 === 1],
  ['profile.title eq "Title 0" and profile.title eq "Title 1"', 'none', () => false],
  ['profile.employeeNumber ge "001000" and profile.employeeNumber lt "001300"', 'range', (n) => n >= 1000 && n < 1300],
  ['profile.title eq "Title 1" and profile.nickName pr', 'range', () => false],
  ['profile.nickName sw "nick 4" and profile.department eq "Dept 2"', 'range', (n) => nick4(n) && n % 3 === 2],
  ['profile.city eq "City 7" or profile.city eq "City 9"', 'points', (n) => [7, 9].includes(n % 400)],
  ['profile.city eq "City 7" or profile.employeeNumber sw "0001"', 'few', (n) => n % 400 === 7 || is01(n)],
  ['profile.title eq "Title 0" or profile.employeeNumber sw "00"', 'chain', (n) => n % 2 === 0 || n < 10_000],
  [
    '(profile.title eq "Title 0" or profile.employeeNumber sw "00") and not (profile.department eq "Dept 0")',
    'chain',
    (n) => (n % 2 === 0 || n < 10_000) && n % 3 !== 0,
  ],
  [
    'profile.title eq "Title 0" and profile.city eq "City 8" or profile.department eq "Dept 2"',
    'points',
    (n) => n % 400 === 8 || n % 3 === 2,
  ],
  ['not (status eq "STAGED") and profile.title pr', 'few', () => false],
];
const is01 = (n: number): boolean => n >= 100 && n < 200;
const nick4 = (n: number): boolean => n % 2 === 0 && (n % 50 === 4 || (n % 50 >= 40 && n % 50 < 50));

describe('a search of many users', () => {
  test.each(CASES)('%s: by %s', async (search, kind, holds) => {
    const { numbers, walk } = await found(search, null, 2_500);
    expect(walk.kind).toBe(kind);
    expect(ascending(numbers)).toEqual(all.filter(holds));
  });

  test.each([
    ['profile.city eq "City 7"', 'few', (n: number) => n % 400 === 7],
    ['profile.title eq "Title 0"', 'sorted', (n: number) => n % 2 === 0],
    ['profile.employeeNumber sw "01"', 'few', (n: number) => n >= 10_000 && n < 20_000],
    ['profile.employeeNumber ge "005000"', 'range', (n: number) => n >= 5_000],
    ['profile.title eq "Title 0" and profile.nickName pr', 'sorted', (n: number) => n % 2 === 0],
    ['profile.title eq "Title 1" and profile.nickName pr', 'few', () => false],
  ] as const)('%s, sorted: by %s', async (search, kind, holds) => {
    const { numbers, walk } = await found(search, 'profile.employeeNumber', 5_000);
    expect(walk.kind).toBe(kind);
    expect(numbers).toEqual(all.filter(holds));
  });

  test('the way of each operand is the one with the fewest rows', async () => {
    const search = 'status eq "STAGED" and profile.city eq "City 7" or profile.title eq "Title 0" and status pr';
    const { numbers, walk } = await found(search, null, 5_000);
    expect(walk.picks).toEqual([1, 0]);
    expect(ascending(numbers)).toEqual(all.filter((n) => n % 400 === 7 || n % 2 === 0));
  });
});
