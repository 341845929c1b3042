import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';

/** An app that the user of a session has signed in to. */
export interface SessionClient {
  readonly sessionExternalId: string;
  readonly userId: string;
  readonly clientId: ClientId;
  /** An empty string means the org's own server. */
  readonly serverId: string;
  /** The base URL of the issuer that the app's ID tokens name; null when unknown. */
  readonly baseUrl: string | null;
}

const RETURNED = `c.session_external_id as "sessionExternalId", s.user_id as "userId", c.client_id as "clientId",
  c.server_id as "serverId", c.base_url as "baseUrl"`;
const WANTS_TO_KNOW = `a.org_id = $1 and a.client_id = c.client_id
  and a.document #>> '{settings,oauthClient,backchannel_logout_uri}' is not null`;

/**
 * Deletes and returns the entries of the clients to notify. Locks the session first, so that it also finds entries that
 * were added while it waited for the lock.
 */
export async function takeClientsOfSession(tx: Tx, orgId: OrgId, idHash: Buffer): Promise<SessionClient[]> {
  const lock = 'select 1 as locked from sessions where org_id = $1 and id_hash = $2 for update';
  const text = `delete from session_clients c using sessions s, apps a
    where c.org_id = $1 and s.org_id = $1 and s.id_hash = $2 and c.session_external_id = s.external_id
      and ${WANTS_TO_KNOW}
    returning ${RETURNED}`;
  const [, clients] = await Promise.all([
    prepared(tx, 'ending_session_lock', lock, [orgId, idHash]),
    prepared<SessionClient>(tx, 'ending_session_clients', text, [orgId, idHash]),
  ]);
  return clients;
}

/** Deletes and returns the entries of the clients to notify. The caller must have locked the user. */
export function takeClientsOfUser(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  which: 'all' | 'void',
): Promise<readonly SessionClient[]> {
  const isOver = `not exists (
    select 1 from live_sessions l where l.org_id = $1 and l.user_id = $2 and l.external_id = s.external_id)`;
  const text = `delete from session_clients c using sessions s, apps a
    where c.org_id = $1 and s.org_id = $1 and s.user_id = $2 and c.session_external_id = s.external_id
      and ${WANTS_TO_KNOW}${which === 'all' ? '' : ` and ${isOver}`}
    returning ${RETURNED}`;
  return run<SessionClient>(tx, text, [orgId, userId]);
}

export async function findLogoutUri(db: Db, orgId: OrgId, clientId: ClientId): Promise<string | undefined> {
  const text = `select document #>> '{settings,oauthClient,backchannel_logout_uri}' as uri from apps
    where org_id = $1 and client_id = $2 and status = 'ACTIVE' and sign_on_mode = 'OPENID_CONNECT'`;
  const [row] = await prepared<{ uri: string | null }>(db, 'client_logout_uri', text, [orgId, clientId]);
  return row?.uri ?? undefined;
}
