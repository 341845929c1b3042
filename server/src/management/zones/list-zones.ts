import { type FieldTable, fieldTable, readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery } from '../resource/index.ts';
import { readZones, type Zone } from './store.ts';

const ZONE_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: ['eq'] },
  { name: 'usage', type: 'string', operators: ['eq'] },
  { name: 'system', type: 'boolean', operators: ['eq'] },
]);

export interface ListZonesQuery extends PageQuery {
  readonly filter: string | undefined;
}

export async function listZones(
  ports: ListPorts,
  context: Context,
  query: ListZonesQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<Zone>> {
  const filter = query.filter === undefined ? null : readFilter(query.filter, ZONE_FIELDS);
  return pageById(ports, context, 'listNetworkZones', query, rawQuery, (request) =>
    readZones(ports.db, context.orgId, filter, request),
  );
}
