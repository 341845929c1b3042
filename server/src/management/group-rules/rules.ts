import type { GroupFact } from '../../expression/index.ts';
import { type ErrorCause, invalidObject } from '../../kernel/errors/errors.ts';
import { tooMany } from '../../kernel/errors/field-errors.ts';

import { readLine } from '../../kernel/texts/written-text.ts';

export const MAXIMUM_NAME_LENGTH = 50;
/** The maximum number of groups that a rule assigns, and of groups whose members it excludes. */
export const MAXIMUM_TARGET_GROUPS = 100;
/** A rule excludes at most this many users, because responses contain all of them. */
export const MAXIMUM_EXCLUDED = 1_000;

const cause = (location: string, errorSummary: string): ErrorCause => ({
  errorSummary,
  reason: 'INVALID',
  location,
  locationType: 'body',
});

export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export const expressionType = (word: string): string => `urn:${word}:expression:1.0`;

export function assertKinds(given: { readonly type: string; readonly expressionType: string }, word: string): void {
  if (given.type !== 'group_rule') throw invalidObject('type', [cause('type', 'type: must be group_rule.')]);
  if (given.expressionType !== expressionType(word)) {
    const where = 'conditions.expression.type';
    throw invalidObject('expression', [cause(where, `${where}: must be ${expressionType(word)}.`)]);
  }
}

/** Removes repeated ids and keeps the order. */
export function readIds(ids: readonly string[], field: string, maximum: number): readonly string[] {
  const read = [...new Set(ids)];
  if (read.length > maximum) throw tooMany(field, maximum);
  return read;
}

export const refusedExpression = (causes: readonly string[]) =>
  invalidObject(
    'expression',
    causes.map((errorSummary) => cause('conditions.expression.value', errorSummary)),
  );

/** An active rule, bound to one user. */
export interface ActiveRule {
  readonly id: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
  readonly asksGroups: boolean;
  /**
   * Tells whether the expression is true for a member of these groups. An evaluation beyond its budget counts as false.
   */
  readonly holds: (groups: readonly GroupFact[]) => boolean;
}

/**
 * Finds the active rules that add a user to groups. Rules that depend on groups are evaluated in rounds, each with the
 * groups that the user has so far. A rule that has matched is not evaluated again, so the number of rules limits the
 * number of rounds. `given` must omit memberships from active rules, so that rules cannot sustain each other's
 * memberships.
 */
export function rulesThatHold(
  rules: readonly ActiveRule[],
  given: ReadonlySet<string>,
  excludedFrom: ReadonlySet<string>,
  factsOf: (groupIds: ReadonlySet<string>) => readonly GroupFact[],
): ReadonlySet<string> {
  const groups = new Set(given);
  const holding = new Set<string>();
  const isFree = ({ asksGroups, excludedGroupIds }: ActiveRule): boolean =>
    !asksGroups && excludedGroupIds.length === 0;
  const isLeftOut = ({ excludedGroupIds, id }: ActiveRule): boolean =>
    excludedFrom.has(id) || excludedGroupIds.some((groupId) => groups.has(groupId));
  const evaluate = (candidates: readonly ActiveRule[]): boolean => {
    const facts = candidates.some(({ asksGroups }) => asksGroups) ? factsOf(groups) : [];
    const found = candidates.filter((rule) => !holding.has(rule.id) && !isLeftOut(rule) && rule.holds(facts));
    for (const { id, targetGroupIds } of found) {
      holding.add(id);
      for (const groupId of targetGroupIds) groups.add(groupId);
    }
    return found.length > 0;
  };
  evaluate(rules.filter(isFree));
  const bound = rules.filter((rule) => !isFree(rule));
  while (evaluate(bound));
  return holding;
}

export interface RuleMembership {
  readonly ruleId: string;
  readonly groupId: string;
  readonly userId: string;
}

const nameOf = ({ groupId, ruleId, userId }: RuleMembership): string => `${ruleId} ${groupId} ${userId}`;

export function differences(
  is: readonly RuleMembership[],
  should: readonly RuleMembership[],
): { readonly added: readonly RuleMembership[]; readonly removed: readonly RuleMembership[] } {
  const [had, has] = [new Set(is.map(nameOf)), new Set(should.map(nameOf))];
  return {
    added: should.filter((membership) => !had.has(nameOf(membership))),
    removed: is.filter((membership) => !has.has(nameOf(membership))),
  };
}
