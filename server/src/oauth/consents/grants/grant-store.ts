import { type RawBuilder, sql } from 'kysely';
import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, keysetRows, prepared, run, type Tx } from '../../../platform/postgres/index.ts';

export interface GrantsOf {
  readonly userId: string;
  /** Null means any client. */
  readonly clientId: ClientId | null;
}

export interface UserGrant {
  readonly id: string;
  readonly userId: string;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly appId: AppId;
  readonly clientId: ClientId;
  readonly clientLabel: string;
  readonly serverId: string;
  readonly serverName: string;
  readonly isDefaultServer: boolean;
  readonly scopeId: string;
  readonly scopeName: string;
  readonly scopeDisplayName: string | null;
  readonly scopeDescription: string | null;
  readonly source: 'END_USER' | 'ADMIN';
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

const COLUMNS = `c.id, c.user_id as "userId", c.login, c.user_profile ->> 'firstName' as "firstName",
  c.user_profile ->> 'lastName' as "lastName", c.app_id as "appId",
  c.client_id as "clientId", c.client_label as "clientLabel",
  c.server_id as "serverId", c.server_name as "serverName", c.is_default_server as "isDefaultServer",
  c.scope_id as "scopeId", c.scope_name as "scopeName", c.scope_display_name as "scopeDisplayName",
  c.scope_description as "scopeDescription", c.source, c.created_by as "createdBy", c.created_at as "createdAt",
  c.last_updated_at as "lastUpdatedAt"`;

export async function findGrant(db: Db, orgId: OrgId, userId: string, id: string): Promise<UserGrant | undefined> {
  const text = `select ${COLUMNS} from live_consents c
    where c.org_id = $1 and c.user_id = $2 and c.id = $3 and c.decision = 'GRANTED'`;
  const [row] = await prepared<UserGrant>(db, 'user_grant', text, [orgId, userId, id]);
  return row;
}

export function readGrants(
  db: Db,
  orgId: OrgId,
  { clientId, scopeId, userId }: GrantsOf & { readonly scopeId: string | null },
  request: KeysetRequest<string>,
): Promise<UserGrant[]> {
  const conditions: RawBuilder<unknown>[] = [
    sql`c.org_id = ${orgId}`,
    sql`c.user_id = ${userId}`,
    sql`c.decision = 'GRANTED'`,
  ];
  if (clientId !== null) conditions.push(sql`c.client_id = ${clientId}`);
  if (scopeId !== null) conditions.push(sql`c.scope_id = ${scopeId}`);
  const list = sql`select ${sql.raw(COLUMNS)} from live_consents c where ${sql.join(conditions, sql` and `)}`;
  return keysetRows<UserGrant>(db, list, 'c.id', request);
}

/** Null means any client or any grant. */
export interface GrantFilter {
  readonly userId: string;
  readonly clientId: ClientId | null;
  readonly id: string | null;
}

export async function lockGrants(tx: Tx, orgId: OrgId, filter: GrantFilter): Promise<UserGrant[]> {
  const which = `c.org_id = $1 and c.user_id = $2 and ($3::text is null or c.client_id = $3)
    and ($4::text is null or c.id = $4) and c.decision = 'GRANTED' order by c.id`;
  const values = [orgId, filter.userId, filter.clientId, filter.id];
  const [, grants] = await Promise.all([
    run(tx, `select 1 as locked from user_consents c where ${which} for update`, values),
    run<UserGrant>(tx, `select ${COLUMNS} from live_consents c where ${which}`, values),
  ]);
  return grants;
}
