import type { Context } from '../../kernel/context.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { EvaluationStatus } from './contract.ts';
import type { RuleState } from './evaluation/state-store.ts';
import type { GroupRule } from './group-rule.ts';
import { expressionType } from './rules.ts';

/** The names of existing groups, by id. */
export type GroupNames = ReadonlyMap<string, string>;

/** Renders a rule without links (contract section 5). */
export function wireGroupRule(
  rule: GroupRule,
  { namespace }: Context,
  names: GroupNames,
  options: { readonly withNames: boolean },
): Record<string, unknown> {
  const named = rule.targetGroupIds.flatMap((id): [string, string][] => {
    const name = names.get(id);
    return name === undefined ? [] : [[id, name]];
  });
  return {
    type: 'group_rule',
    id: rule.id,
    status: rule.status,
    name: rule.name,
    created: wireDate(rule.createdAt),
    lastUpdated: wireDate(rule.lastUpdatedAt),
    conditions: {
      people: { users: { exclude: rule.excludedUserIds }, groups: { exclude: rule.excludedGroupIds } },
      expression: { value: rule.expression, type: expressionType(namespace.word) },
    },
    actions: { assignUserToGroups: { groupIds: rule.targetGroupIds } },
    allGroupsValid: rule.targetGroupIds.every((id) => names.has(id)),
    ...(options.withNames ? { _embedded: { groupIdToGroupNameMap: Object.fromEntries(named) } } : {}),
  };
}

function evaluationStatus({ evaluatedBy }: GroupRule, state: RuleState | undefined): EvaluationStatus {
  if (evaluatedBy === null || state === undefined) return 'NONE';
  if (state.completed >= evaluatedBy) return 'DONE';
  return state.running !== null && state.running >= evaluatedBy ? 'RUNNING' : 'WAITING';
}

export const wireEvaluation = (rule: GroupRule, state: RuleState | undefined): Record<string, unknown> => ({
  status: evaluationStatus(rule, state),
  usersTotal: state?.usersTotal ?? 0,
  usersExamined: state?.usersExamined ?? 0,
  membershipsAdded: state?.added ?? 0,
  membershipsRemoved: state?.removed ?? 0,
  evaluationsFailed: state?.failed ?? 0,
  started: wireDateOrNull(state?.startedAt ?? null),
  finished: wireDateOrNull(state?.finishedAt ?? null),
});

export const groupRuleVersion = ({ id, revision }: GroupRule): Version => ({ kind: 'groupRule', id, revision });

export const ruleTarget = ({ id, name }: { readonly id: string; readonly name: string }): Target => ({
  id,
  type: 'GroupRule',
  alternateId: 'unknown',
  displayName: name,
});

export const groupRuleChange = changeTarget(
  (rule: GroupRule): Target => ruleTarget(rule),
  ({ excludedGroupIds, excludedUserIds, expression, name, status, targetGroupIds }) => ({
    name,
    status,
    expression,
    groupIds: [...targetGroupIds],
    excludedUserIds: [...excludedUserIds],
    excludedGroupIds: [...excludedGroupIds],
  }),
);
