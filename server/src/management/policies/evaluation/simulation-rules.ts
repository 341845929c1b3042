import { openConditions } from '../conditions/access-limit-rules.ts';
import type { AccessConditions } from '../conditions/access-rules.ts';
import type { NetworkCondition } from '../conditions/network-rules.ts';
import { asksGroups, holdsForGroups, holdsForUser, type IdChoices, NO_CHOICE } from '../conditions/people-rules.ts';
import { compileNetwork, groupsOfPolicy, type LoadedRule } from './evaluation-rules.ts';

export type MatchStatus = 'MATCH' | 'NOT_MATCH' | 'UNDEFINED';

/** A fact is null if the request neither contains nor implies it. */
export interface SimulatedFacts {
  readonly userId: string | null;
  readonly groups: ReadonlySet<string> | null;
  readonly zones: readonly string[] | null;
  readonly userTypeId: string | null;
}

export interface SimulatedCondition {
  readonly type: string;
  readonly status: MatchStatus;
}

export interface SimulatedRule {
  readonly id: string;
  readonly name: string;
  readonly status: MatchStatus;
  readonly conditions: readonly SimulatedCondition[];
}

export interface SimulatedPolicy extends SimulatedRule {
  readonly rules: readonly SimulatedRule[];
}

/** `result` contains the first matching rule with its policy. */
export interface Simulation {
  readonly status: MatchStatus;
  readonly result: readonly SimulatedPolicy[];
  readonly undefined: readonly SimulatedPolicy[];
  readonly evaluated: readonly SimulatedPolicy[];
}

const statusOf = (isKnown: boolean, holds: () => boolean): MatchStatus => {
  if (!isKnown) return 'UNDEFINED';
  return holds() ? 'MATCH' : 'NOT_MATCH';
};

/** One condition that fails outweighs conditions that are undefined. */
const together = (conditions: readonly { readonly status: MatchStatus }[]): MatchStatus => {
  if (conditions.some(({ status }) => status === 'NOT_MATCH')) return 'NOT_MATCH';
  return conditions.some(({ status }) => status === 'UNDEFINED') ? 'UNDEFINED' : 'MATCH';
};

const groupConditions = (choices: IdChoices, { groups }: SimulatedFacts): SimulatedCondition[] =>
  asksGroups(choices)
    ? [{ type: 'people.groups', status: statusOf(groups !== null, () => holdsForGroups(choices, groups ?? new Set())) }]
    : [];

const userConditions = (choices: IdChoices, { userId }: SimulatedFacts): SimulatedCondition[] =>
  asksGroups(choices)
    ? [{ type: 'people.users', status: statusOf(userId !== null, () => holdsForUser(choices, userId)) }]
    : [];

function networkConditions(network: NetworkCondition, { zones }: SimulatedFacts): SimulatedCondition[] {
  const holds = compileNetwork(network);
  if (network.connection === 'ANYWHERE') return [];
  return [{ type: 'network', status: statusOf(zones !== null, () => holds(zones ?? [])) }];
}

const typeConditions = (choices: IdChoices, { userTypeId }: SimulatedFacts): SimulatedCondition[] =>
  asksGroups(choices)
    ? [{ type: 'userType', status: statusOf(userTypeId !== null, () => holdsForUser(choices, userTypeId)) }]
    : [];

/** Conditions that cannot be evaluated at sign-in are UNDEFINED. */
function accessConditionsOf(conditions: AccessConditions | null, facts: SimulatedFacts): SimulatedCondition[] {
  if (conditions === null) return [];
  const { network, people, userType } = conditions;
  return [
    ...userConditions(people.users, facts),
    ...groupConditions(people.groups, facts),
    ...typeConditions(userType, facts),
    ...networkConditions(network, facts),
    ...openConditions(conditions).map((place) => ({
      type: place.replace('conditions.', ''),
      status: 'UNDEFINED' as const,
    })),
  ];
}

function simulateRule(rule: LoadedRule, facts: SimulatedFacts): SimulatedRule {
  const { ruleId: id, ruleName: name } = rule;
  if (rule.type === 'ACCESS_POLICY') {
    const asked = accessConditionsOf(rule.conditions, facts);
    return { id, name, status: together(asked), conditions: asked };
  }
  if (rule.type !== 'SIGN_ON') return { id, name, status: 'UNDEFINED', conditions: [] };
  const { groups = NO_CHOICE, network, users } = rule.conditions;
  const conditions = [
    ...userConditions(users, facts),
    ...groupConditions(groups, facts),
    ...networkConditions(network, facts),
  ];
  return { id, name, status: together(conditions), conditions };
}

function byPolicy(rules: readonly LoadedRule[]): LoadedRule[][] {
  const policies = new Map<string, LoadedRule[]>();
  for (const rule of rules) policies.set(rule.policyId, [...(policies.get(rule.policyId) ?? []), rule]);
  return [...policies.values()];
}

export function simulate(loaded: readonly LoadedRule[], facts: SimulatedFacts): Simulation {
  const passed: SimulatedPolicy[] = [];
  const open: SimulatedPolicy[] = [];
  for (const rules of byPolicy(loaded)) {
    const [first] = rules;
    if (first === undefined) continue;
    const conditions = groupConditions(groupsOfPolicy(first), facts);
    const policy = { id: first.policyId, name: first.policyName, conditions };
    const own = together(conditions);
    const simulated = rules.map((rule) => simulateRule(rule, facts));
    const statusIn = (rule: SimulatedRule): MatchStatus => together([{ status: own }, rule]);
    const index = simulated.findIndex((rule) => statusIn(rule) === 'MATCH');
    const before = index === -1 ? simulated : simulated.slice(0, index);
    const undecided = before.filter((rule) => statusIn(rule) === 'UNDEFINED');
    const failed = before.filter((rule) => statusIn(rule) === 'NOT_MATCH');
    if (undecided.length > 0) open.push({ ...policy, status: 'UNDEFINED', rules: undecided });
    if (failed.length > 0) passed.push({ ...policy, status: 'NOT_MATCH', rules: failed });
    const found = simulated[index];
    if (found === undefined) continue;
    const result = [{ ...policy, status: 'MATCH', rules: [found] }] as const;
    return { status: open.length > 0 ? 'UNDEFINED' : 'MATCH', result, undefined: open, evaluated: passed };
  }
  return { status: open.length > 0 ? 'UNDEFINED' : 'NOT_MATCH', result: [], undefined: open, evaluated: passed };
}
