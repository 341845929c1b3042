import type { CheckedExpression, CheckedLeaf } from '../../filter/index.ts';
import { keywordPattern } from './keyword-pattern.ts';
import { fieldPath } from './query-fields.ts';

/** Tests whether an event's text satisfies the keywords and filters that search terms alone cannot decide. */
export type Recheck = (body: string) => boolean;

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const follow = (start: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => memberOf(value, name), start);

/** If the path contains an array, there may be several values or none. */
function valuesOf({ field }: CheckedLeaf, event: unknown): readonly unknown[] {
  const { array, path } = fieldPath(field);
  if (array === null) return [follow(event, path)];
  const elements = follow(event, array);
  return Array.isArray(elements) ? elements.map((element) => follow(element, path)) : [];
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Numbers and booleans in open objects are compared as text, as in SQL. */
function suits(leaf: CheckedLeaf, value: unknown): boolean {
  if (!isScalar(value)) return false;
  if (leaf.field.type !== 'string') {
    return typeof value === leaf.field.type && (leaf.op === 'pr' || value === leaf.value);
  }
  return leaf.op === 'pr' ? value !== '' : String(value) === leaf.value;
}

/** The comparisons in the expression must be `eq` or `pr`. */
function holds(expression: CheckedExpression, event: unknown): boolean {
  if (expression.op === 'not') return !holds(expression.operand, event);
  if (expression.op === 'and') return expression.operands.every((operand) => holds(operand, event));
  if (expression.op === 'or') return expression.operands.some((operand) => holds(operand, event));
  return valuesOf(expression, event).some((value) => suits(expression, value));
}

export function recheckOf(keywords: readonly string[], filters: readonly CheckedExpression[]): Recheck | null {
  if (keywords.length === 0 && filters.length === 0) return null;
  const patterns = keywords.map(keywordPattern);
  return (body) => {
    if (!patterns.every((pattern) => pattern.test(body))) return false;
    if (filters.length === 0) return true;
    const event: unknown = JSON.parse(body);
    return filters.every((filter) => holds(filter, event));
  };
}
