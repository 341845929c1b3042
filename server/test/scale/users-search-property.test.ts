import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { toText } from '../../src/filter/index.ts';
import { searchedUsers } from '../../src/management/users/profile/searched-users-store.ts';
import type { SearchScope } from '../../src/search/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { rounds } from '../support/rounds.ts';
import { hashing, idsBefore, readAll, scansOf, sortedScansOf } from '../support/search-scans.ts';
import { inOrder, SEARCHED_SCHEMA as schema } from '../support/searches.ts';
import { useService } from '../support/use-service.ts';
import {
  checkedSearch,
  expectedByFilter,
  expectedUsers,
  filters,
  randomUsers,
  SORTABLE,
  searches,
} from '../support/user-searches.ts';
import { filterPath, followPages, searchPath } from '../support/users.ts';

const { service } = useService();
const org = beforeTests(() => service.newOrg());
let users: Awaited<ReturnType<typeof randomUsers>>;

beforeAll(async () => {
  users = await randomUsers(service, org, 30);
});

const RUNS = { numRuns: rounds(30) };
const idsOf = (page: readonly TestResponse['body'][]): string[] => page.map(({ id }) => id as string);
const limits = fc.integer({ min: 2, max: 12 });
const orders = fc.constantFrom('asc', 'desc');

describe('the users that a search answers are those of whom its expression is true', () => {
  test('page by page, forward and back', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(searches(users), limits, async (expression, limit) => {
        const expected = idsOf(expectedUsers(users, expression));
        if (expected.length > 0 && expected.length < users.length) some += 1;
        const path = searchPath(toText(expression), `&limit=${limit}`);
        const { last, sizes, users: found } = await followPages(org.admin, path);
        expect(idsOf(found).toSorted()).toEqual(expected.toSorted());
        expect(sizes).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
        expect([...(await idsBefore(org, last)), ...idsOf(last.body)]).toEqual(idsOf(found));
      }),
      RUNS,
    );
    expect(some).toBeGreaterThan(5);
  });

  test('sorted, page by page, forward and back', async () => {
    const attributes = fc.constantFrom(...SORTABLE, 'id');
    await fc.assert(
      fc.asyncProperty(searches(users), attributes, orders, limits, async (expression, sortBy, order, limit) => {
        const expected = idsOf(expectedUsers(users, expression).toSorted(inOrder(sortBy, order === 'desc')));
        const path = searchPath(toText(expression), `&limit=${limit}&sortBy=${sortBy}&sortOrder=${order}`);
        const { last, users: found } = await followPages(org.admin, path);
        expect(idsOf(found)).toEqual(expected);
        expect([...(await idsBefore(org, last)), ...idsOf(last.body)]).toEqual(expected);
      }),
      RUNS,
    );
  });
});

test('the users that a filter answers are those of whom it is true as they are, letter by letter', async () => {
  await fc.assert(
    fc.asyncProperty(filters(users), limits, async (expression, limit) => {
      const expected = idsOf(expectedByFilter(users, expression));
      const { users: found } = await followPages(org.admin, filterPath(toText(expression), `&limit=${limit}`));
      expect(idsOf(found).toSorted()).toEqual(expected.toSorted());
    }),
    RUNS,
  );
});

describe('every kind of walk finds the same', () => {
  const seen = new Map<string, number>();
  const scopeOf = (expression: Parameters<typeof checkedSearch>[0], ids?: readonly string[]): SearchScope =>
    searchedUsers({
      orgId: org.id,
      grant: ids === undefined ? { kind: 'all' } : { kind: 'ids', ids },
      expression: checkedSearch(expression),
      schema,
      withDeprovisioned: true,
    });

  test('in an order of its own, backwards the reverse of it', async () => {
    await fc.assert(
      fc.asyncProperty(searches(users), limits, async (given, limit) => {
        const scope = scopeOf(given);
        const expected = idsOf(expectedUsers(users, given)).toSorted();
        for (const walk of [{ kind: 'id', driver: 0 } as const, ...scansOf(scope)]) {
          seen.set(walk.kind, (seen.get(walk.kind) ?? 0) + 1);
          const forward = await readAll(service, scope, walk, null, { limit, descending: false, backwards: false });
          expect(forward.toSorted()).toEqual(expected);
          if (walk.kind !== 'range' && walk.kind !== 'chain') expect(forward).toEqual(expected);
          const back = await readAll(service, scope, walk, null, { limit, descending: true, backwards: true });
          expect(back).toEqual(forward.toReversed());
          const request = { limit, descending: false, backwards: false };
          expect(await readAll(service, hashing(scope), walk, null, request)).toEqual(forward);
        }
      }),
      RUNS,
    );
    for (const kind of ['id', 'range', 'points', 'chain', 'few']) expect(seen.get(kind) ?? 0).toBeGreaterThan(1);
  });

  test('sorted by an attribute, whether the matches are few or many', async () => {
    const attributes = fc.constantFrom(...SORTABLE);
    await fc.assert(
      fc.asyncProperty(searches(users), attributes, orders, limits, async (given, sortBy, order, limit) => {
        const scope = scopeOf(given);
        const descending = order === 'desc';
        const expected = idsOf(expectedUsers(users, given).toSorted(inOrder(sortBy, descending)));
        for (const walk of sortedScansOf(scope, sortBy)) {
          const forward = await readAll(service, scope, walk, sortBy, { limit, descending, backwards: false });
          expect(forward).toEqual(expected);
          const request = { limit, descending: !descending, backwards: true };
          expect(await readAll(service, scope, walk, sortBy, request)).toEqual(expected.toReversed());
        }
      }),
      RUNS,
    );
  });

  test('a caller who sees only some users finds those alone', async () => {
    const ids = idsOf(users).slice(3, 9);
    await fc.assert(
      fc.asyncProperty(searches(users), async (given) => {
        const scope = scopeOf(given, ids);
        const expected = idsOf(expectedUsers(users, given)).filter((id) => ids.includes(id));
        for (const walk of [{ kind: 'id', driver: 0 } as const, ...scansOf(scope)]) {
          const request = { limit: 5, descending: false, backwards: false };
          expect((await readAll(service, scope, walk, null, request)).toSorted()).toEqual(expected.toSorted());
        }
      }),
      { numRuns: rounds(30) },
    );
  });
});
