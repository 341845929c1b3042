import { preparePattern } from '../functions/group-functions.ts';
import { PatternCompiler } from '../pattern.ts';
import type {
  ArrayNode,
  BinaryNode,
  BinaryOperator,
  ConditionalNode,
  ElvisNode,
  ExpressionFault,
  IndexNode,
  Node,
} from './ast.ts';
import { type Checking, checkCall } from './check-calls.ts';
import { isComparison } from './operators.ts';
import type { Checked, Program } from './program.ts';
import type { Symbols } from './symbols.ts';
import {
  ANY,
  accepts,
  arrayOf,
  BOOLEAN,
  INTEGER,
  isNumeric,
  type Member,
  NULL,
  NUMBER,
  nameOfType,
  STRING,
  type Type,
  unified,
  unifiedAll,
  type ValueType,
} from './types.ts';

/** This node replaces one that could not be checked, so that one fault does not cause others. */
const UNKNOWN: Checked = { op: 'constant', value: null, type: ANY };

/** The object or attribute that a chain of names leads to, with its path in the data. */
interface Place {
  readonly member: Member;
  readonly path: readonly string[];
}

const LITERAL_TYPES = { string: STRING, integer: INTEGER, number: NUMBER, boolean: BOOLEAN, null: NULL } as const;

class Checker implements Checking {
  readonly symbols: Symbols;
  readonly faults: ExpressionFault[] = [];
  readonly asks = new Set<'groups' | 'now'>();
  readonly attributes = new Set<string>();
  readonly patterns = new PatternCompiler();

  constructor(symbols: Symbols) {
    this.symbols = symbols;
  }

  fault(message: string, at: number): Checked {
    this.faults.push({ message, at });
    return UNKNOWN;
  }

  expect(node: Node, expected: ValueType, what: string): Checked {
    const checked = this.value(node);
    if (accepts(expected, checked.type)) return checked;
    return this.fault(`${what} must be of type ${nameOfType(expected)}, not ${nameOfType(checked.type)}`, node.at);
  }

  value(node: Node): Checked {
    if (node.op === 'literal') return { op: 'constant', value: node.value, type: LITERAL_TYPES[node.type] };
    if (node.op === 'name' || node.op === 'member') return this.#attribute(node);
    if (node.op === 'call') return checkCall(this, node);
    if (node.op === 'binary') return this.#binary(node);
    if (node.op === 'conditional') return this.#conditional(node);
    if (node.op === 'elvis') return this.#elvis(node);
    if (node.op === 'array') return this.#list(node);
    if (node.op === 'index') return this.#element(node);
    if (node.op === 'map')
      return this.fault('Named values are only allowed as arguments of functions that accept them', node.at);
    if (node.op === 'not') {
      return { op: 'not', operand: this.expect(node.operand, BOOLEAN, 'The negated value'), type: BOOLEAN };
    }
    const operand = this.expect(node.operand, NUMBER, 'The signed value');
    return { op: 'negate', operand, type: isNumeric(operand.type) ? operand.type : NUMBER };
  }

  #list(node: ArrayNode): Checked {
    const elements = node.elements.map((element) => this.value(element));
    return { op: 'list', elements, type: arrayOf(unifiedAll(elements.map(({ type }) => type))) };
  }

  #element(node: IndexNode): Checked {
    const target = this.expect(node.target, arrayOf(ANY), 'The indexed value');
    const index = this.expect(node.index, INTEGER, 'The index');
    return { op: 'element', target, index, type: target.type.kind === 'array' ? target.type.element : ANY };
  }

  /** Resolves a chain of names to an object or attribute. Returns undefined for other nodes and for unknown names. */
  place(node: Node): Place | undefined {
    if (node.op === 'name') {
      const member = this.symbols.variables.get(node.name);
      return member === undefined ? undefined : { member, path: member.at ?? [node.name] };
    }
    if (node.op !== 'member') return undefined;
    const target = this.place(node.target);
    if (target?.member.type.kind !== 'object') return undefined;
    const member = target.member.type.member(node.name);
    return member === undefined ? undefined : { member, path: [...target.path, ...(member.at ?? [node.name])] };
  }

  attribute({ member: { type }, path }: Place, at: number): Checked {
    if (type.kind === 'object') return this.fault(`${path.at(-1) ?? ''} is an object, not a value`, at);
    this.attributes.add(path.join('.'));
    return { op: 'attribute', path, type };
  }

  #attribute(node: Node & { readonly op: 'name' | 'member' }): Checked {
    const place = this.place(node);
    if (place !== undefined) return this.attribute(place, node.at);
    if (node.op === 'name') return this.fault(`Unknown name '${node.name}'`, node.at);
    const target = this.place(node.target);
    if (target?.member.type.kind === 'object') return this.fault(`Unknown attribute '${node.name}'`, node.at);
    const known = this.faults.length;
    const { type } = this.value(node.target);
    // The fault in the target has already been reported.
    if (this.faults.length > known) return UNKNOWN;
    return this.fault(`A value of type ${nameOfType(type)} has no attributes`, node.at);
  }

  #binary({ at, left, operator, right }: BinaryNode): Checked {
    if (operator === '&&' || operator === '||') {
      const operands = [left, right].map((side) => this.expect(side, BOOLEAN, `Each side of ${operator}`));
      return { op: operator, left: operands[0] ?? UNKNOWN, right: operands[1] ?? UNKNOWN, type: BOOLEAN };
    }
    if (operator === 'matches') return this.#matches(left, right);
    const isSame = operator === '==' || operator === '!=';
    const sides = isSame
      ? { left: this.#compared(left, right), right: this.#compared(right, left) }
      : { left: this.value(left), right: this.value(right) };
    if (operator === '==' || operator === '!=') {
      return this.#comparable(sides.left.type, sides.right.type)
        ? { op: operator, ...sides, type: BOOLEAN }
        : this.#mismatch(operator, sides.left.type, sides.right.type, at);
    }
    if (isComparison(operator)) {
      return this.#ordered(sides.left.type, sides.right.type)
        ? { op: operator, ...sides, type: BOOLEAN }
        : this.#mismatch(operator, sides.left.type, sides.right.type, at);
    }
    const type = operator === '+' ? sumType(sides.left.type, sides.right.type) : this.#product(operator, sides);
    return type === null
      ? this.#mismatch(operator, sides.left.type, sides.right.type, at)
      : { op: operator, ...sides, type };
  }

  /** Checks one side of `==` or `!=`. An object may be compared only with `null`, and only if it may be absent. */
  #compared(node: Node, other: Node): Checked {
    const isNull = other.op === 'literal' && other.value === null;
    const place = isNull ? this.place(node) : undefined;
    const type = place?.member.type;
    if (place === undefined || type?.kind !== 'object' || type.presence === undefined) return this.value(node);
    return this.attribute({ member: { type: ANY }, path: [...place.path, type.presence] }, node.at);
  }

  #matches(left: Node, right: Node): Checked {
    const pattern = preparePattern(right.op === 'literal' ? right.value : undefined, this.patterns);
    if ('refused' in pattern) return this.fault(`matches: ${pattern.refused}`, right.at);
    const { prepared } = pattern;
    return { op: 'matches', left: this.expect(left, STRING, 'The left side of matches'), prepared, type: BOOLEAN };
  }

  #mismatch(operator: BinaryOperator, left: Type, right: Type, at: number): Checked {
    return this.fault(`${operator} is not defined for ${nameOfType(left)} and ${nameOfType(right)}`, at);
  }

  #comparable(left: ValueType, right: ValueType): boolean {
    return accepts(left, right) || accepts(right, left);
  }

  #ordered(left: ValueType, right: ValueType): boolean {
    const isOrdered = ({ kind }: ValueType): boolean =>
      ['string', 'number', 'integer', 'instant', 'any', 'null'].includes(kind);
    return isOrdered(left) && isOrdered(right) && this.#comparable(left, right);
  }

  #product(operator: BinaryOperator, { left, right }: Record<'left' | 'right', Checked>): ValueType | null {
    if (!accepts(NUMBER, left.type) || !accepts(NUMBER, right.type)) return null;
    // Only two integers give an integer, because a value of type `any` may turn out to be a fraction.
    return left.type.kind === 'integer' && right.type.kind === 'integer' ? INTEGER : NUMBER;
  }

  #conditional({ condition, whenFalse, whenTrue }: ConditionalNode): Checked {
    const checked = this.expect(condition, BOOLEAN, 'The condition');
    const [one, other] = [this.value(whenTrue), this.value(whenFalse)];
    return {
      op: 'conditional',
      condition: checked,
      whenTrue: one,
      whenFalse: other,
      type: unified(one.type, other.type),
    };
  }

  #elvis({ left, right }: ElvisNode): Checked {
    const [one, other] = [this.value(left), this.value(right)];
    return { op: 'elvis', left: one, right: other, type: unified(one.type, other.type) };
  }
}

function sumType(left: ValueType, right: ValueType): ValueType | null {
  const isPrintable = ({ kind }: ValueType): boolean => kind !== 'array' && kind !== 'instant';
  if (left.kind === 'string' || right.kind === 'string') return isPrintable(left) && isPrintable(right) ? STRING : null;
  if (isNumeric(left) && isNumeric(right)) return unified(left, right);
  return accepts(NUMBER, left) && accepts(NUMBER, right) ? ANY : null;
}

export type CheckResult =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly faults: readonly ExpressionFault[] };

/** Resolves names and checks types. Does not stop at the first fault, so that authors see several faults at once. */
export function checkExpression(node: Node, symbols: Symbols, result: ValueType): CheckResult {
  const checker = new Checker(symbols);
  const root = checker.value(node);
  if (checker.faults.length === 0 && !accepts(result, root.type)) {
    checker.fault(`The expression must be of type ${nameOfType(result)}, not ${nameOfType(root.type)}`, node.at);
  }
  if (checker.faults.length > 0) return { ok: false, faults: checker.faults };
  const { asks, attributes, patterns } = checker;
  return { ok: true, program: { root, asks, attributes, patternSize: patterns.size } };
}
