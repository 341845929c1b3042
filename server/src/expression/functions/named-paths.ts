import type { Node } from '../language/ast.ts';

/** A variable, or a namespace such as `String`, and the names that follow it, as in `user.profile.city`. */
export interface NamedPath {
  readonly path: readonly string[];
  readonly at: number;
}

/** Returns the names in a chain such as `user.profile`. */
function chainOf(node: Node): readonly string[] | null {
  if (node.op === 'name') return [node.name];
  const before = node.op === 'member' ? chainOf(node.target) : null;
  return before === null || node.op !== 'member' ? null : [...before, node.name];
}

/** Returns the path of a `getInternalProperty` call: `user.id` for `user.getInternalProperty("id")`. */
function propertyOf(node: Node): readonly string[] | null {
  if (node.op !== 'call' || node.name !== 'getInternalProperty' || node.target === null) return null;
  const [asked] = node.arguments;
  const before = chainOf(node.target);
  return before === null || asked?.op !== 'literal' ? null : [...before, String(asked.value)];
}

function partsOf(node: Node): readonly Node[] {
  if (node.op === 'literal' || node.op === 'name') return [];
  if (node.op === 'member') return [node.target];
  if (node.op === 'array') return node.elements;
  if (node.op === 'map') return node.entries.map(({ value }) => value);
  if (node.op === 'index') return [node.target, node.index];
  if (node.op === 'call') return [...(node.target === null ? [] : [node.target]), ...node.arguments];
  if (node.op === 'conditional') return [node.condition, node.whenTrue, node.whenFalse];
  return 'operand' in node ? [node.operand] : [node.left, node.right];
}

/** Lists every chain of names in an expression, whether or not the names exist. */
export function namedPaths(node: Node): readonly NamedPath[] {
  const path = chainOf(node) ?? propertyOf(node);
  return path === null ? partsOf(node).flatMap(namedPaths) : [{ path, at: node.at }];
}
