import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { AuthorizationServerStatus } from './lifecycle.ts';
import type { IssuerMode, RotationMode } from './servers/server-rules.ts';

export interface AuthorizationServer {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly audiences: readonly string[];
  readonly issuerMode: IssuerMode;
  readonly status: AuthorizationServerStatus;
  /** Whether `default` in a path means this server. */
  readonly isDefault: boolean;
  readonly rotationMode: RotationMode;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of AuthorizationServer, so that a row needs no mapping. */
export const SERVER_COLUMNS = `id, name, description, audiences, issuer_mode as "issuerMode", status,
  is_default as "isDefault", rotation_mode as "rotationMode", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

/** The word that replaces the default server's id in every path. */
const DEFAULT = 'default';

/** Each form of address uses a separate index. */
function readOne<Row>(db: Db, orgId: OrgId, idOrDefault: string, name: string, columns: string): Promise<Row[]> {
  const text = `select ${columns} from authorization_servers where org_id = $1`;
  return idOrDefault === DEFAULT
    ? prepared<Row>(db, `${name}_default`, `${text} and is_default`, [orgId])
    : prepared<Row>(db, `${name}_by_id`, `${text} and id = $2`, [orgId, idOrDefault]);
}

/** Finds a server by its id, or by the word `default`. */
export async function findServer(db: Db, orgId: OrgId, idOrDefault: string): Promise<AuthorizationServer | undefined> {
  const [row] = await readOne<AuthorizationServer>(db, orgId, idOrDefault, 'authorization_server', SERVER_COLUMNS);
  return row;
}

/** Locks the row, so that its checked state is the one that changes, and changes of its parts are serialised. */
export async function findServerForUpdate(
  tx: Tx,
  orgId: OrgId,
  idOrDefault: string,
): Promise<AuthorizationServer | undefined> {
  const text = `select ${SERVER_COLUMNS} from authorization_servers
    where org_id = $1 and (id = $2 or (is_default and $2 = '${DEFAULT}')) for update`;
  const [row] = await prepared<AuthorizationServer>(tx, 'authorization_server_for_update', text, [orgId, idOrDefault]);
  return row;
}

/** Facts about a server that its tokens and documents need. */
export interface AuthorizationServerFacts
  extends Pick<
    AuthorizationServer,
    'id' | 'name' | 'audiences' | 'status' | 'issuerMode' | 'isDefault' | 'rotationMode'
  > {
  /** Path of the issuer after the org's address: `/oauth2/default` or `/oauth2/{id}`. */
  readonly issuerPath: string;
  /** Tokens issued before this time are void. */
  readonly validAfter: Date;
}

const FACTS = `id, name, audiences, status, issuer_mode as "issuerMode", is_default as "isDefault",
  rotation_mode as "rotationMode", valid_after as "validAfter",
  '/oauth2/' || case when is_default then '${DEFAULT}' else id end as "issuerPath"`;

/** Finds a server of any status by its id, or by the word `default`. Null when the org has none of this id. */
export async function findAuthorizationServer(
  db: Db,
  orgId: OrgId,
  idOrDefault: string,
): Promise<AuthorizationServerFacts | null> {
  const [row] = await readOne<AuthorizationServerFacts>(db, orgId, idOrDefault, 'authorization_server_facts', FACTS);
  return row ?? null;
}

/** Counts up to `maximum`. */
export async function countServers(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = 'select count(*)::int as count from (select 1 from authorization_servers where org_id = $1 limit $2) t';
  const [row] = await prepared<{ count: number }>(tx, 'authorization_server_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

/** False when the org has a default server already, which stays as it is. */
export async function insertServer(tx: Tx, orgId: OrgId, server: AuthorizationServer): Promise<boolean> {
  const text = `insert into authorization_servers (org_id, id, name, description, audiences, issuer_mode, status,
      is_default, rotation_mode, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (org_id) where is_default do nothing returning id`;
  const rows = await prepared(tx, 'authorization_server_insert', text, [
    orgId,
    server.id,
    server.name,
    server.description,
    JSON.stringify(server.audiences),
    server.issuerMode,
    server.status,
    server.isDefault,
    server.rotationMode,
    server.createdAt,
    server.lastUpdatedAt,
  ]);
  return rows.length > 0;
}

/** A deactivation voids all tokens issued before, even after the server is active again. */
export async function updateServer(tx: Tx, orgId: OrgId, server: AuthorizationServer): Promise<void> {
  const text = `update authorization_servers
    set name = $3, description = $4, audiences = $5, issuer_mode = $6, status = $7, rotation_mode = $8,
      last_updated_at = $9, revision = revision + 1,
      valid_after = case when status = 'ACTIVE' and $7 = 'INACTIVE' then clock_timestamp() else valid_after end
    where org_id = $1 and id = $2`;
  await prepared(tx, 'authorization_server_update', text, [
    orgId,
    server.id,
    server.name,
    server.description,
    JSON.stringify(server.audiences),
    server.issuerMode,
    server.status,
    server.rotationMode,
    server.lastUpdatedAt,
  ]);
}

/** Its scopes, claims, policies and rules are deleted with it. */
export async function removeServer(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from authorization_servers where org_id = $1 and id = $2';
  await prepared(tx, 'authorization_server_delete', text, [orgId, id]);
}

/** Reads matching servers of an org, by id, nearest to the key first. `q` is part of the name or audience. */
export async function readServers(
  db: Db,
  orgId: OrgId,
  wanted: { readonly q: string | null; readonly also?: readonly RawBuilder<unknown>[] },
  request: KeysetRequest<string>,
): Promise<AuthorizationServer[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`, ...(wanted.also ?? [])];
  if (wanted.q !== null) {
    const part = wanted.q.toLowerCase();
    conditions.push(sql`(strpos(lower(name), ${part}) > 0 or strpos(lower(audiences ->> 0), ${part}) > 0)`);
  }
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<AuthorizationServer>`select ${sql.raw(SERVER_COLUMNS)} from authorization_servers
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
