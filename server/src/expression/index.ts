export { compileExpression, faultCauses } from './compile.ts';
export { evaluateExpression } from './evaluate.ts';
export type { GroupFact } from './functions.ts';
export { namedPaths } from './named-paths.ts';
export { parseExpression } from './parse.ts';
export { compilePattern, isForeignPattern, PATTERN_PROBLEMS, type Pattern, type PatternProblem } from './pattern.ts';
export type { Program } from './program.ts';
export { type Symbols, symbolsOf } from './symbols.ts';
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
} from './types.ts';
