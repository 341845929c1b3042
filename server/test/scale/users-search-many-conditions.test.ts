import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readFilter } from '../../src/filter/index.ts';
import { searchFieldsWith } from '../../src/management/users/profile/search-fields.ts';
import { searchedUsers } from '../../src/management/users/profile/searched-users-store.ts';
import type { UserRow } from '../../src/management/users/records/user-row.ts';
import { chooseScan, type IndexScan, runScan, type SearchScope } from '../../src/search/index.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { followPages, searchPath } from '../support/users.ts';
import { type WatchedStatement, watchStatements } from '../sweeps/watched-statements.ts';

const USERS = 12_000;
const { service } = useService();
let org: TestOrg;
let watched: readonly WatchedStatement[];

/** Adds users and their index rows. These contain 400 cities and, for each user, a title key of the maximum length. */
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
    lateral (values (1, 'staged'), (115, '' || p.n % 400), (110, 'nick ' || p.n % 50),
      (128, case when p.n % 3 > 0 then 'dept ' || p.n % 3 end),
      (124, lpad(p.n::text, 6, '0')), (108, repeat(chr(1), 194) || lpad(p.n::text, 6, '0') || repeat('f', 64)))
      as a (attribute_id, value_key) where a.value_key is not null`;

beforeAll(async () => {
  watched = watchStatements();
  org = await service.newOrg();
  // Statements of the service have a shorter time limit, which this one exceeds on a busy machine.
  await FILL(org.id).execute(service.database.db);
  await sql`analyze users, user_attribute_values`.execute(service.database.db);
}, 120_000);
afterAll(() => vi.restoreAllMocks());

const scopeOf = (search: string, withDeprovisioned = true): SearchScope =>
  searchedUsers({
    orgId: org.id,
    grant: { kind: 'all' },
    expression: readFilter(search, searchFieldsWith(new Map())),
    withDeprovisioned,
  });

const each = (count: number, condition: (n: number) => string, word: string): string =>
  Array.from({ length: count }, (_, n) => condition(n)).join(` ${word} `);
const parametersIn = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

interface Found {
  readonly walk: IndexScan;
  readonly numbers: readonly number[];
  readonly sent: number;
  readonly parameters: number;
  readonly characters: number;
}

/** Reads the first page of a search. */
async function found(scope: SearchScope, sortBy: string | null = null, limit = USERS): Promise<Found> {
  const { db } = service.application;
  const from = watched.length;
  const walk = await chooseScan(db, scope, sortBy);
  const request = { limit, after: null, descending: false, backwards: false };
  const rows = await runScan<UserRow>(db, scope, walk, sortBy, request);
  // This test starts no background work on `user_attribute_values`, so the statements that name the table belong to the
  // page.
  const texts = watched.slice(from).flatMap(({ text }) => (text.includes('user_attribute_values') ? [text] : []));
  return {
    walk,
    numbers: rows
      .map(({ login }) => Number(login.slice('user.'.length, login.indexOf('@'))))
      .toSorted((one, other) => one - other),
    sent: texts.length,
    parameters: Math.max(...texts.map(parametersIn)),
    characters: Math.max(...texts.map(({ length }) => length)),
  };
}

const all = Array.from({ length: USERS }, (_, n) => n);
const bounded = { sent: 80, parameters: 5_000, characters: 500_000 };

function expectBounded({ characters, parameters, sent }: Found): void {
  expect(sent).toBeLessThan(bounded.sent);
  expect(parameters).toBeLessThan(bounded.parameters);
  expect(characters).toBeLessThan(bounded.characters);
}

describe('a search of many conditions takes few and short statements', () => {
  const nobody = (n: number): string => `not (profile.nickName sw "z${n}")`;

  test.each([true, false])('an or of many under an and of many; with whom it leaves out: %s', async (whom) => {
    const cities = each(110, (n) => `profile.city eq "${n}"`, 'or');
    const search = `(${cities}) and ${each(130, nobody, 'and')} and profile.department pr`;
    const answer = await found(scopeOf(search, whom));
    expect(answer.walk.kind).toBe('few');
    expect(answer.numbers).toEqual(all.filter((n) => n % 400 < 110 && n % 3 > 0));
    expectBounded(answer);
  });

  test('the operands have conditions of their own, the rarest of which is looked for', async () => {
    const operands = each(110, (n) => `status pr and profile.city eq "${n}"`, 'or');
    const answer = await found(scopeOf(`(${operands}) and ${each(60, nobody, 'and')}`));
    expect(answer.walk).toMatchObject({ kind: 'few', picks: Array.from({ length: 110 }, () => 1) });
    expect(answer.numbers).toEqual(all.filter((n) => n % 400 < 110));
    expectBounded(answer);
  });

  test('ten points and hundreds of others', async () => {
    const cities = each(10, (n) => `profile.city eq "${n}"`, 'or');
    const answer = await found(scopeOf(`(${cities}) and ${each(200, nobody, 'and')}`));
    expect(answer.numbers).toEqual(all.filter((n) => n % 400 < 10));
    expectBounded(answer);
  });

  test('hundreds of ors', async () => {
    const either = (n: number): string => `(status eq "staged" or status eq "${n}")`;
    const answer = await found(scopeOf(each(170, either, 'and')), null, 20);
    expect(answer.numbers).toHaveLength(20);
    expectBounded(answer);
  });

  test('hundreds of points', async () => {
    const states = each(400, (n) => `status eq "${n}"`, 'or');
    const answer = await found(scopeOf(`(${states} or status eq "staged") and profile.nickName pr`), null, 20);
    expect(answer.numbers).toHaveLength(20);
    expectBounded(answer);
  });

  test('sorted', async () => {
    const cities = each(200, (n) => `status pr and profile.city eq "${n}"`, 'or');
    const answer = await found(scopeOf(`(${cities}) and profile.department pr`), 'profile.employeeNumber');
    expect(answer.walk.kind).toBe('few');
    expect(answer.numbers).toEqual(all.filter((n) => n % 400 < 200 && n % 3 > 0));
    expectBounded(answer);
  });
});

test('pages of many operands, sorted by the longest keys', async () => {
  // The last operand is searched by its second condition, which has fewer matches, so cursors must record that choice.
  const operands = each(120, (n) => `profile.city eq "${390 + n}"`, 'or');
  const path = `${searchPath(`${operands} or status pr and profile.city eq "389"`)}&sortBy=profile.title&limit=200`;
  const { sizes, users } = await followPages(org.admin, path);
  expect(sizes).toEqual([200, 130]);
  const numbers = users.map(({ profile }) => Number(profile.login.slice('user.'.length, profile.login.indexOf('@'))));
  expect(numbers).toEqual(all.filter((n) => n % 400 >= 389));
});
