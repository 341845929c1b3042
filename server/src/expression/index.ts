export { compileExpression, faultCauses } from './compile.ts';
export { evaluateExpression } from './evaluate.ts';
export type { GroupFact } from './functions/functions.ts';
export { namedPaths } from './functions/named-paths.ts';
export { parseExpression } from './language/parse.ts';
export type { Program } from './language/program.ts';
export { type Symbols, symbolsOf } from './language/symbols.ts';
export {
  arrayOf,
  BOOLEAN,
  INTEGER,
  type Member,
  NUMBER,
  type ObjectType,
  objectOf,
  STRING,
  unified,
  type ValueType,
} from './language/types.ts';
export { compilePattern, isForeignPattern, PATTERN_PROBLEMS, type Pattern, type PatternProblem } from './pattern.ts';
