import { type Expression, type RawBuilder, sql } from 'kysely';
import { valueKey } from '../kernel/texts/text.ts';
import type { Comparison } from './ast.ts';
import type { CheckedExpression, CheckedLeaf, CheckedValue } from './check.ts';
import type { FieldType } from './fields.ts';

/** The condition of one leaf; null counts as false. Values go in as parameters only. */
export type LeafSql = (leaf: CheckedLeaf) => RawBuilder<boolean>;

/** Where a field is stored. An array field's are PostgreSQL arrays. */
export interface Column {
  readonly value: Expression<unknown>;
  /** The stored `valueKey` of the value, for operators that ignore case: SQL never folds. */
  readonly key?: Expression<unknown>;
}

/**
 * Compiles a checked filter to a condition that is never null. `leafSql` reaches the values: `columnLeaves` for plain
 * columns, a resource's own function where a leaf is a probe of another table or an index of pairs.
 */
export function toSql(expression: CheckedExpression, leafSql: LeafSql): RawBuilder<boolean> {
  if (expression.op === 'not') return sql<boolean>`not (${toSql(expression.operand, leafSql)})`;
  if (expression.op === 'and' || expression.op === 'or') {
    const operands = expression.operands.map((operand) => toSql(operand, leafSql));
    return sql<boolean>`(${sql.join(operands, expression.op === 'and' ? sql` and ` : sql` or `)})`;
  }
  // Without this, `not (city eq "x")` would hide a user without a city here and show him in `matches`.
  return sql<boolean>`coalesce(${leafSql(expression)}, false)`;
}

/** Leaves over plain columns by field name. A field without a column is a mistake in our code: a plain Error. */
export function columnLeaves(columns: ReadonlyMap<string, Column>): LeafSql {
  return (leaf) => {
    const column = columns.get(leaf.field.name);
    if (!column) throw new Error(`filter field ${leaf.field.name} has no column`);
    return columnLeaf(leaf, column);
  };
}

/** One leaf over one column: for an array, whether any element satisfies it. */
export function columnLeaf(leaf: CheckedLeaf, column: Column): RawBuilder<boolean> {
  const stored = storedForm(leaf, column);
  if (!leaf.field.array) return condition(leaf, stored);
  const element = sql.ref('element.value');
  return sql<boolean>`exists (select from unnest(${stored}) as element(value) where ${condition(leaf, element)})`;
}

function storedForm(leaf: CheckedLeaf, column: Column): Expression<unknown> {
  if (leaf.op === 'pr' || !leaf.field.caseInsensitive?.includes(leaf.op)) return column.value;
  if (!column.key) throw new Error(`filter field ${leaf.field.name} ignores case but has no key column`);
  return column.key;
}

function condition(leaf: CheckedLeaf, stored: Expression<unknown>): RawBuilder<boolean> {
  const { type, caseInsensitive } = leaf.field;
  if (leaf.op === 'pr') {
    return type === 'string' ? sql<boolean>`${stored} <> ''` : sql<boolean>`${stored} is not null`;
  }
  const ignoresCase = caseInsensitive?.includes(leaf.op) ?? false;
  const value = ignoresCase && typeof leaf.value === 'string' ? valueKey(leaf.value) : leaf.value;
  const ordered = type === 'string' ? sql`${stored} collate "C"` : stored;
  return CONDITIONS[leaf.op]({ stored, ordered, value: parameter(value, type), text: escapeLike(value) });
}

interface Sides {
  readonly stored: Expression<unknown>;
  /** The stored value in the order of code points. */
  readonly ordered: Expression<unknown>;
  readonly value: RawBuilder<unknown>;
  readonly text: string;
}

const CONDITIONS: Readonly<Record<Comparison['op'], (sides: Sides) => RawBuilder<boolean>>> = {
  eq: ({ stored, value }) => sql<boolean>`${stored} = ${value}`,
  ne: ({ stored, value }) => sql<boolean>`${stored} <> ${value}`,
  gt: ({ ordered, value }) => sql<boolean>`${ordered} > ${value}`,
  ge: ({ ordered, value }) => sql<boolean>`${ordered} >= ${value}`,
  lt: ({ ordered, value }) => sql<boolean>`${ordered} < ${value}`,
  le: ({ ordered, value }) => sql<boolean>`${ordered} <= ${value}`,
  sw: ({ ordered, text }) => sql<boolean>`${ordered} like ${`${text}%`}`,
  ew: ({ ordered, text }) => sql<boolean>`${ordered} like ${`%${text}`}`,
  co: ({ ordered, text }) => sql<boolean>`${ordered} like ${`%${text}%`}`,
};

const SQL_TYPES: Readonly<Record<FieldType, RawBuilder<unknown>>> = {
  string: sql`text`,
  number: sql`double precision`,
  boolean: sql`boolean`,
  date: sql`timestamptz`,
};

/** Typed here, not by the column: 1.5 against an integer column must be false, not a syntax error. */
const parameter = (value: CheckedValue, type: FieldType): RawBuilder<unknown> =>
  sql`cast(${value instanceof Date ? value.toISOString() : value} as ${SQL_TYPES[type]})`;

/** Makes `%`, `_` and the escape itself literal in a `like` pattern. */
export const escapeLike = (value: CheckedValue): string => String(value).replace(/[\\%_]/g, '\\$&');
