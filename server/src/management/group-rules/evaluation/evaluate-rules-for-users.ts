import { setImmediate as nextTurn } from 'node:timers/promises';
import { evaluateExpression, type GroupFact } from '../../../expression/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type ActiveRule, differences, type RuleMembership, rulesThatHold } from '../rules.ts';
import type { CompiledRule, CompiledRules } from './compiled-group-rule.ts';
import { type EvaluatedUser, type NamedGroup, readMemberships, readNamedGroups } from './evaluation-store.ts';

export interface RuleResults {
  readonly added: readonly RuleMembership[];
  readonly removed: readonly RuleMembership[];
  /** The evaluations that exceeded their budget. They count as false. */
  readonly exhausted: readonly ExhaustedRule[];
}

export interface ExhaustedRule {
  readonly rule: { readonly id: string; readonly name: string };
  readonly userId: string;
}

const factOf = ({ id, name, sourceId, type }: NamedGroup, { namespace }: Context): GroupFact => ({
  id,
  name,
  type: type === 'NATIVE_GROUP' ? `${namespace.upper}_GROUP` : type,
  source: sourceId ?? namespace.upper,
});

function byUser<Row extends { readonly userId: string }>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const known = found.get(row.userId);
    if (known === undefined) found.set(row.userId, [row]);
    else known.push(row);
  }
  return found;
}

/** Returns empty lists, without reading the groups, if no expression uses groups. */
async function groupFacts(
  db: Db,
  context: Context,
  { rules }: CompiledRules,
  groupIds: readonly string[],
): Promise<{ readonly facts: readonly GroupFact[]; readonly everyoneIds: readonly string[] }> {
  if (!rules.some(({ program }) => program.asks.has('groups'))) return { facts: [], everyoneIds: [] };
  const targets = rules.flatMap(({ targetGroupIds }) => targetGroupIds);
  const groups = await readNamedGroups(db, context.orgId, [...new Set([...groupIds, ...targets])]);
  return {
    facts: groups.map((group) => factOf(group, context)),
    everyoneIds: groups.filter(({ type }) => type === 'BUILT_IN').map(({ id }) => id),
  };
}

function judging(
  { excludedGroupIds, id, name, program, targetGroupIds }: CompiledRule,
  user: EvaluatedUser,
  exhausted: ExhaustedRule[],
): ActiveRule {
  const variables = { user: { id: user.id, profile: user.profile } };
  return {
    id,
    targetGroupIds,
    excludedGroupIds,
    asksGroups: program.asks.has('groups'),
    holds: (groups) => {
      const result = evaluateExpression(program, { variables, groups });
      if ('exhausted' in result) exhausted.push({ rule: { id, name }, userId: user.id });
      return 'value' in result && result.value === true;
    },
  };
}

/** The number of evaluations after which other work gets a turn. */
const EVALUATIONS_PER_TURN = 2_000;

/** Memberships from rules that are no longer active count as added by hand. */
export async function evaluateRulesForUsers(
  db: Db,
  context: Context,
  compiled: CompiledRules,
  users: readonly EvaluatedUser[],
): Promise<RuleResults> {
  const ids = users.map(({ id }) => id);
  const { byRule, direct, exclusions } = await readMemberships(db, context.orgId, ids);
  const active = new Set(compiled.rules.map(({ id }) => id));
  const kept = byRule.filter(({ ruleId }) => !active.has(ruleId));
  const given = byUser([...direct, ...kept].map(({ groupId, userId }) => ({ groupId, userId })));
  const leftOut = byUser(exclusions);
  const groupIds = [...direct, ...kept].map(({ groupId }) => groupId);
  const { everyoneIds, facts } = await groupFacts(db, context, compiled, groupIds);
  const exhausted: ExhaustedRule[] = [];
  const should: RuleMembership[] = [];
  const usersPerTurn = Math.max(1, Math.floor(EVALUATIONS_PER_TURN / Math.max(1, compiled.rules.length)));
  for (const [index, user] of users.entries()) {
    if (index > 0 && index % usersPerTurn === 0) await nextTurn();
    const groups = new Set([...everyoneIds, ...(given.get(user.id) ?? []).map(({ groupId }) => groupId)]);
    const excludedFrom = new Set((leftOut.get(user.id) ?? []).map(({ ruleId }) => ruleId));
    const rules = compiled.rules.map((rule) => judging(rule, user, exhausted));
    const holding = rulesThatHold(rules, groups, excludedFrom, (asked) => facts.filter(({ id }) => asked.has(id)));
    for (const { id, targetGroupIds } of rules) {
      if (!holding.has(id)) continue;
      for (const groupId of targetGroupIds) should.push({ ruleId: id, groupId, userId: user.id });
    }
  }
  const is = byRule.filter(({ ruleId }) => active.has(ruleId));
  return { ...differences(is, should), exhausted };
}
