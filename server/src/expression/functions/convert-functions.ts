import { ANY, INTEGER, NUMBER, type Value } from '../language/types.ts';
import { type FunctionDefinition, functionTable, strict } from './functions.ts';

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** The maximum length of a string that is parsed as a number, in UTF-16 units. */
const MAXIMUM_NUMBER_LENGTH = 64;

/** Returns a number unchanged, and parses a string as a decimal number. */
function numeric(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAXIMUM_NUMBER_LENGTH) return null;
  const text = value.trim();
  const parsed = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

/** Rounds a value to the nearest integer; halves are rounded up. */
function rounded(value: Value): number | null {
  const found = numeric(value);
  if (found === null) return null;
  const whole = Math.round(found);
  // Adding 0 turns a negative zero from Math.round into zero.
  return Number.isSafeInteger(whole) ? whole + 0 : null;
}

const toInt: FunctionDefinition = {
  parameters: [ANY],
  result: INTEGER,
  call: strict(([value = '']) => rounded(value)),
};
const toNum: FunctionDefinition = { parameters: [ANY], result: NUMBER, call: strict(([value = '']) => numeric(value)) };

export const CONVERT_FUNCTIONS = functionTable({ 'Convert.toInt': toInt, 'Convert.toNum': toNum });

export const CONVERT_METHODS = functionTable({ toInteger: toInt, toNumber: toNum });
