import * as fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  type CheckedExpression,
  type CheckedLeaf,
  type Column,
  columnLeaves,
  type Field,
  fieldTable,
  matches,
  OPERATORS,
  toSql,
} from '../../src/filter/index.ts';
import { valueKey } from '../../src/kernel/texts/text.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { rounds } from '../support/rounds.ts';

const ORDERED = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'pr'] as const;
const fields = fieldTable([
  { name: 'name', type: 'string', operators: OPERATORS },
  { name: 'folded', type: 'string', operators: OPERATORS, caseInsensitive: OPERATORS },
  { name: 'tags', type: 'string', array: true, operators: OPERATORS },
  { name: 'foldedTags', type: 'string', array: true, operators: OPERATORS, caseInsensitive: OPERATORS },
  { name: 'level', type: 'number', operators: ORDERED },
  { name: 'count', type: 'number', operators: ORDERED },
  { name: 'amount', type: 'number', operators: ORDERED },
  { name: 'levels', type: 'number', array: true, operators: ORDERED },
  { name: 'active', type: 'boolean', operators: ['eq', 'ne', 'pr'] },
  { name: 'flags', type: 'boolean', array: true, operators: ['eq', 'ne', 'pr'] },
  { name: 'created', type: 'date', operators: ORDERED },
  { name: 'dates', type: 'date', array: true, operators: ORDERED },
]);
const columns = new Map<string, Column>(
  [...fields.fields.keys()].map((name) => [
    name,
    name.startsWith('folded')
      ? { value: sql.ref(`sample.${name}`), key: sql.ref(`sample.${name}Key`) }
      : { value: sql.ref(`sample.${name}`) },
  ]),
);
const samples = sql`jsonb_to_recordset(cast(${sql.ref('input.objects')} as jsonb)) as sample(
  ordinal int, name text, folded text, "foldedKey" text, tags text[], "foldedTags" text[], "foldedTagsKey" text[],
  level double precision, count int, amount numeric, levels double precision[], active boolean, flags boolean[],
  created timestamptz, dates timestamptz[])`;

// Many of the values are short and similar, so that conditions often match.
const texts = fc
  .oneof(
    fc
      .array(fc.constantFrom('a', 'B', 'b', 'é', 'ß', 'İ', '%', '_', '\\', "'", '"', '\uffee', '\u{1f600}', 'ﬁ'), {
        maxLength: 3,
      })
      .map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  )
  .filter((value) => !value.includes('\0'));
const integers = fc.integer({ min: -2, max: 2 });
const numbers = fc.oneof(integers, fc.constantFrom(0.1, 1.5, -2.5, 1e21, 5e-324, 9007199254740991));
const dates = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((step) => new Date(1_700_000_000_000 + step)),
  fc.constantFrom(new Date('0001-01-01T00:00:00.000Z'), new Date('9999-12-31T23:59:59.999Z')),
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const list = <T>(value: fc.Arbitrary<T>) => optional(fc.array(optional(value), { maxLength: 3 }));

const objects = fc.record(
  {
    name: optional(texts),
    folded: optional(texts),
    tags: list(texts),
    foldedTags: list(texts),
    level: optional(numbers),
    count: optional(integers),
    amount: optional(numbers),
    levels: list(numbers),
    active: optional(fc.boolean()),
    flags: list(fc.boolean()),
    created: optional(dates),
    dates: list(dates),
  },
  { requiredKeys: [] },
);
type Sample = typeof objects extends fc.Arbitrary<infer Value> ? Value : never;

const LITERALS = { string: texts, number: numbers, boolean: fc.boolean(), date: dates };
const leafOf = (field: Field): fc.Arbitrary<CheckedLeaf> =>
  fc
    .tuple(fc.constantFrom(...field.operators), LITERALS[field.type] as fc.Arbitrary<string | number | boolean | Date>)
    .map(([op, value]) => (op === 'pr' ? { op, field } : { op, field, value }));
const { expression: expressions } = fc.letrec<{ expression: CheckedExpression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...fields.fields.values()).chain(leafOf),
    fc.record({ op: fc.constant('not' as const), operand: tie('expression') }),
    ...(['and', 'or'] as const).map((op) =>
      fc.record({ op: fc.constant(op), operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }) }),
    ),
  ),
}));

const stored = (object: Sample, ordinal: number) => ({
  ...object,
  ordinal,
  foldedKey: typeof object.folded === 'string' ? valueKey(object.folded) : null,
  foldedTagsKey: object.foldedTags?.map((tag) => (tag === null ? null : valueKey(tag))) ?? null,
});

describe('toSql and matches', () => {
  const database = beforeTests(() => openTestDatabase());

  async function selected(expression: CheckedExpression, sample: readonly Sample[]): Promise<(boolean | null)[]> {
    const { rows } = await sql<{ holds: boolean | null }>`
      select ${toSql(expression, columnLeaves(columns))} as holds
      from (select cast(${JSON.stringify(sample.map(stored))} as text) as objects) as input, lateral ${samples}
      order by ordinal`.execute(database.kysely);
    return rows.map((row) => row.holds);
  }

  test('agree on every object, and SQL answers true or false, never null', async () => {
    const seen = { true: 0, false: 0 };
    await fc.assert(
      fc.asyncProperty(expressions, fc.array(objects, { minLength: 1, maxLength: 12 }), async (expression, sample) => {
        const expected = sample.map((object) => matches(expression, object));
        for (const holds of expected) seen[`${holds}`] += 1;
        expect(await selected(expression, sample)).toEqual(expected);
      }),
      { numRuns: rounds(1_500) },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(500);
  });

  test.each([...fields.fields.values()].flatMap((field) => field.operators.map((op) => [field.name, op] as const)))(
    'agree on %s %s',
    async (name, op) => {
      const field = fields.fields.get(name);
      if (!field) throw new Error(name);
      const leaves = leafOf({ ...field, operators: [op] });
      await fc.assert(
        fc.asyncProperty(leaves, fc.array(objects, { minLength: 8, maxLength: 12 }), async (leaf, sample) => {
          const negated: CheckedExpression = { op: 'not', operand: leaf };
          const expected = sample.map((object) => matches(leaf, object));
          expect(await selected(leaf, sample)).toEqual(expected);
          expect(await selected(negated, sample)).toEqual(expected.map((holds) => !holds));
        }),
        { numRuns: rounds(25) },
      );
    },
  );
});
