import { type AnyRoute, ok, paging, resourceRoutes, route, text } from '../../platform/http/index.ts';
import { type Foundation, sinkRoutes } from '../../system-log/index.ts';
import { createLogStream, type LogStreamsPorts } from './changes/create-stream.ts';
import { replaceLogStream } from './changes/replace-stream.ts';
import {
  LogStreamBody,
  LogStreamIdParams,
  LogStreamListSchema,
  LogStreamSchema,
  LogStreamSchemaDocument,
  LogStreamSchemaDocumentList,
  LogStreamTypeParams,
} from './contract.ts';
import { listLogStreams } from './list-streams.ts';
import { changeLogStreamStatus, deleteLogStream, findLogStreamTarget, getLogStream } from './resource.ts';
import { getLogStreamSchema, logStreamSchemas } from './settings/schema-documents.ts';
import { logStreamVersion, wireLogStream } from './wire.ts';

export interface LogStreamRoutesPorts extends LogStreamsPorts, Pick<Foundation, 'db' | 'cursors'> {}

const url = '/api/v1/logStreams/:logStreamId';
const schemas = '/api/v1/meta/schemas/logStream';
const logStreams = resourceRoutes({
  tag: 'LogStream',
  name: 'LogStream',
  one: 'a log stream',
  all: 'all log streams',
  scope: 'logStreams',
  url,
  params: LogStreamIdParams,
  schema: LogStreamSchema,
  wire: wireLogStream,
  version: logStreamVersion,
});

const listSchemasRoute = (): AnyRoute =>
  route({
    ...logStreams.reading,
    tag: 'Schema',
    operationId: 'listLogStreamSchemas',
    method: 'GET',
    url: schemas,
    summary: 'List the log stream schemas',
    response: { status: 200, schema: LogStreamSchemaDocumentList },
    errors: [],
    handler: async ({ context }) => ok(logStreamSchemas(context)),
  });

const getSchemaRoute = (): AnyRoute =>
  route({
    ...logStreams.reading,
    tag: 'Schema',
    operationId: 'getLogStreamSchema',
    method: 'GET',
    url: `${schemas}/:logStreamType`,
    summary: 'Retrieve the log stream schema for the schema type',
    params: LogStreamTypeParams,
    response: { status: 200, schema: LogStreamSchemaDocument },
    errors: ['E0000007'],
    handler: async ({ context, params }) => ok(getLogStreamSchema(context, params.logStreamType)),
  });

export const logStreamRoutes = (ports: LogStreamRoutesPorts): AnyRoute[] => [
  logStreams.list({
    query: {
      filter: text('A filter expression on type and status.', 8_192),
      ...paging({ default: 20, maximum: 200 }),
    },
    schema: LogStreamListSchema,
    use: ({ context, query, rawQuery }) => listLogStreams(ports, context, query, rawQuery),
  }),
  logStreams.create({
    body: LogStreamBody,
    use: ({ context, body }) => createLogStream(ports, context, body),
  }),
  logStreams.get({
    use: ({ context, params }) => getLogStream(ports.db, context, params.logStreamId),
  }),
  logStreams.replace({
    body: LogStreamBody,
    use: ({ context, params, body }) => replaceLogStream(ports, context, params.logStreamId, body),
  }),
  logStreams.delete({
    use: ({ context, params }) => deleteLogStream(ports.work, context, params.logStreamId),
  }),
  ...logStreams.lifecycle({
    use: ({ context, params }, action) => changeLogStreamStatus(ports.work, context, params.logStreamId, action),
  }),
  listSchemasRoute(),
  getSchemaRoute(),
  ...sinkRoutes({
    db: ports.db,
    work: ports.work,
    cursors: ports.cursors,
    resource: 'LogStream',
    words: 'a log stream',
    path: url,
    idParameter: 'logStreamId',
    tag: logStreams.reading.tag,
    read: 'logStreams.read',
    manage: 'logStreams.manage',
    targetOf: findLogStreamTarget,
  }),
];
