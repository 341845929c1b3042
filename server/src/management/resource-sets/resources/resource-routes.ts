import {
  type AnyRoute,
  cursor,
  limit,
  nextAddress,
  resourceRoutes,
  route,
  versioned,
} from '../../../platform/http/index.ts';
import {
  AddResourceBody,
  AddResourcesBody,
  ReplaceResourceBody,
  ResourceListSchema,
  ResourceParams,
  ResourceSchema,
  SetParams,
  SetSchema,
} from '../contract.ts';
import { getResource, listResources } from '../get-resource-set.ts';
import { BODY_LIMIT, type ResourceSetRoutesPorts, setUrl } from '../route-declarations.ts';
import { resourceSetVersion, resourceVersion, setAddress, wireResource, wireResourceSet } from '../wire.ts';
import { addResource, addResources, deleteResource, type ResourceOfSet, replaceResource } from './change-resources.ts';

const resources = resourceRoutes({
  tag: 'RoleCResourceSetResource',
  name: 'ResourceSetResource',
  one: 'a resource set resource',
  all: 'all resource set resources',
  scope: 'roles',
  url: `${setUrl}/resources/:resourceId`,
  of: SetParams,
  params: ResourceParams,
  schema: ResourceSchema,
  wire: ({ resource, set }: ResourceOfSet, context) => wireResource(set.id, resource, context),
  version: ({ resource }) => resourceVersion(resource),
});

const addAllRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...resources.managing,
    operationId: 'addResourceSetResources',
    bodyLimit: BODY_LIMIT,
    method: 'PATCH',
    url: `${setUrl}/resources`,
    summary: 'Add more resources to a resource set',
    params: SetParams,
    body: AddResourcesBody,
    response: { status: 200, schema: SetSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, params, body }) => {
      const set = await addResources(work, context, params.resourceSetIdOrLabel, body.additions);
      return versioned(resourceSetVersion(set), wireResourceSet(set, context));
    },
  });

export const resourceOfSetRoutes = (ports: ResourceSetRoutesPorts): AnyRoute[] => [
  resources.list({
    query: {
      after: cursor('The cursor of the next page, from a `next` link.'),
      limit: limit({ default: 100, maximum: 1_000 }),
    },
    schema: ResourceListSchema,
    use: async ({ context, params, query, rawQuery }) => {
      const { links, rows, set } = await listResources(ports, context, params.resourceSetIdOrLabel, query, rawQuery);
      return { links, rows: rows.map((resource) => ({ resource, set })), set };
    },
    envelope: (items, { links, set }, context) => {
      const address = setAddress(set.id, context);
      const next = nextAddress(`${address}/resources`, links);
      return {
        resources: items,
        _links: { 'resource-set': { href: address }, ...(next === null ? {} : { next: { href: next } }) },
      };
    },
  }),
  resources.create({
    operationId: 'addResourceSetResource',
    summary: 'Add a resource set resource with conditions',
    body: AddResourceBody,
    errors: ['E0000006'],
    idempotent: false,
    use: ({ context, params, body }) => addResource(ports.work, context, params.resourceSetIdOrLabel, body),
  }),
  addAllRoute(ports),
  resources.get({
    use: ({ context, params }) => getResource(ports.db, context, params.resourceSetIdOrLabel, params.resourceId),
  }),
  resources.replace({
    summary: 'Replace the conditions of a resource set resource',
    body: ReplaceResourceBody,
    errors: ['E0000006'],
    use: ({ context, params: { resourceId, resourceSetIdOrLabel }, body }) =>
      replaceResource(ports.work, context, resourceSetIdOrLabel, resourceId, body.conditions),
  }),
  resources.delete({
    errors: ['E0000006'],
    use: ({ context, params }) => deleteResource(ports.work, context, params.resourceSetIdOrLabel, params.resourceId),
  }),
];
