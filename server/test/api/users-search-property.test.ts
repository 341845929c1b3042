import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toText } from '../../src/filter/index.ts';
import { type Driver, driversOf, isPoint } from '../../src/management/users/search-plan.ts';
import { type Place, type Scope } from '../../src/management/users/search-store.ts';
import { takeWalk, type Walk } from '../../src/management/users/search-walk.ts';
import type { TestResponse } from '../support/client.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { checkedSearch, expectedUsers, inOrder, randomUsers, SORTABLE, searches } from '../support/user-searches.ts';
import { followPages, linksOf, searchPath } from '../support/users.ts';

let service: TestService;
let org: TestOrg;
let users: Awaited<ReturnType<typeof randomUsers>>;

beforeAll(async () => {
  service = await startTestService();
  org = await service.newOrg();
  users = await randomUsers(service, org, 30);
});
afterAll(() => service.close());

const RUNS = { numRuns: 100 };
const idsOf = (page: readonly TestResponse['body'][]): string[] => page.map(({ id }) => id as string);
const limits = fc.integer({ min: 1, max: 12 });
const orders = fc.constantFrom('asc', 'desc');

/** Reads back from the last page: what lay before it, in the order of reading it forward. */
async function before(last: TestResponse): Promise<string[]> {
  const start = linksOf(last)['prev'];
  if (start === undefined) return [];
  const { sizes, users: found } = await followPages(org.admin, start, { relation: 'prev' });
  const ids = idsOf(found);
  return sizes
    .map((size) => ids.splice(0, size))
    .toReversed()
    .flat();
}

describe('the users that a search answers are those of whom its expression is true', () => {
  test('page by page, forward and back', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(searches(users), limits, async (expression, limit) => {
        const expected = idsOf(expectedUsers(users, expression));
        if (expected.length > 0 && expected.length < users.length) some += 1;
        const {
          last,
          sizes,
          users: found,
        } = await followPages(org.admin, searchPath(toText(expression), `&limit=${limit}`));
        expect(idsOf(found).toSorted()).toEqual(expected.toSorted());
        expect(sizes).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
        expect([...(await before(last)), ...idsOf(last.body)]).toEqual(idsOf(found));
      }),
      RUNS,
    );
    expect(some).toBeGreaterThan(30);
  });

  test('sorted, page by page, forward and back', async () => {
    const attributes = fc.constantFrom(...SORTABLE, 'id');
    await fc.assert(
      fc.asyncProperty(searches(users), attributes, orders, limits, async (expression, sortBy, order, limit) => {
        const expected = idsOf(expectedUsers(users, expression).toSorted(inOrder(sortBy, order === 'desc')));
        const path = searchPath(toText(expression), `&limit=${limit}&sortBy=${sortBy}&sortOrder=${order}`);
        const { last, users: found } = await followPages(org.admin, path);
        expect(idsOf(found)).toEqual(expected);
        expect([...(await before(last)), ...idsOf(last.body)]).toEqual(expected);
      }),
      RUNS,
    );
  });
});

/** Every walk that can serve a search; which one is chosen depends on how many users there are. */
function walksOf(drivers: readonly Driver[]): Walk[] {
  return drivers.flatMap((driver, index): Walk[] => [
    ...(driver.ranges.length === 1 ? [{ kind: 'range', driver: index } as const] : []),
    ...(driver.ranges.every(isPoint) ? [{ kind: 'points', driver: index } as const] : []),
    { kind: 'few', driver: index },
  ]);
}

/** All pages of a walk, in the order of reading. */
async function readAll(
  scope: Scope,
  walk: Walk,
  sortBy: string | null,
  request: { limit: number; descending: boolean; backwards: boolean },
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Place | null = null; ; ) {
    const page = await takeWalk(service.application.db, scope, walk, sortBy, { ...request, after });
    ids.push(...idsOf(page));
    const last = page.at(-1);
    if (last === undefined || page.length < request.limit || ids.length > users.length) return ids;
    after = { key: last.walkKey, id: last.id };
  }
}

describe('every kind of walk finds the same', () => {
  const seen = new Map<string, number>();

  test('in an order of its own, backwards the reverse of it', async () => {
    await fc.assert(
      fc.asyncProperty(searches(users), limits, async (given, limit) => {
        const expression = checkedSearch(given);
        const scope: Scope = { orgId: org.id, grant: { kind: 'all' }, expression, withDeprovisioned: true };
        const expected = idsOf(expectedUsers(users, given)).toSorted();
        for (const walk of [{ kind: 'id', driver: 0 } as const, ...walksOf(driversOf(expression))]) {
          seen.set(walk.kind, (seen.get(walk.kind) ?? 0) + 1);
          const forward = await readAll(scope, walk, null, { limit, descending: false, backwards: false });
          expect(forward.toSorted()).toEqual(expected);
          if (walk.kind !== 'range') expect(forward).toEqual(expected);
          const back = await readAll(scope, walk, null, { limit, descending: true, backwards: true });
          expect(back).toEqual(forward.toReversed());
        }
      }),
      RUNS,
    );
    for (const kind of ['id', 'range', 'points', 'few']) expect(seen.get(kind) ?? 0).toBeGreaterThan(1);
  });

  test('sorted by an attribute, whether the matches are few or many', async () => {
    const attributes = fc.constantFrom(...SORTABLE);
    await fc.assert(
      fc.asyncProperty(searches(users), attributes, orders, limits, async (given, sortBy, order, limit) => {
        const expression = checkedSearch(given);
        const scope: Scope = { orgId: org.id, grant: { kind: 'all' }, expression, withDeprovisioned: true };
        const descending = order === 'desc';
        const expected = idsOf(expectedUsers(users, given).toSorted(inOrder(sortBy, descending)));
        const few = driversOf(expression).map((_, index): Walk => ({ kind: 'few', driver: index }));
        for (const walk of [{ kind: 'sorted', driver: 0 } as const, ...few]) {
          const forward = await readAll(scope, walk, sortBy, { limit, descending, backwards: false });
          expect(forward).toEqual(expected);
          const back = await readAll(scope, walk, sortBy, { limit, descending: !descending, backwards: true });
          expect(back).toEqual(expected.toReversed());
        }
      }),
      RUNS,
    );
  });

  test('a caller who sees only some users finds those alone', async () => {
    const ids = idsOf(users).slice(3, 9);
    await fc.assert(
      fc.asyncProperty(searches(users), async (given) => {
        const expression = checkedSearch(given);
        const scope: Scope = { orgId: org.id, grant: { kind: 'ids', ids }, expression, withDeprovisioned: true };
        const expected = idsOf(expectedUsers(users, given)).filter((id) => ids.includes(id));
        for (const walk of [{ kind: 'id', driver: 0 } as const, ...walksOf(driversOf(expression))]) {
          const found = await readAll(scope, walk, null, { limit: 5, descending: false, backwards: false });
          expect(found.toSorted()).toEqual(expected.toSorted());
        }
      }),
      { numRuns: 30 },
    );
  });
});
