import { ANY, INTEGER, NUMBER, type Value } from '../language/types.ts';
import { type FunctionDefinition, functionTable, strict } from './functions.ts';

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** No number needs more; nothing longer is looked at. */
const MAXIMUM_NUMBER_LENGTH = 64;

/** A number, or the one that a text spells; null otherwise. */
function numeric(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAXIMUM_NUMBER_LENGTH) return null;
  const text = value.trim();
  const parsed = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

/** To the nearest whole number, halves up; null beyond what is exact. */
function rounded(value: Value): number | null {
  const found = numeric(value);
  if (found === null) return null;
  const whole = Math.round(found);
  // Math.round leaves a negative zero, which prints as none.
  return Number.isSafeInteger(whole) ? whole + 0 : null;
}

const toInt: FunctionDefinition = {
  parameters: [ANY],
  result: INTEGER,
  call: strict(([value = '']) => rounded(value)),
};
const toNum: FunctionDefinition = { parameters: [ANY], result: NUMBER, call: strict(([value = '']) => numeric(value)) };

/** `Convert.*`; what is no number becomes null. */
export const CONVERT_FUNCTIONS = functionTable({ 'Convert.toInt': toInt, 'Convert.toNum': toNum });

/** The conversions that are called as methods of a text or a number. */
export const CONVERT_METHODS = functionTable({ toInteger: toInt, toNumber: toNum });
