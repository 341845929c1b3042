import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  nextAddress,
  noContent,
  ok,
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
import { managing, type ResourceSetRoutesPorts, reading, single } from '../route-declarations.ts';
import { resourceSetVersion, resourceVersion, setAddress, wireResource, wireResourceSet } from '../wire.ts';
import { addResource, addResources, deleteResource, type ResourceOfSet, replaceResource } from './change-resources.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

const tag = 'RoleCResourceSetResource';
const collection = `${single}/resources`;
const resource = `${collection}/:resourceId`;

const answer = ({ resource: shown, set }: ResourceOfSet, context: Context): Answer =>
  versioned(resourceVersion(shown), wireResource(set.id, shown, context));

const listRoute = (ports: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listResourceSetResources',
    method: 'GET',
    url: collection,
    summary: 'List all resource set resources',
    params: SetParams,
    query: { after: cursor('Cursor of the next page.'), limit: limit({ default: 100, maximum: 1_000 }) },
    response: { status: 200, schema: ResourceListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const { links, rows, set } = await listResources(ports, context, params.resourceSetIdOrLabel, query, rawQuery);
      const address = setAddress(set.id, context);
      const next = nextAddress(`${address}/resources`, links);
      return ok({
        resources: rows.map((row) => wireResource(set.id, row, context)),
        _links: { 'resource-set': { href: address }, ...(next === null ? {} : { next: { href: next } }) },
      });
    },
  });

const addRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'addResourceSetResource',
    method: 'POST',
    url: collection,
    summary: 'Add a resource set resource with conditions',
    params: SetParams,
    body: AddResourceBody,
    response: { status: 200, schema: ResourceSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, params, body }) => {
      const added = await addResource(work, context, params.resourceSetIdOrLabel, body);
      return answer(added, context);
    },
  });

const addAllRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'addResourceSetResources',
    bodyLimit: BODY_LIMIT,
    method: 'PATCH',
    url: collection,
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

const getRoute = ({ db }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getResourceSetResource',
    method: 'GET',
    url: resource,
    summary: 'Retrieve a resource set resource',
    params: ResourceParams,
    response: { status: 200, schema: ResourceSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const found = await getResource(db, context, params.resourceSetIdOrLabel, params.resourceId);
      return answer(found, context);
    },
  });

const replaceRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceResourceSetResource',
    method: 'PUT',
    url: resource,
    summary: 'Replace the conditions of a resource set resource',
    params: ResourceParams,
    body: ReplaceResourceBody,
    response: { status: 200, schema: ResourceSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params: { resourceId, resourceSetIdOrLabel }, body }) => {
      const replaced = await replaceResource(work, context, resourceSetIdOrLabel, resourceId, body.conditions);
      return answer(replaced, context);
    },
  });

const deleteRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteResourceSetResource',
    method: 'DELETE',
    url: resource,
    summary: 'Delete a resource set resource',
    params: ResourceParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteResource(work, context, params.resourceSetIdOrLabel, params.resourceId);
      return noContent();
    },
  });

/** Routes for the resources in a set (contract section 14). */
export const resourceRoutes = (ports: ResourceSetRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  addRoute(ports),
  addAllRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
