import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../platform/http/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeZoneStatus, createZone, deleteZone, getZone, replaceZone } from './change-zones.ts';
import { ZoneBody, ZoneIdParams, ZoneListSchema, ZoneSchema } from './contract.ts';
import type { ZoneAction } from './lifecycle.ts';
import { listZones } from './list-zones.ts';
import type { Zone } from './store.ts';
import { wireZone, zoneVersion } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Two lists of up to 5,000 ranges of addresses.',
};

export interface ZoneRoutesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** Returns the object that names the zone, such as a rule of a policy, or null. */
  readonly zoneUsedBy: (tx: Tx, context: Context, zoneId: string) => Promise<string | null>;
}

const common = { tag: 'NetworkZone', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['networkZones.read'], permission: 'networkZones.read' } as const;
const managing = { ...common, scopes: ['networkZones.manage'], permission: 'networkZones.manage' } as const;
const collection = '/api/v1/zones';
const single = `${collection}/:zoneId`;

const answer = (zone: Zone, context: Context): Answer => versioned(zoneVersion(zone), wireZone(zone, context));

const listRoute = (ports: ZoneRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listNetworkZones',
    method: 'GET',
    url: collection,
    summary: 'List all network zones',
    query: {
      filter: text('Filter expression on id, usage and system.', 8_192),
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: ZoneListSchema },
    errors: ['E0000001', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listZones(ports, context, query, rawQuery);
      return page(
        rows.map((zone) => wireZone(zone, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: ZoneRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createNetworkZone',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create a network zone',
    body: ZoneBody,
    idempotent: true,
    response: { status: 200, schema: ZoneSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => {
      const zone = await createZone(work, context, body);
      return answer(zone, context);
    },
  });

const getRoute = ({ db }: ZoneRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getNetworkZone',
    method: 'GET',
    url: single,
    summary: 'Retrieve a network zone',
    params: ZoneIdParams,
    response: { status: 200, schema: ZoneSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getZone(db, context, params.zoneId), context),
  });

const replaceRoute = ({ work }: ZoneRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceNetworkZone',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace a network zone',
    params: ZoneIdParams,
    body: ZoneBody,
    response: { status: 200, schema: ZoneSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const zone = await replaceZone(work, context, params.zoneId, body);
      return answer(zone, context);
    },
  });

const deleteRoute = ({ work, zoneUsedBy }: ZoneRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteNetworkZone',
    method: 'DELETE',
    url: single,
    summary: 'Delete a network zone',
    params: ZoneIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteZone(work, context, params.zoneId, zoneUsedBy);
      return noContent();
    },
  });

const lifecycleRoute = (
  { work }: ZoneRoutesPorts,
  action: ZoneAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: ZoneIdParams,
    response: { status: 200, schema: ZoneSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      const zone = await changeZoneStatus(work, context, params.zoneId, action);
      return answer(zone, context);
    },
  });

export const zoneRoutes = (ports: ZoneRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateNetworkZone', 'Activate a network zone'),
  lifecycleRoute(ports, 'deactivate', 'deactivateNetworkZone', 'Deactivate a network zone'),
];
