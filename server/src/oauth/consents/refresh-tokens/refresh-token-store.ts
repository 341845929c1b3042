import { type RawBuilder, sql } from 'kysely';
import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, keysetRows, run, type Tx } from '../../../platform/postgres/index.ts';
import { liveRefreshTokens, liveRefreshTokensOf } from '../../refresh-tokens/index.ts';

/** A null `userId` means any user. */
export interface TokensOf {
  readonly userId: string | null;
  readonly clientId: ClientId;
  /** An empty string means the org's own server, and null means any server. */
  readonly serverId: string | null;
}

/** A refresh token without its value. */
export interface ShownToken {
  readonly id: string;
  readonly userId: string;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly appId: AppId;
  readonly clientId: ClientId;
  readonly clientLabel: string;
  /** An empty string means the org's own server, which has no name. */
  readonly serverId: string;
  readonly serverName: string | null;
  readonly isDefaultServer: boolean;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly expiresAt: Date;
}

const COLUMNS = `t.id, t.user_id as "userId", t.login, t.user_profile ->> 'firstName' as "firstName",
  t.user_profile ->> 'lastName' as "lastName", t.app_id as "appId",
  t.client_id as "clientId", t.client_label as "clientLabel",
  t.server_id as "serverId", t.server_name as "serverName", t.is_default_server as "isDefaultServer", t.scopes,
  t.created_at as "createdAt", t.last_updated_at as "lastUpdatedAt",
  least(t.idle_expires_at, t.expires_at) as "expiresAt"`;

/** Callers may append conditions to this query. */
function listOf(orgId: OrgId, { clientId, serverId, userId }: TokensOf, now: Date): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [
    sql`t.client_id = ${clientId}`,
    sql`least(t.idle_expires_at, t.expires_at) > ${now}`,
  ];
  if (userId !== null) conditions.push(sql`t.user_id = ${userId}`);
  if (serverId !== null) conditions.push(sql`t.server_id = ${serverId}`);
  return sql`select ${sql.raw(COLUMNS)} from ${liveRefreshTokensOf(orgId)} t where ${sql.join(conditions, sql` and `)}`;
}

export function readTokens(
  db: Db,
  orgId: OrgId,
  of: TokensOf,
  now: Date,
  request: KeysetRequest<string>,
): Promise<ShownToken[]> {
  return keysetRows<ShownToken>(db, listOf(orgId, of, now), 't.id', request);
}

export interface HoldingClient {
  readonly clientId: ClientId;
  readonly clientLabel: string;
  readonly scopes: readonly string[];
  /** The creation time of the client's earliest token. */
  readonly createdAt: Date;
}

/** Reads at most `atMost` tokens. */
export function findHoldingClients(
  db: Db,
  orgId: OrgId,
  userId: string,
  now: Date,
  atMost: number,
): Promise<HoldingClient[]> {
  const text = `select h.client_id as "clientId", h.client_label as "clientLabel", min(h.created_at) as "createdAt",
      coalesce((select jsonb_agg(distinct scope)
        from unnest(array_agg(h.scopes)) as held, jsonb_array_elements_text(held) as scope), '[]') as scopes
    from (select t.client_id, t.client_label, t.created_at, t.scopes from ${liveRefreshTokens('$1')} t
      where t.user_id = $2 and least(t.idle_expires_at, t.expires_at) > $3 limit $4::integer) h
    group by h.client_id, h.client_label`;
  return run<HoldingClient>(db, text, [orgId, userId, now, atMost]);
}

export async function findToken(
  db: Db,
  orgId: OrgId,
  of: TokensOf,
  id: string,
  now: Date,
): Promise<ShownToken | undefined> {
  const result = await sql<ShownToken>`${listOf(orgId, of, now)} and t.id = ${id}`.execute(db);
  return result.rows[0];
}

/** Ends the selected tokens or, if `id` is set, only the token with that id. */
export async function removeTokens(
  tx: Tx,
  orgId: OrgId,
  { clientId, serverId, userId }: TokensOf,
  id: string | null = null,
): Promise<number> {
  const text = `delete from refresh_tokens where org_id = $1 and client_id = $2 and ($3::text is null or user_id = $3)
    and ($4::text is null or server_id = $4) and ($5::text is null or id = $5) returning 1 as removed`;
  return (await run(tx, text, [orgId, clientId, userId, serverId, id])).length;
}

export interface WithdrawnScope {
  readonly clientId: ClientId;
  readonly serverId: string;
  readonly scope: string;
}

export interface EndedToken {
  readonly id: string;
  readonly clientId: ClientId;
  readonly serverId: string;
}

/**
 * Ends the refresh tokens and unused codes of a user if they have a withdrawn scope. The codes come first, because
 * deleting them waits for a redemption in progress, whose refresh token is then found.
 */
export async function endTokensWith(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  withdrawn: readonly WithdrawnScope[],
): Promise<EndedToken[]> {
  const meant = (table: string): string => `from ${table} t
    using jsonb_to_recordset($3::jsonb) as w ("clientId" text, "serverId" text, scope text)
    where t.org_id = $1 and t.user_id = $2 and t.client_id = w."clientId" and t.server_id = w."serverId"
      and t.scopes ? w.scope`;
  const values = [orgId, userId, JSON.stringify(withdrawn)];
  await run(tx, `delete ${meant('authorization_codes')} and t.used_at is null`, values);
  const returned = 'returning t.id, t.client_id as "clientId", t.server_id as "serverId"';
  return run<EndedToken>(tx, `delete ${meant('refresh_tokens')} ${returned}`, values);
}
