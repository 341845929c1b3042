import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { TrustedOriginStatus } from './lifecycle.ts';
import type { ScopeType, TrustedOriginScope } from './rules.ts';

export interface TrustedOrigin {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly scopes: readonly TrustedOriginScope[];
  readonly status: TrustedOriginStatus;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUpdatedAt: Date;
  readonly lastUpdatedBy: string;
  readonly revision: number;
}

const ORIGINS = columns<TrustedOrigin>('trusted_origins', {
  id: 'key',
  name: 'changes',
  origin: 'changes',
  scopes: 'json',
  status: 'changes',
  createdAt: 'fixed',
  createdBy: 'fixed',
  lastUpdatedAt: 'changes',
  lastUpdatedBy: 'changes',
  revision: 'revision',
});
const COLUMNS = ORIGINS.select();
const INSERT = ORIGINS.insert();
const UPDATE = ORIGINS.update();

export async function findTrustedOrigin(db: Db, orgId: OrgId, id: string): Promise<TrustedOrigin | undefined> {
  const text = `select ${COLUMNS} from trusted_origins where org_id = $1 and id = $2`;
  const [row] = await prepared<TrustedOrigin>(db, 'trusted_origin_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findTrustedOriginForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<TrustedOrigin | undefined> {
  const text = `select ${COLUMNS} from trusted_origins where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<TrustedOrigin>(tx, 'trusted_origin_for_update', text, [orgId, id]);
  return row;
}

/** Whether an origin, as browsers send it, is active and trusted for one of these uses. */
export async function isTrustedOrigin(
  db: Db,
  orgId: OrgId,
  origin: string,
  scopes: readonly ScopeType[],
): Promise<boolean> {
  const text = `select 1 from trusted_origins where org_id = $1 and origin = $2 and status = 'ACTIVE'
    and exists (select from jsonb_array_elements(scopes) scope where scope ->> 'type' = any($3::text[]))`;
  return (await prepared(db, 'trusted_origin_holds', text, [orgId, origin, scopes])).length > 0;
}

/** Counts up to `maximum`. */
export async function countTrustedOrigins(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = `select count(*) as count from (select 1 from trusted_origins where org_id = $1 limit $2) t`;
  const [row] = await prepared<{ count: number }>(tx, 'trusted_origin_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

export async function insertTrustedOrigin(tx: Tx, orgId: OrgId, origin: TrustedOrigin): Promise<void> {
  await prepared(tx, 'trusted_origin_insert', INSERT.text, INSERT.values(orgId, origin));
}

export async function updateTrustedOrigin(tx: Tx, orgId: OrgId, origin: TrustedOrigin): Promise<void> {
  await prepared(tx, 'trusted_origin_update', UPDATE.text, UPDATE.values(orgId, origin));
}

export async function removeTrustedOrigin(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from trusted_origins where org_id = $1 and id = $2';
  await prepared(tx, 'trusted_origin_delete', text, [orgId, id]);
}

export interface TrustedOriginQuery {
  /** Prefix of the name or origin. */
  readonly q: string | null;
  readonly filter: CheckedExpression | null;
}

const filterLeaf = columnLeaves(
  new Map([
    ['name', { value: sql.ref('name') }],
    ['origin', { value: sql.ref('origin') }],
    ['status', { value: sql.ref('status') }],
    ['type', { value: sql`array(select scope ->> 'type' from jsonb_array_elements(scopes) scope)` }],
  ]),
);

/** Reads origins by id, nearest to the key first. */
export async function readTrustedOrigins(
  db: Db,
  orgId: OrgId,
  query: TrustedOriginQuery,
  request: KeysetRequest<string>,
): Promise<TrustedOrigin[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  if (query.q !== null) conditions.push(sql`(starts_with(name, ${query.q}) or starts_with(origin, ${query.q}))`);
  if (query.filter !== null) conditions.push(toSql(query.filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<TrustedOrigin>`select ${sql.raw(COLUMNS)} from trusted_origins
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
