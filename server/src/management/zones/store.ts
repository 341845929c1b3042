import { sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { ZoneType, ZoneUsage } from './contract.ts';
import type { ZoneStatus } from './lifecycle.ts';
import type { ZoneDocument } from './matching/zone-document.ts';

export interface Zone {
  readonly id: string;
  readonly type: ZoneType;
  readonly name: string;
  readonly status: ZoneStatus;
  readonly usage: ZoneUsage;
  readonly system: boolean;
  readonly document: ZoneDocument;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<Zone>('network_zones', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  status: 'changes',
  usage: 'changes',
  system: 'fixed',
  document: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const ZONES = resourceStore('zone', COLUMNS);

/** Returns whether the zone exists, and prevents its deletion until the transaction ends. */
export async function lockZoneForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<boolean> {
  const text = 'select id from network_zones where org_id = $1 and id = $2 for key share';
  return (await prepared(tx, 'zone_hold', text, [orgId, id])).length > 0;
}

export async function countProxies(tx: Tx, orgId: OrgId, exceptId: string): Promise<number> {
  const text = `select coalesce(sum(jsonb_array_length(
      case jsonb_typeof(document -> 'proxies') when 'array' then document -> 'proxies' else '[]' end)), 0)::int as count
    from network_zones where org_id = $1 and id <> $2`;
  const [row] = await prepared<{ count: number }>(tx, 'zone_proxies_count', text, [orgId, exceptId]);
  return row?.count ?? 0;
}

export async function readActiveZones(db: Db, orgId: OrgId, maximum: number): Promise<readonly Zone[]> {
  const text = `select ${COLUMNS.select()} from network_zones
    where org_id = $1 and status = 'ACTIVE' order by id limit $2`;
  return prepared<Zone>(db, 'zones_active', text, [orgId, maximum]);
}

const filterLeaf = columnLeaves(
  new Map([
    ['id', { value: sql.ref('id') }],
    ['usage', { value: sql.ref('usage') }],
    ['system', { value: sql.ref('system') }],
  ]),
);

export const readZones = (
  db: Db,
  orgId: OrgId,
  filter: CheckedExpression | null,
  request: KeysetRequest<string>,
): Promise<Zone[]> => ZONES.readPage(db, orgId, filter === null ? [] : [toSql(filter, filterLeaf)], request);
