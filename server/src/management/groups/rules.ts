import { type CheckedExpression, type CheckedLeaf, type Field, mapLeaves, matches } from '../../filter/index.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';

const NATIVE = 'NATIVE_GROUP';

/** On the wire, the type of a native group contains the namespace word. */
export const wireType = (type: string, { upper }: Namespace): string => (type === NATIVE ? `${upper}_GROUP` : type);

/** No group has this type, so a comparison with it matches nothing. */
const NO_TYPE = '';

/**
 * Rewrites each comparison of `type` as a choice among the stored types whose wire form satisfies the comparison,
 * because clients know only the wire form.
 */
export function overStoredTypes(
  expression: CheckedExpression,
  types: readonly string[],
  namespace: Namespace,
): CheckedExpression {
  return mapLeaves(expression, (leaf) => (leaf.field.name === 'type' ? storedTypes(leaf, types, namespace) : leaf));
}

function storedTypes(leaf: CheckedLeaf, types: readonly string[], namespace: Namespace): CheckedExpression {
  if (leaf.op === 'pr') return leaf;
  const wanted = types.filter((type) => matches(leaf, { type: wireType(type, namespace) }));
  const field: Field = leaf.field;
  const [first = NO_TYPE, ...others] = wanted;
  const equals = (value: string): CheckedLeaf => ({ op: 'eq', field, value });
  return others.length === 0 ? equals(first) : { op: 'or', operands: [first, ...others].map(equals) };
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Drops null members, trims the name, and keeps a member named `__proto__`. */
export const storedProfile = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => !isAbsent(value))
      .map(([name, value]) => [name, name === 'name' && typeof value === 'string' ? value.trim() : value]),
  );

export const isOursToChange = (type: string): boolean => type === NATIVE;

export const EVERYONE = { name: 'Everyone', description: 'All users in your organization' } as const;
