export { type Expression, OPERATORS, type Operator, toText } from './ast.ts';
export { type CheckedExpression, type CheckedLeaf, check, mapLeaves, readFilter } from './check.ts';
export { parseDateTime } from './date-time.ts';
export {
  type Field,
  type FieldTable,
  fieldTable,
} from './fields.ts';
export { matches } from './matches.ts';

export { type Column, columnLeaf, columnLeaves, escapeLike, toSql } from './to-sql.ts';
