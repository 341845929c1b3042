import { type AnyRoute, page, paging, resourceRoutes, route, text } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { MappingIdParams, MappingListSchema, MappingSchema, UpdateMappingBody } from './contract.ts';
import { getMapping, listMappings, mappingVersion, updateMapping } from './mappings.ts';
import { wireListedMapping, wireMapping } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'An expression for each of up to 500 attributes.',
};

export type ProfileMappingRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const mappings = resourceRoutes({
  tag: 'ProfileMapping',
  name: 'ProfileMapping',
  one: 'a profile mapping',
  all: 'all profile mappings',
  scope: 'profileMappings',
  permission: 'schemas',
  url: '/api/v1/mappings/:profileMappingId',
  params: MappingIdParams,
  schema: MappingSchema,
  wire: wireMapping,
  version: mappingVersion,
});

const listRoute = (ports: ProfileMappingRoutesPorts): AnyRoute =>
  route({
    ...mappings.reading,
    operationId: 'listProfileMappings',
    method: 'GET',
    url: '/api/v1/mappings',
    summary: 'List all profile mappings',
    query: {
      sourceId: text('Lists only mappings from the user type, app or identity provider with this id.', 100),
      targetId: text('Lists only mappings to the user type or app with this id.', 100),
      ...paging({ default: 20, maximum: 200 }),
    },
    response: { status: 200, schema: MappingListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { links, rows } = await listMappings(ports, context, query, rawQuery);
      return page(
        rows.map((mapping) => wireListedMapping(mapping, context)),
        links,
      );
    },
  });

export const profileMappingRoutes = (ports: ProfileMappingRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  mappings.get({
    use: ({ context, params }) => getMapping(ports.db, context, params.profileMappingId),
  }),
  mappings.update({
    body: UpdateMappingBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => updateMapping(ports.work, context, params.profileMappingId, body),
  }),
];
