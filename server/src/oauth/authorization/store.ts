import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { prepared, type Tx } from '../../platform/postgres/index.ts';

/** Records that the user of a locked session has signed in to an app. */
export async function insertSessionClient(
  tx: Tx,
  orgId: OrgId,
  given: {
    readonly sessionExternalId: string;
    readonly clientId: ClientId;
    readonly serverId: string;
    /** The base URL of the issuer that the app's ID tokens name. */
    readonly baseUrl: string;
    readonly createdAt: Date;
  },
): Promise<void> {
  const text = `insert into session_clients (org_id, session_external_id, client_id, server_id, base_url, created_at)
    values ($1, $2, $3, $4, $5, $6) on conflict (org_id, session_external_id, client_id, server_id)
    do update set base_url = excluded.base_url
      where session_clients.org_id = excluded.org_id and session_clients.base_url is distinct from excluded.base_url`;
  const { baseUrl, clientId, createdAt, serverId, sessionExternalId } = given;
  const values = [orgId, sessionExternalId, clientId, serverId, baseUrl, createdAt];
  await prepared(tx, 'session_client_insert', text, values);
}

export async function moveSessionClient(
  tx: Tx,
  orgId: OrgId,
  {
    baseUrl,
    clientId,
    serverId,
    sessionExternalId,
  }: {
    readonly sessionExternalId: string;
    readonly clientId: ClientId;
    readonly serverId: string;
    readonly baseUrl: string;
  },
): Promise<void> {
  const text = `update session_clients set base_url = $5
    where org_id = $1 and session_external_id = $2 and client_id = $3 and server_id = $4`;
  await prepared(tx, 'session_client_move', text, [orgId, sessionExternalId, clientId, serverId, baseUrl]);
}

export interface Freshness {
  /** Whether the user authenticated after the request started; false if no request is pending. */
  readonly isForRequest: boolean;
  readonly ageSeconds: number;
}

/** No request has this hash. */
const NO_HASH = Buffer.alloc(0);

/**
 * Compares a session's sign-in with the pending request and measures the age of the sign-in. Uses only the database's
 * clock, because the clocks of processes differ. The caller must have locked the session.
 */
export async function findFreshness(
  tx: Tx,
  orgId: OrgId,
  sessionExternalId: string,
  requestHash: Buffer | null,
): Promise<Freshness> {
  const at = 'coalesce(s.authenticated_at, s.issued_at)';
  const text = `select coalesce(${at} > r.issued_at, false) as "isForRequest",
      extract(epoch from clock_timestamp() - ${at})::float8 as "ageSeconds"
    from sessions s left join authorization_requests r on r.org_id = s.org_id and r.request_hash = $3
    where s.org_id = $1 and s.external_id = $2`;
  // Citus refuses an outer join that cannot match, as with a null here.
  const values = [orgId, sessionExternalId, requestHash ?? NO_HASH];
  const [row] = await prepared<Freshness>(tx, 'session_freshness', text, values);
  if (row === undefined) throw new Error('a locked session was not there');
  return row;
}
