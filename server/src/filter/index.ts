export { type Expression, type Literal, OPERATORS, type Operator, toText } from './ast.ts';
export { type CheckedExpression, type CheckedLeaf, type CheckedValue, check, readFilter } from './check.ts';
export { parseDateTime } from './date-time.ts';
export {
  assertOperatorsText,
  type Field,
  type FieldTable,
  type FieldTableOptions,
  type FieldType,
  fieldTable,
  findField,
  type OperatorsRow,
} from './fields.ts';
export { matches } from './matches.ts';
export { type ParseOptions, parse } from './parse.ts';
export { type Column, columnLeaf, columnLeaves, escapeLike, type LeafSql, toSql } from './to-sql.ts';
