import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  flag,
  limit,
  noContent,
  page,
  route,
  versioned,
} from '../../../platform/http/index.ts';
import { changePolicyRuleStatus } from '../changes/change-status.ts';
import {
  PolicyIdParams,
  PolicyRuleBody,
  PolicyRuleIdParams,
  PolicyRuleListSchema,
  PolicyRuleSchema,
} from '../contract.ts';
import { getPolicyRule } from '../guards.ts';
import type { PolicyAction } from '../lifecycle.ts';
import { listPolicyRules } from '../list-policies.ts';
import type { PoliciesPorts } from '../ports.ts';
import { managing, policySingle, reading } from '../route-declarations.ts';
import { policyRuleVersion, rulesEvaluationHeaders, wirePolicyRule } from '../wire.ts';
import { createPolicyRule } from './create-policy-rule.ts';
import { deletePolicyRule } from './delete-policy-rule.ts';
import { replacePolicyRule } from './replace-policy-rule.ts';
import type { PolicyRule } from './rule-store.ts';

const collection = `${policySingle}/rules`;
const single = `${collection}/:ruleId`;

const shown = (rule: PolicyRule, context: Context): Answer => ({
  ...versioned(policyRuleVersion(rule), wirePolicyRule(rule, context)),
  headers: rulesEvaluationHeaders(rule.type, [rule]),
});

const listRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listPolicyRules',
    method: 'GET',
    url: collection,
    summary: 'List all policy rules',
    params: PolicyIdParams,
    query: {
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: PolicyRuleListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const { rows, links, type } = await listPolicyRules(ports, context, params.policyId, query, rawQuery);
      const body = rows.map((rule) => wirePolicyRule(rule, context));
      return { ...page(body, links), headers: rulesEvaluationHeaders(type, rows) };
    },
  });

const createRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createPolicyRule',
    method: 'POST',
    url: collection,
    summary: 'Create a policy rule',
    params: PolicyIdParams,
    query: { activate: flag('Whether the rule is active from the start.', true) },
    body: PolicyRuleBody,
    idempotent: true,
    response: { status: 200, schema: PolicyRuleSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000195'],
    handler: async ({ context, params, query, body }) =>
      shown(await createPolicyRule(ports, context, params.policyId, body, query.activate), context),
  });

const getRoute = ({ db }: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getPolicyRule',
    method: 'GET',
    url: single,
    summary: 'Retrieve a policy rule',
    params: PolicyRuleIdParams,
    response: { status: 200, schema: PolicyRuleSchema },
    errors: ['E0000007'],
    handler: async ({ context, params: { policyId, ruleId } }) =>
      shown(await getPolicyRule(db, context, policyId, ruleId), context),
  });

const replaceRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replacePolicyRule',
    method: 'PUT',
    url: single,
    summary: 'Replace a policy rule',
    params: PolicyRuleIdParams,
    body: PolicyRuleBody,
    response: { status: 200, schema: PolicyRuleSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => shown(await replacePolicyRule(ports, context, params, body), context),
  });

const deleteRoute = ({ work }: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deletePolicyRule',
    method: 'DELETE',
    url: single,
    summary: 'Delete a policy rule',
    params: PolicyRuleIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deletePolicyRule(work, context, params);
      return noContent();
    },
  });

const lifecycleRoute = (
  { work }: PoliciesPorts,
  action: PolicyAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: PolicyRuleIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changePolicyRuleStatus(work, context, params, action);
      return noContent();
    },
  });

export const policyRuleRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activatePolicyRule', 'Activate a policy rule'),
  lifecycleRoute(ports, 'deactivate', 'deactivatePolicyRule', 'Deactivate a policy rule'),
];
