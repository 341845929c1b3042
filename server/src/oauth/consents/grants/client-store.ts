import { type RawBuilder, sql } from 'kysely';
import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, keysetRows } from '../../../platform/postgres/index.ts';
import { liveRefreshTokensOf } from '../../refresh-tokens/index.ts';

export interface ListedClient {
  readonly appId: AppId;
  readonly clientId: ClientId;
  readonly label: string;
  readonly clientUri: string | null;
  readonly logoUri: string | null;
}

const SETTINGS = `a.document -> 'settings' -> 'oauthClient'`;
const COLUMNS = `a.id as "appId", a.client_id as "clientId", a.label,
  ${SETTINGS} ->> 'client_uri' as "clientUri", ${SETTINGS} ->> 'logo_uri' as "logoUri"`;

const clients = (orgId: OrgId, isMeant: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${sql.raw(COLUMNS)} from apps a where a.org_id = ${orgId} and ${isMeant}`;

const hasTime = (now: Date): RawBuilder<unknown> => sql`least(t.idle_expires_at, t.expires_at) > ${now}`;

/** Reads one page of the clients with a grant or refresh token of the user. */
export function readClientsOfUser(
  db: Db,
  orgId: OrgId,
  userId: string,
  now: Date,
  request: KeysetRequest<string>,
): Promise<ListedClient[]> {
  const isMeant = sql`a.id in (
    select c.app_id from live_consents c
    where c.org_id = ${orgId} and c.user_id = ${userId} and c.decision = 'GRANTED'
    union select t.app_id from ${liveRefreshTokensOf(orgId)} t
    where t.user_id = ${userId} and ${hasTime(now)})`;
  return keysetRows<ListedClient>(db, clients(orgId, isMeant), 'a.id', request);
}

/** Looks for one token per client, because a server may have many tokens. */
export function readClientsOfServer(
  db: Db,
  orgId: OrgId,
  serverId: string,
  now: Date,
  request: KeysetRequest<string>,
): Promise<ListedClient[]> {
  const isMeant = sql`a.sign_on_mode = 'OPENID_CONNECT' and (select true from ${liveRefreshTokensOf(orgId)} t
    where t.server_id = ${serverId} and t.client_id = a.client_id and ${hasTime(now)}
    order by t.server_id, t.client_id, t.id limit 1)`;
  return keysetRows<ListedClient>(db, clients(orgId, isMeant), 'a.id', request);
}

export interface EmbeddedScope {
  readonly serverId: string;
  readonly id: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

export async function findEmbeddedScopes(
  db: Db,
  orgId: OrgId,
  serverIds: readonly string[],
  names: readonly string[],
): Promise<EmbeddedScope[]> {
  const result = await sql<EmbeddedScope>`select s.server_id as "serverId", s.id, s.name,
      s.display_name as "displayName", s.description
    from authorization_server_scopes s
    where s.org_id = ${orgId} and s.server_id = any(${serverIds}::text[]) and s.name = any(${names}::text[])`.execute(
    db,
  );
  return result.rows;
}
