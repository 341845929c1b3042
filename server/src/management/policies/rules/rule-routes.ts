import { type AnyRoute, flag, page, paging, resourceRoutes, route } from '../../../platform/http/index.ts';
import { changePolicyRuleStatus } from '../changes/change-status.ts';
import {
  PolicyIdParams,
  PolicyRuleBody,
  PolicyRuleIdParams,
  PolicyRuleListSchema,
  PolicyRuleSchema,
} from '../contract.ts';
import { getPolicyRule } from '../guards.ts';
import { listPolicyRules } from '../list-policies.ts';
import type { PoliciesPorts } from '../ports.ts';
import { policySingle } from '../route-declarations.ts';
import { policyRuleVersion, rulesEvaluationHeaders, wirePolicyRule } from '../wire.ts';
import { createPolicyRule } from './create-policy-rule.ts';
import { deletePolicyRule } from './delete-policy-rule.ts';
import { replacePolicyRule } from './replace-policy-rule.ts';

const rules = resourceRoutes({
  tag: 'Policy',
  name: 'PolicyRule',
  one: 'a policy rule',
  all: 'all policy rules',
  scope: 'policies',
  url: `${policySingle}/rules/:ruleId`,
  of: PolicyIdParams,
  params: PolicyRuleIdParams,
  schema: PolicyRuleSchema,
  wire: wirePolicyRule,
  version: policyRuleVersion,
  headers: (rule) => rulesEvaluationHeaders(rule.type, [rule]),
});

const listRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...rules.reading,
    operationId: 'listPolicyRules',
    method: 'GET',
    url: `${policySingle}/rules`,
    summary: 'List all policy rules',
    params: PolicyIdParams,
    query: paging({ default: 200, maximum: 200 }),
    response: { status: 200, schema: PolicyRuleListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const { rows, links, type } = await listPolicyRules(ports, context, params.policyId, query, rawQuery);
      const body = rows.map((rule) => wirePolicyRule(rule, context));
      return { ...page(body, links), headers: rulesEvaluationHeaders(type, rows) };
    },
  });

export const policyRuleRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listRoute(ports),
  rules.create({
    query: { activate: flag('Whether the rule is active from the start.', true) },
    body: PolicyRuleBody,
    use: ({ context, params, query, body }) => createPolicyRule(ports, context, params.policyId, body, query.activate),
  }),
  rules.get({
    use: ({ context, params }) => getPolicyRule(ports.db, context, params.policyId, params.ruleId),
  }),
  rules.replace({
    body: PolicyRuleBody,
    use: ({ context, params, body }) => replacePolicyRule(ports, context, params, body),
  }),
  rules.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deletePolicyRule(ports.work, context, params),
  }),
  ...rules.lifecycle({
    answers: 'nothing',
    errors: ['E0000001'],
    use: ({ context, params }, action) => changePolicyRuleStatus(ports.work, context, params, action),
  }),
];
