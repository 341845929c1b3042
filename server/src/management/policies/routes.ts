import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  choice,
  cursor,
  flag,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../platform/http/index.ts';
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
import type { PolicyAction } from './lifecycle.ts';
import { expandsRules, listPolicies, listPoliciesOfServer, rulesOf, SERVER_POLICY_TYPE } from './list-policies.ts';
import type { PoliciesPorts } from './ports.ts';
import { managing, policyCollection, policySingle, reading } from './route-declarations.ts';
import { policyRuleRoutes } from './rules/rule-routes.ts';
import type { PolicyRule } from './rules/rule-store.ts';
import type { Policy } from './store.ts';
import { readPolicyType } from './types/rules.ts';
import { policyVersion, rulesEvaluationHeaders, wirePolicy } from './wire.ts';

const PRESETS = ['CLASSIC', 'NIST_SP_800_63B'] as const satisfies readonly PasswordPreset[];
const preset = choice(
  'Of a PASSWORD policy: settings by name, in the place of `settings`. NIST_SP_800_63B: long, off the list of common ' +
    'passwords, without composition, age or questions. CLASSIC: as the default policy has them at first.',
  PRESETS,
);
const expand = text('`rules`: with the rules of each in `_embedded`.', 255);

/** Reads the rules of active access policies only: no others affect the headers. */
const rulesThatTell = async (
  db: PoliciesPorts['db'],
  context: Context,
  policies: readonly Policy[],
): Promise<readonly PolicyRule[]> => {
  const told = policies.filter(({ status, type }) => type === 'ACCESS_POLICY' && status === 'ACTIVE');
  return told.length === 0 ? [] : [...(await rulesOf(db, context, told)).values()].flat();
};

const answer = async (
  { db }: Pick<PoliciesPorts, 'db'>,
  policy: Policy,
  context: Context,
  rules?: readonly PolicyRule[],
): Promise<Answer> => ({
  ...versioned(policyVersion(policy), wirePolicy(policy, context, rules)),
  headers: rulesEvaluationHeaders(policy.type, rules ?? (await rulesThatTell(db, context, [policy]))),
});

const listRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listPolicies',
    method: 'GET',
    url: policyCollection,
    summary: 'List all policies',
    query: {
      type: text('Required: the type of the policies.', 255),
      resourceId: text(`The authorization server whose policies are asked for, with type ${SERVER_POLICY_TYPE}.`, 255),
      status: text('ACTIVE or INACTIVE.', 255),
      q: text('Beginning of the name.', 255),
      expand,
      sortBy: text('`name`; by default policies come in the order in which they are asked.', 255),
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
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

const createRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createPolicy',
    method: 'POST',
    url: policyCollection,
    summary: 'Create a policy',
    query: { activate: flag('Whether the policy is active from the start.', true), preset },
    body: PolicyBody,
    idempotent: true,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000037', 'E0000195'],
    handler: async ({ context, query, body }) => {
      const policy = await createPolicy(ports, context, body, query);
      return answer(ports, policy, context);
    },
  });

const getRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getPolicy',
    method: 'GET',
    url: policySingle,
    summary: 'Retrieve a policy',
    params: PolicyIdParams,
    query: { expand },
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const isExpanded = expandsRules(query.expand);
      const policy = await getPolicy(ports.db, context, params.policyId);
      const rules = isExpanded ? (await rulesOf(ports.db, context, [policy])).get(policy.id) : undefined;
      return answer(ports, policy, context, rules);
    },
  });

const replaceRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replacePolicy',
    method: 'PUT',
    url: policySingle,
    summary: 'Replace a policy',
    params: PolicyIdParams,
    query: { preset },
    body: PolicyBody,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, query, body: input }) => {
      const policy = await replacePolicy(ports, context, params.policyId, { input, preset: query.preset });
      return answer(ports, policy, context);
    },
  });

const deleteRoute = ({ work }: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deletePolicy',
    method: 'DELETE',
    url: policySingle,
    summary: 'Delete a policy',
    params: PolicyIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deletePolicy(work, context, params.policyId);
      return noContent();
    },
  });

const cloneRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'clonePolicy',
    method: 'POST',
    url: `${policySingle}/clone`,
    summary: 'Clone an existing policy',
    params: PolicyIdParams,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params }) => {
      const policy = await clonePolicy(ports.work, context, params.policyId);
      return answer(ports, policy, context);
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
    url: `${policySingle}/lifecycle/${action}`,
    summary,
    params: PolicyIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changePolicyStatus(work, context, params.policyId, action);
      return noContent();
    },
  });

export const policyRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  ...simulationRoutes(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  cloneRoute(ports),
  lifecycleRoute(ports, 'activate', 'activatePolicy', 'Activate a policy'),
  lifecycleRoute(ports, 'deactivate', 'deactivatePolicy', 'Deactivate a policy'),
  ...policyMappingRoutes(ports),
  ...policyRuleRoutes(ports),
];
