import { type AnyRoute, cursor, limit, page, route, text, versioned } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { MappingIdParams, MappingListSchema, MappingSchema, UpdateMappingBody } from './contract.ts';
import { getMapping, listMappings, mappingVersion, updateMapping } from './mappings.ts';
import { wireListedMapping, wireMapping } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'An expression for each of up to 500 attributes.',
};

export type ProfileMappingRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const common = { tag: 'ProfileMapping', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['profileMappings.read'], permission: 'schemas.read' } as const;
const managing = { ...common, scopes: ['profileMappings.manage'], permission: 'schemas.manage' } as const;
const collection = '/api/v1/mappings';
const single = `${collection}/:profileMappingId`;

const listRoute = (ports: ProfileMappingRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listProfileMappings',
    method: 'GET',
    url: collection,
    summary: 'List all profile mappings',
    query: {
      sourceId: text('Mappings from this user type, app or identity provider.', 100),
      targetId: text('Mappings to this user type or app.', 100),
      limit: limit({ default: 20, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
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

const getRoute = ({ db }: ProfileMappingRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getProfileMapping',
    method: 'GET',
    url: single,
    summary: 'Retrieve a profile mapping',
    params: MappingIdParams,
    response: { status: 200, schema: MappingSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const mapping = await getMapping(db, context, params.profileMappingId);
      return versioned(mappingVersion(mapping), wireMapping(mapping, context));
    },
  });

const updateRoute = ({ work }: ProfileMappingRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateProfileMapping',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: single,
    summary: 'Update a profile mapping: what is left out stays',
    params: MappingIdParams,
    body: UpdateMappingBody,
    response: { status: 200, schema: MappingSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const mapping = await updateMapping(work, context, params.profileMappingId, body);
      return versioned(mappingVersion(mapping), wireMapping(mapping, context));
    },
  });

/** Routes for mappings between users and the users of apps (contract section 15). */
export const profileMappingRoutes = (ports: ProfileMappingRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  getRoute(ports),
  updateRoute(ports),
];
