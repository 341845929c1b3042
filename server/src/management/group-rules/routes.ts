import type { Context } from '../../kernel/context.ts';
import {
  type AnyRoute,
  accepted,
  choice,
  cursor,
  flag,
  limit,
  noContent,
  ok,
  page,
  route,
  text,
  versioned,
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
import type { GroupRuleAction } from './lifecycle.ts';
import { groupRuleVersion, wireEvaluation, wireGroupRule } from './wire.ts';

const BODY_LIMIT = {
  bytes: 131_072,
  reason: 'Up to 1,000 users and as many groups that are left out, and an expression.',
};

export type GroupRuleRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const common = { tag: 'GroupRule', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['groups.read'], permission: 'groups.read' } as const;
const managing = { ...common, scopes: ['groups.manage'], permission: 'groups.manage' } as const;
const collection = '/api/v1/groups/rules';
const single = `${collection}/:groupRuleId`;
const expand = choice('Embeds the names of the groups that rules assign.', ['groupIdToGroupNameMap']);

type Expand = 'groupIdToGroupNameMap' | undefined;

async function wireAll(db: Db, context: Context, rules: readonly GroupRule[], asked: Expand) {
  const names = await namesOfTargets(db, context, rules);
  return rules.map((rule) => wireGroupRule(rule, context, names, { withNames: asked !== undefined }));
}

/** Answers with one rule and its entity tag. */
async function answerOne({ db }: GroupRuleRoutesPorts, context: Context, rule: GroupRule, asked?: Expand) {
  const [wire] = await wireAll(db, context, [rule], asked);
  return versioned(groupRuleVersion(rule), wire);
}

const listRoute = (ports: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listGroupRules',
    method: 'GET',
    url: collection,
    summary: 'List all group rules',
    query: {
      search: text('Rules whose name contains this, whatever its case.', 255),
      expand,
      limit: limit({ default: 50, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: GroupRuleListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listGroupRules(ports, context, query, rawQuery);
      return page(await wireAll(ports.db, context, rows, query.expand), links);
    },
  });

const createRoute = (ports: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createGroupRule',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create a group rule',
    body: GroupRuleBody,
    idempotent: true,
    response: { status: 200, schema: GroupRuleSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answerOne(ports, context, await createGroupRule(ports.work, context, body)),
  });

const getRoute = (ports: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getGroupRule',
    method: 'GET',
    url: single,
    summary: 'Retrieve a group rule',
    params: GroupRuleIdParams,
    query: { expand },
    response: { status: 200, schema: GroupRuleSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const rule = await readRule(ports.db, context, params.groupRuleId);
      return answerOne(ports, context, rule, query.expand);
    },
  });

const evaluationRoute = ({ db }: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getGroupRuleEvaluation',
    method: 'GET',
    url: `${single}/evaluation`,
    summary: 'Retrieve how far a group rule has been applied to all users',
    params: GroupRuleIdParams,
    response: { status: 200, schema: GroupRuleEvaluationSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const rule = await readRule(db, context, params.groupRuleId);
      return ok(wireEvaluation(rule, await findRuleState(db, context.orgId)));
    },
  });

const replaceRoute = (ports: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceGroupRule',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace a group rule',
    params: GroupRuleIdParams,
    body: GroupRuleBody,
    response: { status: 200, schema: GroupRuleSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const rule = await replaceGroupRule(ports.work, context, params.groupRuleId, body);
      return answerOne(ports, context, rule);
    },
  });

const deleteRoute = ({ work }: GroupRuleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteGroupRule',
    method: 'DELETE',
    url: single,
    summary: 'Delete a group rule',
    params: GroupRuleIdParams,
    query: { removeUsers: flag('Whether those whom the rule put into groups leave them.', false) },
    response: { status: 202, schema: AcceptedSchema },
    errors: ['E0000007', 'E0000037'],
    conditional: true,
    handler: async ({ context, params, query }) => {
      await deleteGroupRule(work, context, params.groupRuleId, query);
      return accepted({});
    },
  });

const lifecycleRoute = (
  { work }: GroupRuleRoutesPorts,
  action: GroupRuleAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: GroupRuleIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changeGroupRuleStatus(work, context, params.groupRuleId, action);
      return noContent();
    },
  });

export const groupRuleRoutes = (ports: GroupRuleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  evaluationRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateGroupRule', 'Activate a group rule'),
  lifecycleRoute(ports, 'deactivate', 'deactivateGroupRule', 'Deactivate a group rule'),
];
