import { type ApiError, apiError } from '../kernel/errors/errors.ts';
import { problemOfText } from '../kernel/texts/text.ts';
import type { Combined, Comparison, Expression, Literal, Presence } from './ast.ts';
import { parseDateTime } from './date-time.ts';
import { type Field, type FieldTable, type FieldType, findField, suitsType } from './fields.ts';
import { type ParseOptions, parse } from './parse.ts';

const MAXIMUM_VALUE_LENGTH = 16_384;

/** A value of the field's type. Dates lie in the years 1 to 9999, and strings are well-formed and contain no NUL. */
export type CheckedValue = Literal | Date;

export type CheckedLeaf =
  | { readonly op: 'pr'; readonly field: Field }
  | { readonly op: Comparison['op']; readonly field: Field; readonly value: CheckedValue };

/** A filter whose leaves have a known field, an operator that the field supports, and a value of the field's type. */
export type CheckedExpression = Combined<CheckedLeaf>;

/**
 * Checks a parsed filter. Throws 400 E0000031 for an operator that the field does not support, and 400 E0000053 for any
 * other fault.
 */
export function check(expression: Expression, fields: FieldTable): CheckedExpression {
  if (expression.op === 'not') return { op: 'not', operand: check(expression.operand, fields) };
  if (expression.op === 'and' || expression.op === 'or') {
    return { op: expression.op, operands: expression.operands.map((operand) => check(operand, fields)) };
  }
  return checkLeaf(expression, fields);
}

/** Returns the filter with each leaf replaced. */
export function mapLeaves(
  expression: CheckedExpression,
  replace: (leaf: CheckedLeaf) => CheckedExpression,
): CheckedExpression {
  if (expression.op === 'not') return { op: 'not', operand: mapLeaves(expression.operand, replace) };
  if (expression.op === 'and' || expression.op === 'or') {
    return { op: expression.op, operands: expression.operands.map((operand) => mapLeaves(operand, replace)) };
  }
  return replace(expression);
}

export const readFilter = (text: string, fields: FieldTable, bounds: ParseOptions = {}): CheckedExpression =>
  check(parse(text, { expectedOperators: fields.expectedOperators, ...bounds }), fields);

function checkLeaf(leaf: Presence | Comparison, fields: FieldTable): CheckedLeaf {
  const field = findField(fields, leaf.attribute);
  if (!field) throw apiError('E0000053', { detail: `field is not valid: ${leaf.attribute}` });
  // `fieldTable` does not check the fields that a resolver returns, so this code checks them with `suitsType`.
  if (!field.operators.includes(leaf.op) || !suitsType(leaf.op, field.type)) {
    const pair = `Operator: ${leaf.op}, Field: ${field.name}`;
    const summary = `The supplied combination of operator and field is not currently supported. ${pair}`;
    throw apiError('E0000031', { summary });
  }
  if (leaf.op === 'pr') return { op: 'pr', field };
  if (leaf.op === 'co' && characters(leaf.value) < (field.minimumCoLength ?? 0)) {
    throw invalidValue(field, `co needs at least ${field.minimumCoLength} characters`);
  }
  return { op: leaf.op, field, value: CHECK_VALUE[field.type](field, leaf.value) };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const CHECK_VALUE: Readonly<Record<FieldType, (field: Field, value: Literal) => CheckedValue>> = {
  string: checkText,
  number: (field, value) => {
    if (typeof value !== 'number') throw invalidValue(field, 'expected a number');
    return value;
  },
  boolean: (field, value) => {
    if (typeof value !== 'boolean') throw invalidValue(field, 'expected true or false');
    return value;
  },
  date: (field, value) => {
    // A date without a time is refused, because it does not say in which zone the day begins.
    const date = typeof value === 'string' && !DAY.test(value) ? parseDateTime(value) : undefined;
    if (!date) throw invalidValue(field, 'expected a date-time such as "2024-01-31T12:00:00.000Z"');
    return date;
  },
};

function checkText(field: Field, value: Literal): string {
  if (typeof value !== 'string') throw invalidValue(field, 'expected a quoted string');
  // PostgreSQL refuses NUL in a string, and encoding as UTF-8 would silently replace a lone surrogate.
  if (value.includes('\0') || /\p{Surrogate}/u.test(value)) {
    throw invalidValue(field, 'NUL and unpaired surrogates are not allowed');
  }
  const problem = problemOfText(value, MAXIMUM_VALUE_LENGTH);
  if (problem !== null) throw invalidValue(field, problem);
  return value;
}

/** Counts code points, so that a surrogate pair counts as one character. */
const characters = (value: Literal): number => Array.from(String(value)).length;

const invalidValue = (field: Field, problem: string): ApiError =>
  apiError('E0000053', { detail: `Invalid filter value for field ${field.name}: ${problem}` });
