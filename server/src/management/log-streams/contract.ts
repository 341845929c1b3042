import { type Static, Type } from '@sinclair/typebox';
import { LOG_STREAM_STATUSES, type LogStreamStatus } from './lifecycle.ts';
import { LOG_STREAM_TYPES, type LogStreamType } from './settings/settings-rules.ts';

export const LogStreamIdParams = Type.Object({ logStreamId: Type.String() });
export const LogStreamTypeParams = Type.Object({ logStreamType: Type.String() });

const Status = Type.Unsafe<LogStreamStatus>({ type: 'string', enum: [...LOG_STREAM_STATUSES] });
const StreamType = Type.Unsafe<LogStreamType>({ type: 'string', enum: [...LOG_STREAM_TYPES] });
const given = (description: string) => Type.Optional(Type.String({ description }));

const SettingsInputSchema = Type.Object(
  {
    accountId: given('aws_eventbridge: 12 digits.'),
    eventSourceName: given('aws_eventbridge: at most 75 characters.'),
    region: given('aws_eventbridge.'),
    host: given('splunk_cloud_logstreaming: domain name of the instance.'),
    edition: given('splunk_cloud_logstreaming: aws, aws_govcloud or gcp.'),
    token: given('splunk_cloud_logstreaming: token of the HTTP Event Collector; never returned.'),
    url: given('https_ndjson: where batches are sent, at most 1,024 characters.'),
    gzip: Type.Optional(Type.Boolean({ description: 'https_ndjson: bodies are compressed; true by default.' })),
    secret: given('https_ndjson: signs batches, 16 to 1,024 characters; never returned.'),
    maximumMegabytes: Type.Optional(
      Type.Number({ description: 'file_ndjson: from which size on a file is closed, 1 to 1,024; 100 by default.' }),
    ),
    maximumFiles: Type.Optional(
      Type.Number({ description: 'file_ndjson: the oldest beyond are removed, 1 to 1,000; 30 by default.' }),
    ),
  },
  { description: 'Members of the type of the stream.' },
);

export const LogStreamBody = Type.Object({
  name: Type.String({ description: 'Unique in the org; at most 100 characters.' }),
  type: Type.String({ description: `One of ${LOG_STREAM_TYPES.join(', ')}; cannot be changed.` }),
  settings: SettingsInputSchema,
});
export type LogStreamInput = Static<typeof LogStreamBody>;

const { secret: _secret, token: _token, ...shown } = SettingsInputSchema.properties;

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

/** A JSON Schema of the streams of one type. */
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
