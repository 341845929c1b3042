import type { Context } from '../../kernel/context.ts';
import { type AnyRoute, paging, resourceRoutes, text } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { createZone, deleteZone, replaceZone } from './change-zones.ts';
import { ZoneBody, ZoneIdParams, ZoneListSchema, ZoneSchema } from './contract.ts';
import { listZones } from './list-zones.ts';
import { changeZoneStatus, getZone } from './resource.ts';
import { wireZone, zoneVersion } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Two lists of up to 5,000 ranges of addresses.',
};

export interface ZoneRoutesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** Describes an object that names the zone, such as a policy rule; null if there is none. */
  readonly zoneUsedBy: (tx: Tx, context: Context, zoneId: string) => Promise<string | null>;
}

const zones = resourceRoutes({
  tag: 'NetworkZone',
  name: 'NetworkZone',
  one: 'a network zone',
  all: 'all network zones',
  scope: 'networkZones',
  url: '/api/v1/zones/:zoneId',
  params: ZoneIdParams,
  schema: ZoneSchema,
  wire: wireZone,
  version: zoneVersion,
});

export const zoneRoutes = (ports: ZoneRoutesPorts): AnyRoute[] => [
  zones.list({
    query: {
      filter: text('A filter expression on id, usage and system.', 8_192),
      ...paging({ default: 200, maximum: 200 }),
    },
    schema: ZoneListSchema,
    use: ({ context, query, rawQuery }) => listZones(ports, context, query, rawQuery),
  }),
  zones.create({
    body: ZoneBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, body }) => createZone(ports.work, context, body),
  }),
  zones.get({
    use: ({ context, params }) => getZone(ports.db, context, params.zoneId),
  }),
  zones.replace({
    body: ZoneBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => replaceZone(ports.work, context, params.zoneId, body),
  }),
  zones.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteZone(ports.work, context, params.zoneId, ports.zoneUsedBy),
  }),
  ...zones.lifecycle({
    use: ({ context, params }, action) => changeZoneStatus(ports.work, context, params.zoneId, action),
  }),
];
