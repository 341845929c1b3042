import type { Context } from '../../kernel/context.ts';
import {
  type AnyRoute,
  accepted,
  choice,
  flag,
  ok,
  paging,
  resourceRoutes,
  route,
  text,
} from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeGroupRuleStatus } from './changes/change-status.ts';
import { createGroupRule } from './changes/create-rule.ts';
import { deleteGroupRule } from './changes/delete-rule.ts';
import { namesOfTargets, readRule } from './changes/guards.ts';
import { replaceGroupRule } from './changes/replace-rule.ts';
import {
  AcceptedSchema,
  GroupRuleBody,
  GroupRuleEvaluationSchema,
  GroupRuleIdParams,
  GroupRuleListSchema,
  GroupRuleSchema,
} from './contract.ts';
import { findRuleState } from './evaluation/state-store.ts';
import type { GroupRule } from './group-rule.ts';
import { listGroupRules } from './group-rule-list.ts';
import { type GroupNames, groupRuleVersion, wireEvaluation, wireGroupRule } from './wire.ts';

const BODY_LIMIT = {
  bytes: 131_072,
  reason: 'Up to 1,000 users and as many groups that are left out, and an expression.',
};

export type GroupRuleRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const expand = choice('Embeds the names of the groups to which rules add users.', ['groupIdToGroupNameMap']);

type Expand = 'groupIdToGroupNameMap' | undefined;

interface ShownRule {
  readonly rule: GroupRule;
  readonly names: GroupNames;
  readonly withNames: boolean;
}

async function show(db: Db, context: Context, rules: readonly GroupRule[], asked: Expand): Promise<ShownRule[]> {
  const names = await namesOfTargets(db, context, rules);
  return rules.map((rule) => ({ rule, names, withNames: asked !== undefined }));
}

const showOne = async (db: Db, context: Context, rule: GroupRule, asked?: Expand): Promise<ShownRule> => ({
  rule,
  names: await namesOfTargets(db, context, [rule]),
  withNames: asked !== undefined,
});

const url = '/api/v1/groups/rules/:groupRuleId';
const groupRules = resourceRoutes({
  tag: 'GroupRule',
  name: 'GroupRule',
  one: 'a group rule',
  all: 'all group rules',
  scope: 'groups',
  url,
  params: GroupRuleIdParams,
  schema: GroupRuleSchema,
  wire: ({ names, rule, withNames }: ShownRule, context) => wireGroupRule(rule, context, names, { withNames }),
  version: ({ rule }) => groupRuleVersion(rule),
});

const evaluationRoute = ({ db }: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...groupRules.reading,
    operationId: 'getGroupRuleEvaluation',
    method: 'GET',
    url: `${url}/evaluation`,
    summary: 'Retrieve the progress of a group rule',
    params: GroupRuleIdParams,
    response: { status: 200, schema: GroupRuleEvaluationSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const rule = await readRule(db, context, params.groupRuleId);
      return ok(wireEvaluation(rule, await findRuleState(db, context.orgId)));
    },
  });

const deleteRoute = ({ work }: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...groupRules.managing,
    operationId: 'deleteGroupRule',
    method: 'DELETE',
    url,
    summary: 'Delete a group rule',
    params: GroupRuleIdParams,
    query: { removeUsers: flag('Whether the members whom the rule has added leave its groups.', false) },
    response: { status: 202, schema: AcceptedSchema },
    errors: ['E0000007', 'E0000037'],
    conditional: true,
    handler: async ({ context, params, query }) => {
      await deleteGroupRule(work, context, params.groupRuleId, query);
      return accepted({});
    },
  });

export function groupRuleRoutes(ports: GroupRuleRoutesPorts): AnyRoute[] {
  const { db, work } = ports;
  return [
    groupRules.list({
      query: {
        search: text('Lists only rules whose name contains this text, in upper or lower case.', 255),
        expand,
        ...paging({ default: 50, maximum: 200 }),
      },
      schema: GroupRuleListSchema,
      use: async ({ context, query, rawQuery }) => {
        const { rows, links } = await listGroupRules(ports, context, query, rawQuery);
        return { rows: await show(db, context, rows, query.expand), links };
      },
    }),
    groupRules.create({
      body: GroupRuleBody,
      bodyLimit: BODY_LIMIT,
      use: async ({ context, body }) => showOne(db, context, await createGroupRule(work, context, body)),
    }),
    groupRules.get({
      query: { expand },
      use: async ({ context, params, query }) =>
        showOne(db, context, await readRule(db, context, params.groupRuleId), query.expand),
    }),
    evaluationRoute(ports),
    groupRules.replace({
      body: GroupRuleBody,
      bodyLimit: BODY_LIMIT,
      use: async ({ context, params, body }) =>
        showOne(db, context, await replaceGroupRule(work, context, params.groupRuleId, body)),
    }),
    deleteRoute(ports),
    ...groupRules.lifecycle({
      answers: 'nothing',
      errors: ['E0000001'],
      use: ({ context, params }, action) => changeGroupRuleStatus(work, context, params.groupRuleId, action),
    }),
  ];
}
