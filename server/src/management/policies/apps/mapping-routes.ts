import { type AnyRoute, cursor, limit, noContent, ok, page, route } from '../../../platform/http/index.ts';
import {
  PolicyAppListSchema,
  PolicyIdParams,
  PolicyMappingBody,
  PolicyMappingIdParams,
  PolicyMappingListSchema,
  PolicyMappingSchema,
} from '../contract.ts';
import type { PoliciesPorts } from '../ports.ts';
import { managing, policySingle, reading } from '../route-declarations.ts';
import { wirePolicyMapping } from '../wire.ts';
import {
  deletePolicyMapping,
  getPolicyMapping,
  listPolicyApps,
  listPolicyMappings,
  mapResourceToPolicy,
} from './policy-apps.ts';

const collection = `${policySingle}/mappings`;
const single = `${collection}/:mappingId`;
const query = { limit: limit({ default: 200, maximum: 200 }), after: cursor('Cursor of the next page.') };

const readRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listPolicyApps',
    method: 'GET',
    url: `${policySingle}/app`,
    summary: 'List all apps mapped to a policy',
    params: PolicyIdParams,
    query,
    response: { status: 200, schema: PolicyAppListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query: given, rawQuery }) => {
      const { links, rows } = await listPolicyApps(ports, context, params.policyId, given, rawQuery);
      return page(rows, links);
    },
  }),
  route({
    ...reading,
    operationId: 'listPolicyMappings',
    method: 'GET',
    url: collection,
    summary: 'List all resources mapped to a policy',
    params: PolicyIdParams,
    query,
    response: { status: 200, schema: PolicyMappingListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query: given, rawQuery }) => {
      const { links, rows } = await listPolicyMappings(ports, context, params.policyId, given, rawQuery);
      return page(
        rows.map((mapping) => wirePolicyMapping(mapping, context)),
        links,
      );
    },
  }),
  route({
    ...reading,
    operationId: 'getPolicyMapping',
    method: 'GET',
    url: single,
    summary: 'Retrieve a policy resource mapping',
    params: PolicyMappingIdParams,
    response: { status: 200, schema: PolicyMappingSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      ok(wirePolicyMapping(await getPolicyMapping(ports, context, params), context)),
  }),
];

export const policyMappingRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  ...readRoutes(ports),
  route({
    ...managing,
    operationId: 'mapResourceToPolicy',
    method: 'POST',
    url: collection,
    summary: 'Map a resource to a policy',
    params: PolicyIdParams,
    body: PolicyMappingBody,
    response: { status: 200, schema: PolicyMappingSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, body }) =>
      ok(wirePolicyMapping(await mapResourceToPolicy(ports, context, params.policyId, body), context)),
  }),
  route({
    ...managing,
    operationId: 'deletePolicyResourceMapping',
    method: 'DELETE',
    url: single,
    summary: 'Delete a policy resource mapping',
    params: PolicyMappingIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await deletePolicyMapping(ports, context, params);
      return noContent();
    },
  }),
];
