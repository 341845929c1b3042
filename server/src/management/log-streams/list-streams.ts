import { type FieldTable, fieldTable, readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery } from '../resource/index.ts';
import { type LogStream, readLogStreams } from './store.ts';

const LOG_STREAM_FIELDS: FieldTable = fieldTable([
  { name: 'type', type: 'string', operators: ['eq'] },
  { name: 'status', type: 'string', operators: ['eq'] },
]);

export interface ListLogStreamsQuery extends PageQuery {
  readonly filter: string | undefined;
}

export async function listLogStreams(
  ports: ListPorts,
  context: Context,
  query: ListLogStreamsQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<LogStream>> {
  const filter = query.filter === undefined ? null : readFilter(query.filter, LOG_STREAM_FIELDS);
  return pageById(ports, context, 'listLogStreams', query, rawQuery, (request) =>
    readLogStreams(ports.db, context.orgId, filter, request),
  );
}
