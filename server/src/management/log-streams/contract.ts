import { type Static, Type } from '@sinclair/typebox';
import { LOG_STREAM_STATUSES, type LogStreamStatus } from './lifecycle.ts';
import { secretMember } from './settings/settings-rules.ts';
import { LOG_STREAM_TYPES, type LogStreamType, SettingsInputSchema } from './settings/stream-types-rules.ts';

export const LogStreamIdParams = Type.Object({ logStreamId: Type.String() });
export const LogStreamTypeParams = Type.Object({ logStreamType: Type.String() });

const Status = Type.Unsafe<LogStreamStatus>({ type: 'string', enum: [...LOG_STREAM_STATUSES] });
const StreamType = Type.Unsafe<LogStreamType>({ type: 'string', enum: [...LOG_STREAM_TYPES] });

export const LogStreamBody = Type.Object({
  name: Type.String({ description: 'It is unique in the org and has at most 100 characters.' }),
  type: Type.String({
    description: `The type, which never changes: ${LOG_STREAM_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
  }),
  settings: SettingsInputSchema,
});
export type LogStreamInput = Static<typeof LogStreamBody>;

const SECRETS: ReadonlySet<string | null> = new Set(LOG_STREAM_TYPES.map(secretMember));
const shown = Object.fromEntries(
  Object.entries(SettingsInputSchema.properties).filter(([member]) => !SECRETS.has(member)),
);

export const LogStreamSchema = Type.Object({
  id: Type.String(),
  type: StreamType,
  name: Type.String(),
  status: Status,
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  settings: Type.Object(shown, { additionalProperties: false }),
  _links: Type.Record(Type.String(), Type.Object({ href: Type.String(), method: Type.String() })),
});

export const LogStreamListSchema = Type.Array(LogStreamSchema);

export const LogStreamSchemaDocument = Type.Object({
  $schema: Type.String(),
  $id: Type.String(),
  id: Type.String(),
  title: Type.String(),
  type: Type.String(),
  properties: Type.Record(Type.String(), Type.Unknown()),
  required: Type.Array(Type.String()),
  errorMessage: Type.Record(Type.String(), Type.Unknown()),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

export const LogStreamSchemaDocumentList = Type.Array(LogStreamSchemaDocument);
