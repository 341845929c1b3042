import { type FieldTable, fieldTable, readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type LogStream, readLogStreams } from './store.ts';

/** Fields by which the list can be filtered (contract section 10). */
const LOG_STREAM_FIELDS: FieldTable = fieldTable([
  { name: 'type', type: 'string', operators: ['eq'] },
  { name: 'status', type: 'string', operators: ['eq'] },
]);

export interface ListLogStreamsQuery {
  readonly filter: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's streams, by id. 400 E0000053 or E0000031 for the filter, E0000001 for a cursor. */
export async function listLogStreams(
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  context: Context,
  query: ListLogStreamsQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<LogStream>> {
  const { limit, after, before } = query;
  const filter = query.filter === undefined ? null : readFilter(query.filter, LOG_STREAM_FIELDS);
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listLogStreams', limit, after, before, query: rawQuery },
    (stream: LogStream) => stream.id,
    (request) => readLogStreams(ports.db, context.orgId, filter, request),
  );
}
