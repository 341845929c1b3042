import { type FieldTable, fieldTable, readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { readZones, type Zone } from './store.ts';

/** Fields by which the list can be filtered (contract section 14). */
const ZONE_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: ['eq'] },
  { name: 'usage', type: 'string', operators: ['eq'] },
  { name: 'system', type: 'boolean', operators: ['eq'] },
]);

export interface ListZonesQuery {
  readonly filter: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's zones, by id. 400 E0000053 or E0000031 for the filter, E0000001 for a cursor. */
export async function listZones(
  ports: { db: Db; cursors: CursorCodec },
  context: Context,
  query: ListZonesQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<Zone>> {
  const { limit, after, before } = query;
  const filter = query.filter === undefined ? null : readFilter(query.filter, ZONE_FIELDS);
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listNetworkZones', limit, after, before, query: rawQuery },
    (zone: Zone) => zone.id,
    (request) => readZones(ports.db, context.orgId, filter, request),
  );
}
