import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Field, fieldTable, type Operator, readFilter } from '../../filter/index.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { createCursorCodec } from '../../platform/http/index.ts';
import type { SearchScope } from '../search-store.ts';
import { textKey } from '../value-keys.ts';
import { carriedScan, scanCarried } from './carried-scan.ts';
import type { IndexScan } from './choose-scan.ts';

const OPERATORS: readonly Operator[] = ['eq', 'pr', 'sw'];
const NAMES = Array.from('abcdefghij');
const IDS = new Map(NAMES.map((name, index) => [name, index + 1]));
const FIELDS = fieldTable(NAMES.map((name): Field => ({ name, type: 'string', operators: OPERATORS })));

const scopeOf = (text: string): SearchScope => ({
  table: {
    table: 'people',
    alias: 'p',
    index: 'people_values',
    ownerColumn: 'person_id',
    columns: 'p.id',
    joined: '',
    texts: {},
    neverAbsent: new Set(),
    attributeOf: (name) => ({ id: IDS.get(name) ?? 0, multiple: false }),
  },
  orgId: toOrgId('00o1'),
  expression: readFilter(text, FIELDS),
  conditions: [],
});

/** Each element of `ways` is the number of candidates of one operand. */
const orOf = (ways: readonly number[]): SearchScope =>
  scopeOf(
    ways
      .map((count, at) => Array.from({ length: count }, (_, n) => `${NAMES[n]} sw "${at}"`).join(' and '))
      .join(' or '),
  );
const few = (picks: readonly number[]): IndexScan => ({ kind: 'few', driver: 0, picks, entries: 10_000 });
const again = (scope: SearchScope, scan: IndexScan): IndexScan => scanCarried(scope, carriedScan(scope, scan));

const codec = createCursorCodec(Buffer.alloc(32, 7));
/**
 * Encodes a cursor as `searchPage` does. JSON escapes most characters of its key, which makes the cursor long. Throws
 * if the cursor is too long.
 */
const cursorOf = (scope: SearchScope, scan: IndexScan): string =>
  codec.encode(
    { orgId: '00o1', list: 'listUsers', query: [], direction: 'after' },
    { scan: carriedScan(scope, scan), key: `49 ${textKey('\u0001'.repeat(300))}`, id: '00u'.padEnd(20, '0') },
  );

describe('the walk that a cursor carries', () => {
  test('goes the same ways', () => {
    const branch = fc.integer({ min: 1, max: 10 }).chain((ways) => fc.tuple(fc.constant(ways), fc.nat(ways - 1)));
    fc.assert(
      fc.property(fc.array(branch, { minLength: 2, maxLength: 40 }), (branches) => {
        const picks = branches.map(([, pick]) => pick);
        const expected = picks.some((pick) => pick > 0) ? few(picks) : { kind: 'few', driver: 0, entries: 10_000 };
        expect(again(orOf(branches.map(([ways]) => ways)), few(picks))).toEqual(expected);
      }),
    );
  });

  test.each([
    ['one way each', 500, 1],
    ['two', 250, 2],
    ['three', 166, 3],
    ['four', 125, 4],
    ['ten', 50, 10],
  ])('fits into a cursor with 500 conditions and the longest key: %s', (_, count, ways) => {
    const scope = orOf(Array.from({ length: count }, () => ways));
    const picks = Array.from({ length: count }, () => ways - 1);
    expect(again(scope, few(picks)).picks ?? picks).toEqual(picks);
    expect(cursorOf(scope, few(picks))).toMatch(/^[\w-]+$/);
  });

  test('of a search without conditions, or without ways to choose, it is the walk itself', () => {
    const byId: IndexScan = { kind: 'id', driver: 0 };
    expect(carriedScan({ ...scopeOf('a pr'), expression: null }, byId)).toEqual(byId);
    expect(again(scopeOf('a pr'), { kind: 'range', driver: 0, entries: 3 })).toEqual({
      kind: 'range',
      driver: 0,
      entries: 3,
    });
  });
});
