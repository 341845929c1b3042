import { nameKey } from '../../kernel/texts/text.ts';
import type { Meter } from '../meter.ts';
import type { BinaryOperator } from './ast.ts';
import { isInstant, type Value } from './types.ts';

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/**
 * Null equals only null. Strings are equal if they are canonically equivalent, instants if they denote the same moment,
 * and arrays if their elements are equal.
 */
export function sameValue(one: Value, other: Value): boolean {
  if (isInstant(one) && isInstant(other)) return one.epochMilliseconds === other.epochMilliseconds;
  if (one !== null && other !== null && isList(one) && isList(other)) {
    return one.length === other.length && one.every((element, index) => sameValue(element, other[index] ?? null));
  }
  if (typeof one === 'string' && typeof other === 'string') return one === other || nameKey(one) === nameKey(other);
  return one === other;
}

/** Values other than strings, numbers and booleans have no text form. */
export function textForm(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Compares numbers, strings (by UTF-16 unit) and instants. */
function order(one: Value, other: Value): number | null {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') {
    if (one === other) return 0;
    return one < other ? -1 : 1;
  }
  return isInstant(one) && isInstant(other) ? one.epochMilliseconds - other.epochMilliseconds : null;
}

const COMPARISONS = {
  '<': (difference: number) => difference < 0,
  '<=': (difference: number) => difference <= 0,
  '>': (difference: number) => difference > 0,
  '>=': (difference: number) => difference >= 0,
} as const;

/** Evaluates a comparison such as `<`. Returns false if the two sides have no order. */
export function compared(operator: keyof typeof COMPARISONS, one: Value, other: Value): boolean {
  const difference = order(one, other);
  return difference !== null && COMPARISONS[operator](difference);
}

/** Replaces a number that is not finite with null, and negative zero with zero. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value + 0 : null);

/** Joins the text forms of two values. A missing form counts as empty, but the result is null if both are missing. */
export function concatenated(one: Value, other: Value, meter: Meter): string | null {
  const [left, right] = [textForm(one), textForm(other)];
  if (left === null && right === null) return null;
  meter.text((left ?? '').length + (right ?? '').length);
  return `${left ?? ''}${right ?? ''}`;
}

/** Adds two numbers, or joins two values if one is a string. */
export function added(one: Value, other: Value, meter: Meter): Value {
  if (typeof one === 'number' && typeof other === 'number') return finite(one + other);
  return typeof one === 'string' || typeof other === 'string' ? concatenated(one, other, meter) : null;
}

/** If `whole` is true, a division truncates towards zero. */
export function calculated(operator: '-' | '*' | '/' | '%', one: Value, other: Value, whole: boolean): Value {
  if (typeof one !== 'number' || typeof other !== 'number') return null;
  if (operator === '-') return finite(one - other);
  if (operator === '*') return finite(one * other);
  if (other === 0) return null;
  if (operator === '%') return finite(one % other);
  return finite(whole ? Math.trunc(one / other) : one / other);
}

export const isComparison = (operator: BinaryOperator): operator is keyof typeof COMPARISONS =>
  Object.hasOwn(COMPARISONS, operator);
