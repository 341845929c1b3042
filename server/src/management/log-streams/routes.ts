import type { Context } from '../../kernel/context.ts';
import type { AnyRoute } from '../../platform/http/index.ts';
import { type Answer, cursor, limit, noContent, ok, page, route, text, versioned } from '../../platform/http/index.ts';
import { type Foundation, sinkRoutes } from '../../system-log/index.ts';
import { changeLogStreamStatus } from './changes/change-status.ts';
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
import { deleteLogStream } from './delete-stream.ts';
import { findLogStreamTarget, getLogStream } from './get-stream.ts';
import type { LogStreamAction } from './lifecycle.ts';
import { listLogStreams } from './list-streams.ts';
import { getLogStreamSchema, logStreamSchemas } from './settings/schema-documents.ts';
import type { LogStream } from './store.ts';
import { logStreamVersion, wireLogStream } from './wire.ts';

export interface LogStreamRoutesPorts extends LogStreamsPorts, Pick<Foundation, 'db' | 'cursors'> {}

const common = { tag: 'LogStream', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['logStreams.read'], permission: 'logStreams.read' } as const;
const managing = { ...common, scopes: ['logStreams.manage'], permission: 'logStreams.manage' } as const;
const collection = '/api/v1/logStreams';
const single = `${collection}/:logStreamId`;
const schemas = '/api/v1/meta/schemas/logStream';

const answer = (logStream: LogStream, context: Context): Answer =>
  versioned(logStreamVersion(logStream), wireLogStream(logStream, context));

const listRoute = (ports: LogStreamRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listLogStreams',
    method: 'GET',
    url: collection,
    summary: 'List all log streams',
    query: {
      filter: text('Filter expression on type and status.', 8_192),
      limit: limit({ default: 20, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: LogStreamListSchema },
    errors: ['E0000001', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listLogStreams(ports, context, query, rawQuery);
      return page(
        rows.map((stream) => wireLogStream(stream, context)),
        links,
      );
    },
  });

const createRoute = (ports: LogStreamRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createLogStream',
    method: 'POST',
    url: collection,
    summary: 'Create a log stream',
    body: LogStreamBody,
    idempotent: true,
    response: { status: 200, schema: LogStreamSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(await createLogStream(ports, context, body), context),
  });

const getRoute = ({ db }: LogStreamRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getLogStream',
    method: 'GET',
    url: single,
    summary: 'Retrieve a log stream',
    params: LogStreamIdParams,
    response: { status: 200, schema: LogStreamSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getLogStream(db, context, params.logStreamId), context),
  });

const replaceRoute = (ports: LogStreamRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceLogStream',
    method: 'PUT',
    url: single,
    summary: 'Replace a log stream',
    params: LogStreamIdParams,
    body: LogStreamBody,
    response: { status: 200, schema: LogStreamSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(await replaceLogStream(ports, context, params.logStreamId, body), context),
  });

const deleteRoute = ({ work }: LogStreamRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteLogStream',
    method: 'DELETE',
    url: single,
    summary: 'Delete a log stream',
    params: LogStreamIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteLogStream(work, context, params.logStreamId);
      return noContent();
    },
  });

const statusRoute = (
  { work }: LogStreamRoutesPorts,
  action: LogStreamAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: LogStreamIdParams,
    response: { status: 200, schema: LogStreamSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) =>
      answer(await changeLogStreamStatus(work, context, params.logStreamId, action), context),
  });

const listSchemasRoute = (): AnyRoute =>
  route({
    ...reading,
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
    ...reading,
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

/** The contract's operations, and additional ones for deliveries. */
export const logStreamRoutes = (ports: LogStreamRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  statusRoute(ports, 'activate', 'activateLogStream', 'Activate a log stream'),
  statusRoute(ports, 'deactivate', 'deactivateLogStream', 'Deactivate a log stream'),
  listSchemasRoute(),
  getSchemaRoute(),
  ...sinkRoutes({
    db: ports.db,
    work: ports.work,
    cursors: ports.cursors,
    resource: 'LogStream',
    words: 'a log stream',
    path: single,
    idParameter: 'logStreamId',
    tag: common.tag,
    read: 'logStreams.read',
    manage: 'logStreams.manage',
    targetOf: findLogStreamTarget,
  }),
];
