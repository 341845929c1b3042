import type { ExpressionFault } from './language/ast.ts';
import { type CheckResult, checkExpression } from './language/check.ts';
import { parseExpression } from './language/parse.ts';
import type { Symbols } from './language/symbols.ts';
import { ANY, type ValueType } from './language/types.ts';

/** The value of the expression must fit the type `result`. */
export function compileExpression(text: string, symbols: Symbols, result: ValueType = ANY): CheckResult {
  const parsed = parseExpression(text);
  return parsed.ok ? checkExpression(parsed.node, symbols, result) : { ok: false, faults: [parsed.fault] };
}

const MAXIMUM_TOLD_FAULTS = 10;

/** Renders faults as causes, such as `expression: Unknown attribute 'x' at position 5.` */
export const faultCauses = (field: string, faults: readonly ExpressionFault[]): readonly string[] =>
  faults.slice(0, MAXIMUM_TOLD_FAULTS).map(({ at, message }) => `${field}: ${message} at position ${at}.`);
