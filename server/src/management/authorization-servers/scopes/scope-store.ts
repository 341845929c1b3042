import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../../filter/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { ScopeValues } from './scope-rules.ts';

export interface ServerScope extends ScopeValues {
  readonly id: string;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of ServerScope, so that a row needs no mapping. */
const COLUMNS = `id, name, display_name as "displayName", description, is_system as "isSystem",
  metadata_publish as "metadataPublish", consent, is_optional as "isOptional", is_default as "isDefault",
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findScope(db: Db, orgId: OrgId, serverId: string, id: string): Promise<ServerScope | undefined> {
  const text = `select ${COLUMNS} from authorization_server_scopes where org_id = $1 and server_id = $2 and id = $3`;
  const [row] = await prepared<ServerScope>(db, 'authorization_server_scope_by_id', text, [orgId, serverId, id]);
  return row;
}

export async function findScopeForUpdate(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  id: string,
): Promise<ServerScope | undefined> {
  const text = `select ${COLUMNS} from authorization_server_scopes
    where org_id = $1 and server_id = $2 and id = $3 for update`;
  const [row] = await prepared<ServerScope>(tx, 'authorization_server_scope_for_update', text, [orgId, serverId, id]);
  return row;
}

/** Reads all scopes of a server, by name. */
export function readServerScopes(db: Db, orgId: OrgId, serverId: string): Promise<ServerScope[]> {
  const text = `select ${COLUMNS} from authorization_server_scopes where org_id = $1 and server_id = $2 order by name`;
  return prepared<ServerScope>(db, 'authorization_server_scopes', text, [orgId, serverId]);
}

/** Finds for which of these names the server has a scope. */
export async function findScopeNames(
  db: Db,
  orgId: OrgId,
  serverId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = `select name from authorization_server_scopes
    where org_id = $1 and server_id = $2 and name = any($3::text[])`;
  const rows = await run<Pick<ServerScope, 'name'>>(db, text, [orgId, serverId, names]);
  return new Set(rows.map(({ name }) => name));
}

/** Counts under the server's lock. */
export async function countScopes(tx: Tx, orgId: OrgId, serverId: string): Promise<number> {
  const text = 'select count(*)::int as count from authorization_server_scopes where org_id = $1 and server_id = $2';
  const [row] = await run<{ count: number }>(tx, text, [orgId, serverId]);
  return row?.count ?? 0;
}

/** Inserts all scopes in one statement. */
export async function insertScopes(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  scopes: readonly ServerScope[],
): Promise<void> {
  const text = `insert into authorization_server_scopes (org_id, server_id, id, name, display_name, description,
      is_system, metadata_publish, consent, is_optional, is_default, created_at, last_updated_at)
    select $1, $2, d.id, d.name, d."displayName", d.description, d."isSystem", d."metadataPublish", d.consent,
      d."isOptional", d."isDefault", d."createdAt", d."lastUpdatedAt"
    from jsonb_to_recordset($3::jsonb) as d (id text, name text, "displayName" text, description text,
      "isSystem" boolean, "metadataPublish" text, consent text, "isOptional" boolean, "isDefault" boolean,
      "createdAt" timestamptz, "lastUpdatedAt" timestamptz)`;
  await prepared(tx, 'authorization_server_scopes_insert', text, [orgId, serverId, JSON.stringify(scopes)]);
}

/** Renaming a scope makes it another one, which earlier tokens do not have. */
export async function updateScope(tx: Tx, orgId: OrgId, serverId: string, scope: ServerScope): Promise<void> {
  const text = `update authorization_server_scopes
    set name = $4, display_name = $5, description = $6, metadata_publish = $7, consent = $8, is_optional = $9,
      is_default = $10, last_updated_at = $11, revision = revision + 1,
      valid_after = case when name = $4 then valid_after else clock_timestamp() end
    where org_id = $1 and server_id = $2 and id = $3`;
  await prepared(tx, 'authorization_server_scope_update', text, [
    orgId,
    serverId,
    scope.id,
    scope.name,
    scope.displayName,
    scope.description,
    scope.metadataPublish,
    scope.consent,
    scope.isOptional,
    scope.isDefault,
    scope.lastUpdatedAt,
  ]);
}

export async function removeScope(tx: Tx, orgId: OrgId, serverId: string, id: string): Promise<void> {
  const text = 'delete from authorization_server_scopes where org_id = $1 and server_id = $2 and id = $3';
  await prepared(tx, 'authorization_server_scope_delete', text, [orgId, serverId, id]);
}

export interface ScopeQuery {
  /** Part of the name, ignoring case. */
  readonly q: string | null;
  readonly filter: CheckedExpression | null;
}

const filterLeaf = columnLeaves(
  new Map([
    ['name', { value: sql.ref('name') }],
    ['displayName', { value: sql.ref('display_name') }],
    ['consent', { value: sql.ref('consent') }],
    ['metadataPublish', { value: sql.ref('metadata_publish') }],
    ['system', { value: sql.ref('is_system') }],
    ['default', { value: sql.ref('is_default') }],
    ['optional', { value: sql.ref('is_optional') }],
  ]),
);

/** Reads scopes by id, nearest to the key first. */
export async function readScopes(
  db: Db,
  orgId: OrgId,
  serverId: string,
  query: ScopeQuery,
  request: KeysetRequest<string>,
): Promise<ServerScope[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`, sql`server_id = ${serverId}`];
  if (query.q !== null) conditions.push(sql`strpos(lower(name), ${query.q.toLowerCase()}) > 0`);
  if (query.filter !== null) conditions.push(toSql(query.filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<ServerScope>`select ${sql.raw(COLUMNS)} from authorization_server_scopes
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
