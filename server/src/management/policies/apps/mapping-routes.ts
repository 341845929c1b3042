import { type AnyRoute, cursor, limit, page, resourceRoutes, route } from '../../../platform/http/index.ts';
import {
  PolicyAppListSchema,
  PolicyIdParams,
  PolicyMappingBody,
  PolicyMappingIdParams,
  PolicyMappingListSchema,
  PolicyMappingSchema,
} from '../contract.ts';
import type { PoliciesPorts } from '../ports.ts';
import { policySingle } from '../route-declarations.ts';
import { wirePolicyMapping } from '../wire.ts';
import {
  deletePolicyMapping,
  getPolicyMapping,
  listPolicyApps,
  listPolicyMappings,
  mapResourceToPolicy,
} from './policy-apps.ts';

const query = {
  limit: limit({ default: 200, maximum: 200 }),
  after: cursor('The cursor of the next page, from a `next` link.'),
};

const mappings = resourceRoutes({
  tag: 'Policy',
  name: 'PolicyMapping',
  one: 'a policy resource mapping',
  all: 'all resources mapped to a policy',
  scope: 'policies',
  url: `${policySingle}/mappings/:mappingId`,
  of: PolicyIdParams,
  params: PolicyMappingIdParams,
  schema: PolicyMappingSchema,
  wire: wirePolicyMapping,
});

const listAppsRoute = (ports: PoliciesPorts): AnyRoute =>
  route({
    ...mappings.reading,
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
  });

export const policyMappingRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  listAppsRoute(ports),
  mappings.list({
    query,
    schema: PolicyMappingListSchema,
    use: ({ context, params, query: given, rawQuery }) =>
      listPolicyMappings(ports, context, params.policyId, given, rawQuery),
  }),
  mappings.get({
    use: ({ context, params }) => getPolicyMapping(ports, context, params),
  }),
  mappings.create({
    operationId: 'mapResourceToPolicy',
    summary: 'Map a resource to a policy',
    body: PolicyMappingBody,
    idempotent: false,
    use: ({ context, params, body }) => mapResourceToPolicy(ports, context, params.policyId, body),
  }),
  mappings.delete({
    operationId: 'deletePolicyResourceMapping',
    conditional: false,
    use: ({ context, params }) => deletePolicyMapping(ports, context, params),
  }),
];
