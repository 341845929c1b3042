import { type AnyRoute, cursor, linksInBody, resourceRoutes } from '../../platform/http/index.ts';
import { createResourceSet, deleteResourceSet, replaceResourceSet } from './change-resource-set.ts';
import { CreateSetBody, ReplaceSetBody, SetListSchema, SetParams, SetSchema } from './contract.ts';
import { getResourceSet, listResourceSets } from './get-resource-set.ts';
import { resourceOfSetRoutes } from './resources/resource-routes.ts';
import { BODY_LIMIT, type ResourceSetRoutesPorts, setsPath, setUrl } from './route-declarations.ts';
import { resourceSetVersion, wireResourceSet } from './wire.ts';

const sets = resourceRoutes({
  tag: 'RoleCResourceSet',
  name: 'ResourceSet',
  one: 'a resource set',
  all: 'all resource sets',
  scope: 'roles',
  url: setUrl,
  params: SetParams,
  schema: SetSchema,
  wire: wireResourceSet,
  version: resourceSetVersion,
});

export const resourceSetRoutes = (ports: ResourceSetRoutesPorts): AnyRoute[] => [
  sets.list({
    query: { after: cursor('The cursor of the next page, from a `next` link.') },
    schema: SetListSchema,
    use: ({ context, query, rawQuery }) => listResourceSets(ports, context, query.after, rawQuery),
    envelope: (items, { links }, context) => ({
      'resource-sets': items,
      _links: linksInBody(context, setsPath, links),
    }),
  }),
  sets.create({
    body: CreateSetBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, body }) => createResourceSet(ports.work, context, body),
  }),
  sets.get({
    use: ({ context, params }) => getResourceSet(ports.db, context, params.resourceSetIdOrLabel),
  }),
  sets.replace({
    body: ReplaceSetBody,
    use: ({ context, params, body }) => replaceResourceSet(ports.work, context, params.resourceSetIdOrLabel, body),
  }),
  sets.delete({
    errors: ['E0000006'],
    use: ({ context, params }) => deleteResourceSet(ports.work, context, params.resourceSetIdOrLabel),
  }),
  ...resourceOfSetRoutes(ports),
];
