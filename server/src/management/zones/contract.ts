import { type Static, Type } from '@sinclair/typebox';
import { ZONE_STATUSES, type ZoneStatus } from './lifecycle.ts';

export const ZONE_TYPES = ['IP', 'DYNAMIC', 'DYNAMIC_V2'] as const;
export type ZoneType = (typeof ZONE_TYPES)[number];
export const ZONE_USAGES = ['POLICY', 'BLOCKLIST'] as const;
export type ZoneUsage = (typeof ZONE_USAGES)[number];

export const ZoneIdParams = Type.Object({ zoneId: Type.String() });

const Status = Type.Unsafe<ZoneStatus>({ type: 'string', enum: [...ZONE_STATUSES] });
const TypeOfZone = Type.Unsafe<ZoneType>({ type: 'string', enum: [...ZONE_TYPES] });
const Usage = Type.Unsafe<ZoneUsage>({ type: 'string', enum: [...ZONE_USAGES] });

/** The members that all types of zones have. */
export const ZoneBody = Type.Object(
  {
    type: TypeOfZone,
    name: Type.String({ description: 'It is unique in the org and has at most 128 characters.' }),
    status: Type.Optional(Status),
    usage: Type.Optional(Usage),
  },
  { additionalProperties: true },
);
export type ZoneInput = Static<typeof ZoneBody> & Readonly<Record<string, unknown>>;

export const ZoneSchema = Type.Object(
  {
    type: TypeOfZone,
    id: Type.String(),
    name: Type.String(),
    status: Status,
    usage: Usage,
    created: Type.String({ format: 'date-time' }),
    lastUpdated: Type.String({ format: 'date-time' }),
    system: Type.Boolean(),
    _links: Type.Record(Type.String(), Type.Unknown()),
  },
  { additionalProperties: true },
);

export const ZoneListSchema = Type.Array(ZoneSchema);
