import type { CheckedExpression, CheckedLeaf } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { hasPairToken, hasPresenceToken, pairToken, presenceToken } from '../rendering/terms/search-terms.ts';

type ValueLeaf = Exclude<CheckedLeaf, { readonly op: 'pr' }>;

export const isEquality = (leaf: CheckedLeaf): leaf is ValueLeaf => leaf.op === 'eq';

/** Attributes whose column has its own index in order of `published`. Only segments have search terms for them. */
export const INDEXED_COLUMNS: ReadonlySet<string> = new Set(['eventType', 'actor.id']);

/** Returns a search term that each event matching the leaf has. */
export function termOf(orgId: OrgId, leaf: CheckedLeaf): number | null {
  const { name } = leaf.field;
  if (isEquality(leaf)) {
    const value = String(leaf.value);
    if (INDEXED_COLUMNS.has(name)) return null;
    // Empty values have no search terms.
    if (value !== '' && hasPairToken(name, value)) return pairToken(orgId, name, value);
    if (value === '') return null;
  }
  return hasPresenceToken(name) ? presenceToken(orgId, name) : null;
}

/** Returns a search term that each sealed event matching the leaf has. Erased events have none for an actor. */
export const sealedTermOf = (orgId: OrgId, leaf: CheckedLeaf): number | null =>
  isEquality(leaf) && INDEXED_COLUMNS.has(leaf.field.name) && leaf.value !== ''
    ? pairToken(orgId, leaf.field.name, String(leaf.value))
    : termOf(orgId, leaf);

/** A condition on search terms that a filter implies. */
export type TermCondition =
  | { readonly term: number }
  | { readonly all: readonly TermCondition[] }
  | { readonly any: readonly TermCondition[] };

/** Returns the condition on the search terms of sealed events, or null if search terms do not narrow the filter. */
export function termConditionOf(orgId: OrgId, expression: CheckedExpression): TermCondition | null {
  if (expression.op === 'not') return null;
  if (expression.op !== 'and' && expression.op !== 'or') {
    const term = sealedTermOf(orgId, expression);
    return term === null ? null : { term };
  }
  const operands = expression.operands.map((operand) => termConditionOf(orgId, operand));
  const known = operands.filter((operand) => operand !== null);
  if (known.length === 0 || (expression.op === 'or' && known.length < operands.length)) return null;
  return expression.op === 'and' ? { all: known } : { any: known };
}
