import * as fc from 'fast-check';
import type { Expression } from '../../src/filter/index.ts';
import { valueKey } from '../../src/kernel/texts/text.ts';
import type { ProfileAttribute, ProfileSchema } from '../../src/management/schemas/index.ts';
import { keyOf } from '../../src/search/index.ts';
import type { TestResponse } from './client.ts';

export type Row = TestResponse['body'];

// The values are few and similar, so that conditions often match.
const PARTS = ['a', 'A', 'b', 'é', 'e\u0301', 'ß', 'SS', 'İ', '%', '_', '\\', "'", '"', '\uffee', 'ﬁ', ' ', '\uffff'];
export const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 3 }).map((parts) => parts.join(''));
export const names = texts.filter((text) => text.trim() !== '');
export const longTexts = texts.filter((text) => Array.from(text).length >= 3);
const numbers = fc.constantFrom(-2.5, -1, 0, 0.5, 1, 10, 1e300);
const integers = fc.integer({ min: -2, max: 2 });

/** Attributes for each kind of value, and `constructor`, which every JavaScript object also has as a member. */
export const CUSTOM = {
  nick_name: { title: 'N', type: 'string' },
  level: { title: 'L', type: 'number' },
  vip: { title: 'V', type: 'boolean' },
  tags: { title: 'T', type: 'array', items: { type: 'string' } },
  codes: { title: 'C', type: 'array', items: { type: 'integer' } },
  floor: { title: 'F', type: 'integer' },
  ratios: { title: 'R', type: 'array', items: { type: 'number' } },
  constructor: { title: 'K', type: 'string' },
} as const;

export const customProfiles = {
  nick_name: texts,
  level: numbers,
  vip: fc.boolean(),
  tags: fc.array(names, { maxLength: 3 }),
  codes: fc.array(integers, { maxLength: 3 }),
  floor: integers,
  ratios: fc.array(numbers, { maxLength: 3 }),
  constructor: names,
};

/** The attribute ids follow the order of creation, as in an org. */
export const SEARCHED_SCHEMA: ProfileSchema = new Map(
  Object.entries(CUSTOM).map(([name, given], index): [string, ProfileAttribute] => [
    name,
    {
      ...given,
      required: false,
      mutability: 'READ_WRITE',
      scope: 'NONE',
      permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
      attributeId: 10_000 + index,
    },
  ]),
);

/** Returns a row as the index contains it. Empty strings and null count as absent. */
export const indexed = (row: Row): Row => ({
  ...row,
  profile: Object.fromEntries(Object.entries(row.profile).filter(([, value]) => value !== '' && value !== null)),
});

const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

const ownMember = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;

function sortKeyOf(row: Row, sortBy: string): string | null {
  const value = sortBy.split('.').reduce<unknown>(ownMember, indexed(row));
  if (typeof value === 'number') return keyOf(value);
  if (typeof value !== 'string') return null;
  return sortBy === 'id' ? value : valueKey(value);
}

/**
 * Builds a comparator of rows by an attribute. Rows without the attribute come last in both orders. Equal rows are
 * ordered by id, in the same direction.
 */
export function inOrder(sortBy: string, descending: boolean): (left: Row, right: Row) => number {
  const sign = descending ? -1 : 1;
  return (left, right) => {
    const [one, two] = [sortKeyOf(left, sortBy), sortKeyOf(right, sortBy)];
    if ((one === null) !== (two === null)) return one === null ? 1 : -1;
    return sign * (compareBytes(one ?? '', two ?? '') || compareBytes(left.id, right.id));
  };
}

export const ORDER = ['eq', 'gt', 'ge', 'lt', 'le'] as const;
type Comparison = Extract<Expression, { attribute: string; value: unknown }>;

export const comparison = (
  attribute: string,
  values: fc.Arbitrary<string | number | boolean>,
  ...operators: readonly Comparison['op'][]
): fc.Arbitrary<Expression> =>
  fc.record({ op: fc.constantFrom(...operators), attribute: fc.constant(attribute), value: values });
export const presence = (attribute: string): fc.Arbitrary<Expression> => fc.constant({ op: 'pr', attribute });

/** Generates non-empty strings that existing rows contain, so that boundaries are tested. */
export const present = (rows: readonly Row[], read: (row: Row) => unknown): fc.Arbitrary<string> =>
  fc.constantFrom(...rows.map(read).filter((value) => typeof value === 'string' && value !== '')).map(String);

export const textOf = (rows: readonly Row[], name: string): fc.Arbitrary<string> =>
  rows.some(({ profile }) => Boolean(ownMember(profile, name)))
    ? fc.oneof(
        texts,
        present(rows, ({ profile }) => ownMember(profile, name)),
      )
    : texts;

export const customLeaves = (rows: readonly Row[]): fc.Arbitrary<Expression>[] => [
  ...['nick_name', 'constructor'].map((name) => comparison(`profile.${name}`, textOf(rows, name), ...ORDER, 'sw')),
  ...['level', 'ratios'].map((name) => comparison(`profile.${name}`, numbers, ...ORDER)),
  ...['codes', 'floor'].map((name) => comparison(`profile.${name}`, integers, ...ORDER)),
  comparison('profile.vip', fc.boolean(), 'eq'),
  comparison('profile.tags', texts, ...ORDER, 'sw'),
  ...Object.keys(CUSTOM).map((name) => presence(`profile.${name}`)),
];

/** Generates expressions of `leaves`. Some are disjunctions of `points`, which a union of index points can serve. */
export const expressionsOf = (
  leaves: readonly fc.Arbitrary<Expression>[],
  points: readonly fc.Arbitrary<Expression>[],
): fc.Arbitrary<Expression> =>
  fc.letrec<{ expression: Expression }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(...leaves),
      fc.record({
        op: fc.constant('or' as const),
        operands: fc.array(fc.oneof(...points), { minLength: 2, maxLength: 4 }),
      }),
      fc.record({ op: fc.constant('not' as const), operand: tie('expression') }),
      ...(['and', 'or'] as const).map((op) =>
        fc.record({ op: fc.constant(op), operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }) }),
      ),
    ),
  })).expression;
