import { valueKey } from '../kernel/texts/text.ts';
import type { Comparison } from './ast.ts';
import type { CheckedExpression, CheckedLeaf, CheckedValue } from './check.ts';
import { parseDateTime } from './date-time.ts';
import type { FieldType } from './fields.ts';

/**
 * Tests whether an object satisfies a filter, with the same result as the SQL of `toSql`. A condition on an absent
 * attribute is false.
 */
export function matches(expression: CheckedExpression, object: unknown): boolean {
  if (expression.op === 'not') return !matches(expression.operand, object);
  if (expression.op === 'and') return expression.operands.every((operand) => matches(operand, object));
  if (expression.op === 'or') return expression.operands.some((operand) => matches(operand, object));
  const { field } = expression;
  const stored = field.value ? field.value(object) : valueAt(object, field.name);
  const elements: readonly unknown[] = field.array && Array.isArray(stored) ? stored : [stored];
  return elements.some((element) => leafHolds(expression, element));
}

function leafHolds(leaf: CheckedLeaf, element: unknown): boolean {
  const stored = STORED_VALUE[leaf.field.type](element);
  if (stored === undefined) return false;
  if (leaf.op === 'pr') return stored !== '';
  const ignoresCase = leaf.field.caseInsensitive?.includes(leaf.op) ?? false;
  const [left, right] = ignoresCase ? [keyOf(stored), keyOf(leaf.value)] : [stored, leaf.value];
  return HOLDS[leaf.op](left, right);
}

type Holds = (stored: CheckedValue, operand: CheckedValue) => boolean;

const HOLDS: Readonly<Record<Comparison['op'], Holds>> = {
  eq: (stored, operand) => compare(stored, operand) === 0,
  ne: (stored, operand) => compare(stored, operand) !== 0,
  gt: (stored, operand) => compare(stored, operand) > 0,
  ge: (stored, operand) => compare(stored, operand) >= 0,
  lt: (stored, operand) => compare(stored, operand) < 0,
  le: (stored, operand) => compare(stored, operand) <= 0,
  sw: (stored, operand) => String(stored).startsWith(String(operand)),
  ew: (stored, operand) => String(stored).endsWith(String(operand)),
  co: (stored, operand) => String(stored).includes(String(operand)),
};

/** Functions that read a stored element as a value of the field's type. An element of another type counts as absent. */
const STORED_VALUE: Readonly<Record<FieldType, (element: unknown) => CheckedValue | undefined>> = {
  string: (element) => (typeof element === 'string' ? element : undefined),
  number: (element) => (typeof element === 'number' ? element : undefined),
  boolean: (element) => (typeof element === 'boolean' ? element : undefined),
  date: (element) => {
    if (element instanceof Date) return element;
    return typeof element === 'string' ? parseDateTime(element) : undefined;
  },
};

const keyOf = (value: CheckedValue): CheckedValue => (typeof value === 'string' ? valueKey(value) : value);

/** `check` and STORED_VALUE ensure that both sides have the same type. */
function compare(left: CheckedValue, right: CheckedValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return Number(left) - Number(right);
}

/** Compares by code point, like PostgreSQL's "C" collation. `<` would put U+10000 before U+FFFF. */
function compareText(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Ranks surrogates above all other UTF-16 units, because surrogate pairs sort after the Basic Multilingual Plane. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Returns the value at a dotted path of own properties, or undefined. For an array on the path, returns an array of the
 * values in its elements.
 */
function valueAt(object: unknown, path: string): unknown {
  let current = object;
  for (const name of path.split('.')) {
    current = Array.isArray(current) ? current.flatMap((element) => ownValue(element, name)) : ownValue(current, name);
  }
  return current;
}

const ownValue = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Readonly<Record<string, unknown>>)[name]
    : undefined;
