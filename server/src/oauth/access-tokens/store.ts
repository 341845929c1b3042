import { type Db, prepared } from '../../platform/postgres/index.ts';

/** A client whose app is active. */
export interface LiveClient {
  readonly label: string;
  readonly applicationType: string;
  /** Tokens issued before are void. */
  readonly validAfter: Date;
  /** Neutral scopes that are granted to it. */
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
}

/** Null: there is no such client, or its app is not active. */
export async function findLiveClient(db: Db, orgId: string, clientId: string): Promise<LiveClient | null> {
  const text = `select label, application_type as "applicationType", valid_after as "validAfter", scopes, roles
    from live_clients where org_id = $1 and id = $2`;
  const [row] = await prepared<LiveClient>(db, 'live_client_by_id', text, [orgId, clientId]);
  return row ?? null;
}

/** Whether the token of this `jti` (its SHA-256) was revoked. */
export async function isTokenRevoked(db: Db, orgId: string, jtiHash: Buffer): Promise<boolean> {
  const text = 'select 1 as revoked from revoked_tokens where org_id = $1 and jti_hash = $2';
  return (await prepared(db, 'revoked_token', text, [orgId, jtiHash])).length > 0;
}
