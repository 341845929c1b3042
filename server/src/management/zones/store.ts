import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
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

/** Columns in the spelling of Zone, so that a row needs no mapping. */
const COLUMNS = `id, type, name, status, usage, system, document, created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

export async function findZone(db: Db, orgId: OrgId, id: string): Promise<Zone | undefined> {
  const text = `select ${COLUMNS} from network_zones where org_id = $1 and id = $2`;
  const [row] = await prepared<Zone>(db, 'zone_by_id', text, [orgId, id]);
  return row;
}

/** Locks a zone that something is about to name, so that it is not deleted meanwhile. False when there is none. */
export async function lockZoneForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<boolean> {
  const text = 'select id from network_zones where org_id = $1 and id = $2 for key share';
  return (await prepared(tx, 'zone_hold', text, [orgId, id])).length > 0;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findZoneForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<Zone | undefined> {
  const text = `select ${COLUMNS} from network_zones where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<Zone>(tx, 'zone_for_update', text, [orgId, id]);
  return row;
}

/** Counts up to `maximum`. */
export async function countZones(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = `select count(*) as count from (select 1 from network_zones where org_id = $1 limit $2) t`;
  const [row] = await prepared<{ count: number }>(tx, 'zone_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

/** Counts the proxies of all zones but one. */
export async function countProxies(tx: Tx, orgId: OrgId, exceptId: string): Promise<number> {
  const text = `select coalesce(sum(jsonb_array_length(
      case jsonb_typeof(document -> 'proxies') when 'array' then document -> 'proxies' else '[]' end)), 0)::int as count
    from network_zones where org_id = $1 and id <> $2`;
  const [row] = await prepared<{ count: number }>(tx, 'zone_proxies_count', text, [orgId, exceptId]);
  return row?.count ?? 0;
}

export async function insertZone(tx: Tx, orgId: OrgId, zone: Zone): Promise<void> {
  const text = `insert into network_zones
      (org_id, id, type, name, status, usage, system, document, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await prepared(tx, 'zone_insert', text, [
    orgId,
    zone.id,
    zone.type,
    zone.name,
    zone.status,
    zone.usage,
    zone.system,
    JSON.stringify(zone.document),
    zone.createdAt,
    zone.lastUpdatedAt,
  ]);
}

export async function updateZone(tx: Tx, orgId: OrgId, zone: Zone): Promise<void> {
  const text = `update network_zones set name = $3, status = $4, usage = $5, document = $6, last_updated_at = $7,
      revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'zone_update', text, [
    orgId,
    zone.id,
    zone.name,
    zone.status,
    zone.usage,
    JSON.stringify(zone.document),
    zone.lastUpdatedAt,
  ]);
}

export async function removeZone(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'zone_delete', 'delete from network_zones where org_id = $1 and id = $2', [orgId, id]);
}

/** Reads the active zones of an org, with which addresses are compared. */
export async function readActiveZones(db: Db, orgId: OrgId, maximum: number): Promise<readonly Zone[]> {
  const text = `select ${COLUMNS} from network_zones where org_id = $1 and status = 'ACTIVE' order by id limit $2`;
  return prepared<Zone>(db, 'zones_active', text, [orgId, maximum]);
}

const filterLeaf = columnLeaves(
  new Map([
    ['id', { value: sql.ref('id') }],
    ['usage', { value: sql.ref('usage') }],
    ['system', { value: sql.ref('system') }],
  ]),
);

/** Reads zones by id, nearest to the key first. */
export async function readZones(
  db: Db,
  orgId: OrgId,
  filter: CheckedExpression | null,
  request: KeysetRequest<string>,
): Promise<Zone[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  if (filter !== null) conditions.push(toSql(filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<Zone>`select ${sql.raw(COLUMNS)} from network_zones
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
