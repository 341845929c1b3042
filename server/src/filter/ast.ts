/** All attribute operators, in the order in which errors list them (contract section 3). */
export const OPERATORS = ['eq', 'co', 'sw', 'pr', 'gt', 'ge', 'lt', 'le', 'ne', 'ew'] as const;
export type Operator = (typeof OPERATORS)[number];

export type Literal = string | number | boolean;

export interface Presence {
  readonly op: 'pr';
  readonly attribute: string;
}

export interface Comparison {
  readonly op: Exclude<Operator, 'pr'>;
  readonly attribute: string;
  readonly value: Literal;
}

/** A tree of `and`, `or` and `not` nodes over leaves. `and` and `or` have at least two operands. */
export type Combined<Leaf> =
  | Leaf
  | { readonly op: 'and'; readonly operands: readonly Combined<Leaf>[] }
  | { readonly op: 'or'; readonly operands: readonly Combined<Leaf>[] }
  | { readonly op: 'not'; readonly operand: Combined<Leaf> };

/** A parsed filter that has not been checked against the fields yet. */
export type Expression = Combined<Presence | Comparison>;

/** Prints a filter with as few parentheses as possible. `parse(toText(expression))` returns the same expression. */
export function toText(expression: Expression): string {
  if (expression.op === 'or') return expression.operands.map((operand) => grouped(operand, 'or')).join(' or ');
  if (expression.op === 'and') return expression.operands.map((operand) => grouped(operand, 'or', 'and')).join(' and ');
  if (expression.op === 'not') return `not ${grouped(expression.operand, 'or', 'and')}`;
  if (expression.op === 'pr') return `${expression.attribute} pr`;
  return `${expression.attribute} ${expression.op} ${JSON.stringify(expression.value)}`;
}

const grouped = (expression: Expression, ...connectives: string[]): string =>
  connectives.includes(expression.op) ? `(${toText(expression)})` : toText(expression);
