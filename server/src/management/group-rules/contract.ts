import { type Static, Type } from '@sinclair/typebox';
import { GROUP_RULE_STATUSES, type GroupRuleStatus } from './lifecycle.ts';

export const GroupRuleIdParams = Type.Object({ groupRuleId: Type.String() });

const Excluded = Type.Optional(
  Type.Object({
    exclude: Type.Optional(Type.Array(Type.String(), { description: 'The ids of those who are left out.' })),
  }),
);

const People = Type.Optional(Type.Object({ users: Excluded, groups: Excluded }));

const Conditions = Type.Object({
  expression: Type.Object({
    value: Type.String({
      description: 'The expression, which is true for the users whom the rule adds to its groups.',
    }),
    type: Type.String({ description: 'The language of the expression, which is `urn:svc:expression:1.0`.' }),
  }),
  people: People,
});

const Actions = Type.Object({
  assignUserToGroups: Type.Object({
    groupIds: Type.Array(Type.String(), {
      description: 'The ids of groups that were made in this org. They cannot be changed later.',
    }),
  }),
});

export const GroupRuleBody = Type.Object({
  type: Type.String({ description: 'The type of the rule, which is `group_rule`.' }),
  name: Type.String({ description: 'The name, of 1 to 50 characters. It is unique in the org.' }),
  conditions: Conditions,
  actions: Actions,
});
export type GroupRuleInput = Static<typeof GroupRuleBody>;

const Status = Type.Unsafe<GroupRuleStatus>({ type: 'string', enum: [...GROUP_RULE_STATUSES] });
const Ids = Type.Array(Type.String());
const Instant = Type.String({ format: 'date-time' });

export const GroupRuleSchema = Type.Object({
  type: Type.Literal('group_rule'),
  id: Type.String(),
  status: Status,
  name: Type.String(),
  created: Instant,
  lastUpdated: Instant,
  conditions: Type.Object({
    people: Type.Object({ users: Type.Object({ exclude: Ids }), groups: Type.Object({ exclude: Ids }) }),
    expression: Type.Object({ value: Type.String(), type: Type.String() }),
  }),
  actions: Type.Object({ assignUserToGroups: Type.Object({ groupIds: Ids }) }),
  allGroupsValid: Type.Boolean({ description: 'Whether all groups of the rule still exist.' }),
  _embedded: Type.Optional(Type.Object({ groupIdToGroupNameMap: Type.Record(Type.String(), Type.String()) })),
});

export const GroupRuleListSchema = Type.Array(GroupRuleSchema);

export const EVALUATION_STATUSES = ['NONE', 'WAITING', 'RUNNING', 'DONE'] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

export const GroupRuleEvaluationSchema = Type.Object({
  status: Type.Unsafe<EvaluationStatus>({
    type: 'string',
    enum: [...EVALUATION_STATUSES],
    description:
      'How far the rule has been applied. `NONE` means that it was never activated, `DONE` that all users were ' +
      'examined.',
  }),
  usersTotal: Type.Integer(),
  usersExamined: Type.Integer(),
  membershipsAdded: Type.Integer({
    description: 'The number of memberships that were added by all rules, because one pass evaluates all of them.',
  }),
  membershipsRemoved: Type.Integer(),
  evaluationsFailed: Type.Integer({
    description: 'The number of evaluations that were stopped because their cost was too high. They count as `false`.',
  }),
  started: Type.Union([Instant, Type.Null()]),
  finished: Type.Union([Instant, Type.Null()]),
});

/** The empty response to a deletion that a job completes later. */
export const AcceptedSchema = Type.Object({});
