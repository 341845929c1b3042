import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  nextAddress,
  noContent,
  ok,
  route,
  versioned,
} from '../../platform/http/index.ts';
import { createResourceSet, deleteResourceSet, replaceResourceSet } from './change-resource-set.ts';
import { CreateSetBody, ReplaceSetBody, SetListSchema, SetParams, SetSchema } from './contract.ts';
import { getResourceSet, listResourceSets } from './get-resource-set.ts';
import { resourceRoutes } from './resources/resource-routes.ts';
import { collection, managing, type ResourceSetRoutesPorts, reading, single } from './route-declarations.ts';
import type { ResourceSet } from './store.ts';
import { resourceSetVersion, wireResourceSet } from './wire.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

const tag = 'RoleCResourceSet';

const answer = (resourceSet: ResourceSet, context: Context): Answer =>
  versioned(resourceSetVersion(resourceSet), wireResourceSet(resourceSet, context));

const listRoute = (ports: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listResourceSets',
    method: 'GET',
    url: collection,
    summary: 'List all resource sets',
    query: { after: cursor('Cursor of the next page.') },
    response: { status: 200, schema: SetListSchema },
    errors: ['E0000001'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listResourceSets(ports, context, query.after, rawQuery);
      const next = nextAddress(`${context.baseUrl}${collection}`, links);
      const sets = rows.map((set) => wireResourceSet(set, context));
      const self = { href: `${context.baseUrl}${(context.url ?? collection).replace(/\?$/, '')}` };
      return ok({ 'resource-sets': sets, _links: next === null ? { self } : { self, next: { href: next } } });
    },
  });

const createRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createResourceSet',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create a resource set',
    body: CreateSetBody,
    idempotent: true,
    response: { status: 200, schema: SetSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(await createResourceSet(work, context, body), context),
  });

const getRoute = ({ db }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getResourceSet',
    method: 'GET',
    url: single,
    summary: 'Retrieve a resource set',
    params: SetParams,
    response: { status: 200, schema: SetSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      answer(await getResourceSet(db, context, params.resourceSetIdOrLabel), context),
  });

const replaceRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceResourceSet',
    method: 'PUT',
    url: single,
    summary: 'Replace a resource set',
    params: SetParams,
    body: ReplaceSetBody,
    response: { status: 200, schema: SetSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(await replaceResourceSet(work, context, params.resourceSetIdOrLabel, body), context),
  });

const deleteRoute = ({ work }: ResourceSetRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteResourceSet',
    method: 'DELETE',
    url: single,
    summary: 'Delete a resource set',
    params: SetParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteResourceSet(work, context, params.resourceSetIdOrLabel);
      return noContent();
    },
  });

export const resourceSetRoutes = (ports: ResourceSetRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  ...resourceRoutes(ports),
];
