import { describe, expect, test } from 'vitest';
import { type CheckedExpression, type Field, fieldTable, type Operator, readFilter, toText } from '../filter/index.ts';
import { allPoints, conditionOf, driversOf, isNever, normal, routesOf, scansChain, scansRange } from './plan.ts';
import type { SearchedTable } from './searched-table.ts';

const TEXT: readonly Operator[] = ['eq', 'sw', 'pr', 'gt', 'ge', 'lt', 'le', 'co'];
const IDS: Readonly<Record<string, number>> = { status: 1, city: 2, title: 3, tags: 4 };
const field = (name: string): Field => ({ name, type: 'string', operators: TEXT, caseInsensitive: TEXT });
const FIELDS = fieldTable([
  ...['status', 'city', 'title'].map(field),
  { ...field('tags'), array: true },
  { name: 'id', type: 'string', operators: TEXT },
  { name: 'name', type: 'string', operators: ['eq'] },
]);
const TABLE: SearchedTable = {
  table: 'people',
  alias: 'p',
  index: 'people_values',
  ownerColumn: 'person_id',
  columns: 'p.id',
  joined: '',
  texts: { name: 'p.name' },
  neverAbsent: new Set([1]),
  attributeOf: (name) => {
    const id = name === 'name' ? 5 : IDS[name];
    return id === undefined ? null : { id, multiple: name === 'tags' };
  },
};

const read = (text: string): CheckedExpression => readFilter(text, FIELDS);
const drivers = (text: string) => driversOf(TABLE, read(text));

function written(expression: CheckedExpression | null): string | null {
  if (expression === null) return null;
  const named = (part: CheckedExpression): Parameters<typeof toText>[0] => {
    if (part.op === 'not') return { op: 'not', operand: named(part.operand) };
    if (part.op === 'and' || part.op === 'or') return { op: part.op, operands: part.operands.map(named) };
    if (part.op === 'pr') return { op: 'pr', attribute: part.field.name };
    return { op: part.op, attribute: part.field.name, value: String(part.value) };
  };
  return toText(named(expression));
}

describe('normal form', () => {
  test.each([
    ['not not city pr', 'city pr'],
    ['not (city eq "a" or title eq "b")', 'not city eq "a" and not title eq "b"'],
    ['not (city eq "a" and not (title eq "b" and tags pr))', 'not city eq "a" or title eq "b" and tags pr'],
    [
      'city pr and (title pr and (tags pr or (id pr or status pr)))',
      'city pr and title pr and (tags pr or id pr or status pr)',
    ],
  ])('%s: %s', (given, expected) => {
    expect(written(normal(read(given)))).toBe(expected);
    expect(written(normal(normal(read(given))))).toBe(expected);
  });
});

describe('drivers', () => {
  const shapeOf = (text: string) =>
    drivers(text).map((driver) => ({
      ranges: routesOf(driver, []).map(({ range: { attributeId, from, to } }) => [attributeId, from, to]),
      rest: routesOf(driver, []).map(({ rest }) => written(rest)),
      others: written(driver.others),
      of: written(conditionOf(driver)),
    }));

  test('each conjunct with a range drives, and is not looked at again', () => {
    expect(shapeOf('city eq "A" and title eq "b" and not (city eq "c")')).toEqual([
      { ranges: [[2, 'a', 'a']], rest: ['title eq "b" and not city eq "c"'], others: null, of: 'city eq "A"' },
      { ranges: [[3, 'b', 'b']], rest: ['city eq "A" and not city eq "c"'], others: null, of: 'title eq "b"' },
    ]);
  });

  test('ranges of one attribute are taken together, but not those of lists', () => {
    expect(shapeOf('city ge "a" and city lt "c" and city gt "b"')).toEqual([
      { ranges: [[2, 'b', 'c']], rest: [null], others: null, of: 'city ge "a" and city lt "c" and city gt "b"' },
    ]);
    expect(shapeOf('tags gt "a" and tags lt "b"').map(({ ranges }) => ranges)).toEqual([
      [[4, 'a', null]],
      [[4, null, 'b']],
    ]);
  });

  test('what is compared as it is stored is looked at again', () => {
    expect(shapeOf('name eq "Ada"')).toEqual([
      { ranges: [[5, 'ada', 'ada']], rest: ['name eq "Ada"'], others: null, of: 'name eq "Ada"' },
    ]);
  });

  test('an or drives by a range of each operand', () => {
    const either = 'city eq "a" or title eq "b" and tags eq "c"';
    expect(shapeOf(`(${either}) and status eq "d"`)).toEqual([
      { ranges: [[1, 'd', 'd']], rest: [either], others: null, of: 'status eq "d"' },
      {
        ranges: [
          [2, 'a', 'a'],
          [3, 'b', 'b'],
        ],
        rest: [null, 'tags eq "c"'],
        others: 'status eq "d"',
        of: either,
      },
    ]);
    expect(drivers('city eq "a" or title co "abc"')).toEqual([]);
    expect(drivers('city eq "a" or not (title eq "b")')).toEqual([]);
  });

  test('the way picked for each operand', () => {
    const [driver] = drivers('city eq "a" and title eq "b" or status eq "c"');
    const ranges = (picks: number[]) =>
      driver === undefined ? [] : routesOf(driver, picks).map(({ range }) => range.attributeId);
    expect([ranges([]), ranges([1]), ranges([9, 9])]).toEqual([
      [2, 1],
      [3, 1],
      [2, 1],
    ]);
  });

  test('not of what every row has is the two ranges beside it; of what a row may lack it drives nothing', () => {
    expect(shapeOf('not (status eq "active")')).toEqual([
      {
        ranges: [
          [1, null, 'active'],
          [1, 'active', null],
        ],
        rest: [null, null],
        others: null,
        of: 'not status eq "active"',
      },
    ]);
    expect(shapeOf('not (status gt "b")').map(({ ranges }) => ranges)).toEqual([[[1, null, 'b']]]);
    expect(drivers('not (city eq "a")')).toEqual([]);
  });
});

describe('nothing can match', () => {
  test.each([
    ['city eq "a" and city eq "b"', true],
    ['city eq "a" and city eq "A"', false],
    ['city gt "a" and city lt "a"', true],
    ['city gt "a" and city le "a"', true],
    ['city ge "a" and city le "a"', false],
    ['city sw "ab" and city sw "b"', true],
    ['city sw "ab" and city sw "a"', false],
    ['status eq "a" and not (status eq "a")', false],
    ['status gt "a" and not (status gt "a")', true],
    ['not (status pr)', true],
    ['not (city pr)', false],
    ['tags eq "a" and tags eq "b"', false],
    ['title eq "t" and (city eq "a" and city eq "b" or city gt "b" and city lt "b")', true],
    ['title eq "t" and (city eq "a" and city eq "b" or city eq "c")', false],
  ])('%s: %s', (text, expected) => {
    expect(isNever(drivers(text))).toBe(expected);
  });
});

describe('how a driver can be walked', () => {
  test.each([
    ['city eq "a"', { range: true, chain: true, points: true }],
    ['city sw "a"', { range: true, chain: true, points: false }],
    ['tags eq "a"', { range: true, chain: true, points: true }],
    ['tags sw "a"', { range: false, chain: false, points: false }],
    ['city eq "a" or title eq "b"', { range: false, chain: true, points: true }],
    ['city eq "a" or title sw "b"', { range: false, chain: true, points: false }],
    ['city eq "a" or tags sw "b"', { range: false, chain: false, points: false }],
    ['city eq "a" or tags sw "b" and title pr', { range: false, chain: true, points: false }],
  ])('%s', (text, expected) => {
    const [driver] = drivers(text);
    if (driver === undefined) throw new Error('it drives');
    expect({ range: scansRange(driver), chain: scansChain(driver), points: allPoints(driver) }).toEqual(expected);
  });
});
