import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Expression, toText } from '../../src/filter/index.ts';
import { searchedGroups } from '../../src/management/groups/lists/searched-groups-store.ts';
import { GROUP_TYPES } from '../../src/management/groups/records/group-row.ts';
import { overStoredTypes } from '../../src/management/groups/rules.ts';
import type { SearchScope } from '../../src/search/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import {
  checkedGroupSearch,
  expectedGroups,
  expectedGroupsByFilter,
  groupFilters,
  groupSearches,
  randomGroups,
  SORTABLE_OF_GROUPS,
} from '../support/group-searches.ts';
import { GROUPS, idsOf } from '../support/groups.ts';
import { rounds } from '../support/rounds.ts';
import { hashing, idsBefore, readAll, scansOf, sortedScansOf } from '../support/search-scans.ts';
import { inOrder, SEARCHED_SCHEMA as schema } from '../support/searches.ts';
import { useService } from '../support/use-service.ts';
import { followPages } from '../support/users.ts';

const { service } = useService();
const org = beforeTests(() => service.newOrg());
let groups: Awaited<ReturnType<typeof randomGroups>>;

beforeAll(async () => {
  groups = await randomGroups(service, org, 30);
});

const RUNS = { numRuns: rounds(30) };
const limits = fc.integer({ min: 2, max: 12 });
const orders = fc.constantFrom('asc', 'desc');
const listPath = (query: Readonly<Record<string, string>>): string => `${GROUPS}?${new URLSearchParams(query)}`;

describe('the groups that a search answers are those of which its expression is true', () => {
  test('page by page, forward and back', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(groupSearches(groups), limits, async (expression, limit) => {
        const expected = idsOf(expectedGroups(groups, expression));
        if (expected.length > 0 && expected.length < groups.length) some += 1;
        const path = listPath({ search: toText(expression), limit: String(limit) });
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
    const attributes = fc.constantFrom(...SORTABLE_OF_GROUPS, 'id');
    await fc.assert(
      fc.asyncProperty(groupSearches(groups), attributes, orders, limits, async (expression, sortBy, order, limit) => {
        const expected = idsOf(expectedGroups(groups, expression).toSorted(inOrder(sortBy, order === 'desc')));
        const path = listPath({ search: toText(expression), limit: String(limit), sortBy, sortOrder: order });
        const { last, users: found } = await followPages(org.admin, path);
        expect(idsOf(found)).toEqual(expected);
        expect([...(await idsBefore(org, last)), ...idsOf(last.body)]).toEqual(expected);
      }),
      RUNS,
    );
  });
});

test('the groups that a filter answers are those of which it is true as they are, letter by letter', async () => {
  await fc.assert(
    fc.asyncProperty(groupFilters(groups), limits, async (expression, limit) => {
      const expected = idsOf(expectedGroupsByFilter(groups, expression));
      const path = listPath({ filter: toText(expression), limit: String(limit) });
      expect(idsOf((await followPages(org.admin, path)).users).toSorted()).toEqual(expected.toSorted());
    }),
    RUNS,
  );
});

describe('every kind of walk finds the same', () => {
  const scopeOf = (given: Expression, ids?: readonly string[]): SearchScope =>
    searchedGroups({
      orgId: org.id,
      grant: ids === undefined ? { kind: 'all' } : { kind: 'ids', ids },
      expression: overStoredTypes(checkedGroupSearch(given), GROUP_TYPES, service.application.namespace),
      schema,
    });

  test('in an order of its own, backwards the reverse of it', async () => {
    await fc.assert(
      fc.asyncProperty(groupSearches(groups), limits, async (given, limit) => {
        const scope = scopeOf(given);
        const expected = idsOf(expectedGroups(groups, given)).toSorted();
        for (const walk of [{ kind: 'id', driver: 0 } as const, ...scansOf(scope)]) {
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
  });

  test('sorted by an attribute, whether the matches are few or many', async () => {
    const attributes = fc.constantFrom(...SORTABLE_OF_GROUPS);
    await fc.assert(
      fc.asyncProperty(groupSearches(groups), attributes, orders, limits, async (given, sortBy, order, limit) => {
        const scope = scopeOf(given);
        const descending = order === 'desc';
        const expected = idsOf(expectedGroups(groups, given).toSorted(inOrder(sortBy, descending)));
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
});
