import { type AnyRoute, type CursorCodec, page, paging, rawJson, route, text } from '../platform/http/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import { LogEventsSchema } from './contract.ts';
import { listCheckpoints, wireCheckpoint } from './proof/checkpoints/list-checkpoints.ts';
import { LogCheckpointsSchema } from './proof/contract.ts';
import { type LogReader, readLogPage } from './query/query.ts';
import type { LogReads } from './replicas/log-reads.ts';
import { jsonArray } from './write/json-array.ts';

/**
 * The maximum length of each parameter. A lower limit would hide the log's own error messages for values that are too
 * long.
 */
const LONGEST = 16_384;

/** Returns the route of the System Log (specification 4.4; contract section 9). The handler checks the parameters. */
export const logRoutes = (ports: Omit<LogReader, 'connections'> & { readonly reads: LogReads }): AnyRoute[] => [
  route({
    operationId: 'listLogEvents',
    method: 'GET',
    url: '/api/v1/logs',
    summary: 'List the events of the System Log',
    tag: 'SystemLog',
    access: 'authenticated',
    scopes: ['logs.read'],
    permission: 'logs.read',
    query: {
      since: text('Lists only events that were published at this date-time or later.', LONGEST),
      until: text('Lists only events that were published before this date-time (RFC 3339).', LONGEST),
      after: text('The cursor of a page, from a `next` link.', LONGEST),
      filter: text('A filter expression on any attribute except `published`.', LONGEST),
      q: text('Keywords, all of which must occur in an event.', LONGEST),
      limit: text('The number of events per page, from 0 to 1000. The default is 100.', LONGEST),
      sortOrder: text('The order by time: `ASCENDING` (default) or `DESCENDING`.', LONGEST),
    },
    response: { status: 200, schema: LogEventsSchema },
    errors: ['E0000001', 'E0000009', 'E0000031', 'E0000037', 'E0000053'],
    bucket: 'logs',
    cors: true,
    errorShape: 'log',
    handler: async ({ context, rawQuery }) => {
      const reader = { ...ports, connections: ports.reads.of(context.orgId) };
      const { bodies, links } = await readLogPage(reader, context, rawQuery);
      return rawJson(jsonArray(bodies), { links });
    },
  }),
];

/** Returns the route that lists checkpoints (ADR 0019). */
export const checkpointRoutes = (ports: { readonly db: Db; readonly cursors: CursorCodec }): AnyRoute[] => [
  route({
    operationId: 'listLogCheckpoints',
    method: 'GET',
    url: '/api/v1/logs/checkpoints',
    summary: 'List the signed checkpoints of the System Log',
    tag: 'SystemLog',
    access: 'authenticated',
    scopes: ['logs.read'],
    permission: 'logs.read',
    query: paging({ default: 100, maximum: 1_000 }),
    response: { status: 200, schema: LogCheckpointsSchema },
    errors: ['E0000001', 'E0000037'],
    bucket: 'logs',
    cors: true,
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listCheckpoints(ports, context, query, rawQuery);
      return page(rows.map(wireCheckpoint), links);
    },
  }),
];
