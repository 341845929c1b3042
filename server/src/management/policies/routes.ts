import type { Context } from '../../kernel/context.ts';
import { type AnyRoute, choice, flag, page, paging, resourceRoutes, route, text } from '../../platform/http/index.ts';
import { policyMappingRoutes } from './apps/mapping-routes.ts';
import { changePolicyStatus } from './changes/change-status.ts';
import { clonePolicy } from './changes/clone-policy.ts';
import { createPolicy } from './changes/create-policy.ts';
import { deletePolicy } from './changes/delete-policy.ts';
import { replacePolicy } from './changes/replace-policy.ts';
import { PolicyBody, PolicyIdParams, PolicyListSchema, PolicySchema } from './contract.ts';
import type { PasswordPreset } from './evaluation/password-settings-rules.ts';
import { simulationRoutes } from './evaluation/simulation-routes.ts';
import { getPolicy } from './guards.ts';
import { expandsRules, listPolicies, listPoliciesOfServer, rulesOf, SERVER_POLICY_TYPE } from './list-policies.ts';
import type { PoliciesPorts } from './ports.ts';
import { policyCollection, policySingle } from './route-declarations.ts';
import { policyRuleRoutes } from './rules/rule-routes.ts';
import type { PolicyRule } from './rules/rule-store.ts';
import type { Policy } from './store.ts';
import { readPolicyType } from './types/rules.ts';
import { policyVersion, rulesEvaluationHeaders, wirePolicy } from './wire.ts';

const PRESETS = ['CLASSIC', 'NIST_SP_800_63B'] as const satisfies readonly PasswordPreset[];
const preset = choice(
  'Predefined settings for a `PASSWORD` policy. The body must then contain no `settings`. `NIST_SP_800_63B` requires ' +
    'long passwords that are not common, and has no rules for composition or age and no recovery questions. ' +
    '`CLASSIC` has the initial settings of the default policy.',
  PRESETS,
);
const expand = text('`rules` embeds the rules of each policy.', 255);

/** Reads the rules of active access policies. Such rules can make the `X-Policy-Evaluation` header `closed`. */
const rulesThatTell = async (
  db: PoliciesPorts['db'],
  context: Context,
  policies: readonly Policy[],
): Promise<readonly PolicyRule[]> => {
  const told = policies.filter(({ status, type }) => type === 'ACCESS_POLICY' && status === 'ACTIVE');
  return told.length === 0 ? [] : [...(await rulesOf(db, context, told)).values()].flat();
};

interface ShownPolicy {
  readonly policy: Policy;
  readonly rules: readonly PolicyRule[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const show = async (
  { db }: Pick<PoliciesPorts, 'db'>,
  context: Context,
  policy: Policy,
  rules?: readonly PolicyRule[],
): Promise<ShownPolicy> => {
  const active = policy.status === 'ACTIVE' ? rules : [];
  return {
    policy,
    rules,
    headers: rulesEvaluationHeaders(policy.type, active ?? (await rulesThatTell(db, context, [policy]))),
  };
};

const policies = resourceRoutes({
  tag: 'Policy',
  name: 'Policy',
  one: 'a policy',
  all: 'all policies',
  scope: 'policies',
  url: policySingle,
  params: PolicyIdParams,
  schema: PolicySchema,
  wire: ({ policy, rules }: ShownPolicy, context) => wirePolicy(policy, context, rules),
  version: ({ policy }) => policyVersion(policy),
  headers: ({ headers }) => headers,
});

const listRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...policies.reading,
    operationId: 'listPolicies',
    method: 'GET',
    url: policyCollection,
    summary: 'List all policies',
    query: {
      type: text('The type of the policies. It is required.', 255),
      resourceId: text(
        `The id of an authorization server, whose policies have the type \`${SERVER_POLICY_TYPE}\`.`,
        255,
      ),
      status: text('Lists only policies of this status: `ACTIVE` or `INACTIVE`.', 255),
      q: text('Lists only policies whose name starts with this text.', 255),
      expand,
      sortBy: text('`name` sorts by name. By default, policies are in the order of evaluation.', 255),
      ...paging({ default: 200, maximum: 200 }),
    },
    response: { status: 200, schema: PolicyListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      if (query.type === SERVER_POLICY_TYPE) {
        const found = await listPoliciesOfServer(ports, context, query, rawQuery);
        return page(found.rows, found.links);
      }
      const isExpanded = expandsRules(query.expand);
      const { rows, links } = await listPolicies(ports, context, query, rawQuery);
      const rules = isExpanded ? await rulesOf(ports.db, context, rows) : null;
      const body = rows.map((policy) => wirePolicy(policy, context, rules?.get(policy.id)));
      const type = readPolicyType(query.type, context.namespace.upper);
      const headers = rulesEvaluationHeaders(type, await rulesThatTell(ports.db, context, rows));
      return { ...page(body, links), headers };
    },
  });

const cloneRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...policies.managing,
    operationId: 'clonePolicy',
    method: 'POST',
    url: `${policySingle}/clone`,
    summary: 'Clone an existing policy',
    params: PolicyIdParams,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params }) => {
      const policy = await clonePolicy(ports.work, context, params.policyId);
      return policies.answer(await show(ports, context, policy), context, { params });
    },
  });

export const policyRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listRoute(ports),
  policies.create({
    query: { activate: flag('Whether the policy is active from the start.', true), preset },
    body: PolicyBody,
    use: async ({ context, query, body }) => show(ports, context, await createPolicy(ports, context, body, query)),
  }),
  ...simulationRoutes(ports),
  policies.get({
    query: { expand },
    use: async ({ context, params, query }) => {
      const isExpanded = expandsRules(query.expand);
      const policy = await getPolicy(ports.db, context, params.policyId);
      const rules = isExpanded ? (await rulesOf(ports.db, context, [policy])).get(policy.id) : undefined;
      return show(ports, context, policy, rules);
    },
  }),
  policies.replace({
    query: { preset },
    body: PolicyBody,
    use: async ({ context, params, query, body: input }) =>
      show(ports, context, await replacePolicy(ports, context, params.policyId, { input, preset: query.preset })),
  }),
  policies.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deletePolicy(ports.work, context, params.policyId),
  }),
  cloneRoute(ports),
  ...policies.lifecycle({
    answers: 'nothing',
    errors: ['E0000001'],
    use: ({ context, params }, action) => changePolicyStatus(ports.work, context, params.policyId, action),
  }),
  ...policyMappingRoutes(ports),
  ...policyRuleRoutes(ports),
];
