import { type Expression, type RawBuilder, sql } from 'kysely';
import { valueKey } from '../kernel/texts/text.ts';
import type { Comparison } from './ast.ts';
import type { CheckedExpression, CheckedLeaf, CheckedValue } from './check.ts';
import type { FieldType } from './fields.ts';

/** Returns the SQL condition of one leaf, with values as parameters. `toSql` treats a null result as false. */
export type LeafSql = (leaf: CheckedLeaf) => RawBuilder<boolean>;

/** The columns of a field. The column of an array field is a PostgreSQL array. */
export interface Column {
  readonly value: Expression<unknown>;
  /** The stored `valueKey`, for operators that ignore case. */
  readonly key?: Expression<unknown>;
}

/** Compiles a checked filter to a condition that is never null. `leafSql` compiles the leaves. */
export function toSql(expression: CheckedExpression, leafSql: LeafSql): RawBuilder<boolean> {
  if (expression.op === 'not') return sql<boolean>`not (${toSql(expression.operand, leafSql)})`;
  if (expression.op === 'and' || expression.op === 'or') {
    const operands = expression.operands.map((operand) => toSql(operand, leafSql));
    return sql<boolean>`(${sql.join(operands, expression.op === 'and' ? sql` and ` : sql` or `)})`;
  }
  // Without coalesce, `not (city eq "x")` would exclude users without a city here but include them in `matches`.
  return sql<boolean>`coalesce(${leafSql(expression)}, false)`;
}

/** Compiles each leaf against the column of its field. Throws for a field without a column, a fault in our code. */
export function columnLeaves(columns: ReadonlyMap<string, Column>): LeafSql {
  return (leaf) => {
    const column = columns.get(leaf.field.name);
    if (!column) throw new Error(`filter field ${leaf.field.name} has no column`);
    return columnLeaf(leaf, column);
  };
}

/** An array satisfies the leaf if at least one element does. */
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
  /** The stored value. A string has the collation that orders by code point. */
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

/** Makes a parameter of the field's type, because comparing an integer column with 1.5 must not be an error. */
const parameter = (value: CheckedValue, type: FieldType): RawBuilder<unknown> =>
  sql`cast(${value instanceof Date ? value.toISOString() : value} as ${SQL_TYPES[type]})`;

export const escapeLike = (value: CheckedValue): string => String(value).replace(/[\\%_]/g, '\\$&');
