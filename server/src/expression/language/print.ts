import {
  type BinaryNode,
  CONDITIONAL_PRECEDENCE,
  type ConditionalNode,
  type ElvisNode,
  type MapNode,
  type Node,
  POSTFIX_PRECEDENCE,
  PRECEDENCE,
  UNARY_PRECEDENCE,
  type UnaryNode,
} from './ast.ts';

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Formats a number with a point or an exponent, so that the result does not parse as an integer. */
function decimal(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function precedenceOf(node: Node): number {
  if (node.op === 'conditional' || node.op === 'elvis') return CONDITIONAL_PRECEDENCE;
  if (node.op === 'binary') return PRECEDENCE[node.operator];
  return node.op === 'not' || node.op === 'negate' ? UNARY_PRECEDENCE : POSTFIX_PRECEDENCE;
}

/** Adds parentheses around a node that binds less tightly than its context requires. */
const within = (node: Node, minimum: number): string =>
  precedenceOf(node) < minimum ? `(${printExpression(node)})` : printExpression(node);

const list = (nodes: readonly Node[]): string => nodes.map(printExpression).join(', ');

function literal(type: string, value: string | number | boolean | null): string {
  if (typeof value === 'string') return quoted(value);
  return type === 'number' && typeof value === 'number' ? decimal(value) : String(value);
}

function printOperator(node: UnaryNode | BinaryNode | ConditionalNode | ElvisNode): string {
  if ('operand' in node) return `${node.op === 'not' ? '!' : '-'}${within(node.operand, UNARY_PRECEDENCE)}`;
  if (node.op === 'binary') {
    const precedence = PRECEDENCE[node.operator];
    return `${within(node.left, precedence)} ${node.operator} ${within(node.right, precedence + 1)}`;
  }
  const above = CONDITIONAL_PRECEDENCE + 1;
  if (node.op === 'elvis') return `${within(node.left, above)} ?: ${printExpression(node.right)}`;
  const branches = `${printExpression(node.whenTrue)} : ${printExpression(node.whenFalse)}`;
  return `${within(node.condition, above)} ? ${branches}`;
}

const entry = ({ key, value }: MapNode['entries'][number]): string => `${quoted(key)}: ${printExpression(value)}`;

/**
 * Prints an expression with as few parentheses as possible. Parsing the result returns the same expression, except for
 * the positions.
 */
export function printExpression(node: Node): string {
  if (node.op === 'literal') return literal(node.type, node.value);
  if (node.op === 'name') return node.name;
  if (node.op === 'array') return `{${list(node.elements)}}`;
  if (node.op === 'map') return `{${node.entries.map(entry).join(', ')}}`;
  if (node.op === 'member') return `${within(node.target, POSTFIX_PRECEDENCE)}.${node.name}`;
  if (node.op === 'index') return `${within(node.target, POSTFIX_PRECEDENCE)}[${printExpression(node.index)}]`;
  if (node.op !== 'call') return printOperator(node);
  const target = node.target === null ? '' : `${within(node.target, POSTFIX_PRECEDENCE)}.`;
  return `${target}${node.name}(${list(node.arguments)})`;
}
