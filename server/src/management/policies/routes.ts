import { type AnyRoute, cursor, flag, limit, noContent, ok, page, route, text } from '../../platform/http/index.ts';
import { changePolicyStatus } from './change-status.ts';
import { PolicyBody, PolicyIdParams, PolicyListSchema, PolicySchema } from './contract.ts';
import { createPolicy } from './create-policy.ts';
import { deletePolicy } from './delete-policy.ts';
import { getPolicy } from './guards.ts';
import type { PolicyAction } from './lifecycle.ts';
import { listPolicies } from './list-policies.ts';
import type { PoliciesPorts } from './ports.ts';
import { replacePolicy } from './replace-policy.ts';
import { managing, policyCollection, policySingle, reading } from './route-declarations.ts';
import { policyRuleRoutes } from './rule-routes.ts';
import { wirePolicy } from './wire.ts';

const listRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listPolicies',
    method: 'GET',
    url: policyCollection,
    summary: 'List all policies',
    query: {
      type: text('Required: the type of the policies.', 255),
      status: text('ACTIVE or INACTIVE.', 255),
      q: text('Beginning of the name.', 255),
      sortBy: text('`name`; by default policies come in the order in which they are asked.', 255),
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: PolicyListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listPolicies(ports, context, query, rawQuery);
      return page(
        rows.map((policy) => wirePolicy(policy, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createPolicy',
    method: 'POST',
    url: policyCollection,
    summary: 'Create a policy',
    query: { activate: flag('Whether the policy is active from the start.', true) },
    body: PolicyBody,
    idempotent: true,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000037', 'E0000195'],
    handler: async ({ context, query, body }) =>
      ok(wirePolicy(await createPolicy(work, context, body, query.activate), context)),
  });

const getRoute = ({ db }: PoliciesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getPolicy',
    method: 'GET',
    url: policySingle,
    summary: 'Retrieve a policy',
    params: PolicyIdParams,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => ok(wirePolicy(await getPolicy(db, context, params.policyId), context)),
  });

const replaceRoute = ({ work }: PoliciesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replacePolicy',
    method: 'PUT',
    url: policySingle,
    summary: 'Replace a policy',
    params: PolicyIdParams,
    body: PolicyBody,
    response: { status: 200, schema: PolicySchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, body }) =>
      ok(wirePolicy(await replacePolicy(work, context, params.policyId, body), context)),
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
    handler: async ({ context, params }) => {
      await deletePolicy(work, context, params.policyId);
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
    url: `${policySingle}/lifecycle/${action}`,
    summary,
    params: PolicyIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params }) => {
      await changePolicyStatus(work, context, params.policyId, action);
      return noContent();
    },
  });

export const policyRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activatePolicy', 'Activate a policy'),
  lifecycleRoute(ports, 'deactivate', 'deactivatePolicy', 'Deactivate a policy'),
  ...policyRuleRoutes(ports),
];
