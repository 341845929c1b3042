import { heldRoles } from '../../access/index.ts';
import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { AppId, ClientId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';

/** A client whose app is active. */
export interface LiveClient {
  readonly appId: AppId;
  readonly label: string;
  readonly applicationType: string;
  /** Tokens that were not issued after this time are void. */
  readonly validAfter: Date;
  /** The scopes that are granted to the client, without the namespace word. */
  readonly scopes: readonly string[];
  readonly roles: readonly HeldRole[];
}

/** Returns null if the client does not exist or its app is inactive. */
export async function findLiveClient(db: Db, orgId: string, clientId: ClientId): Promise<LiveClient | null> {
  const text = `select c.id as "appId", c.label, c.application_type as "applicationType", c.valid_after as "validAfter",
      array(select g.scope from app_grants g where g.org_id = $1 and g.app_id = c.id order by g.scope) as scopes,
      ${heldRoles('c.client_id')} as roles
    from apps c where c.org_id = $1 and c.client_id = $2 and c.status = 'ACTIVE'`;
  const [row] = await prepared<LiveClient>(db, 'live_client_by_id', text, [orgId, clientId]);
  return row ?? null;
}

export interface LiveUser {
  readonly login: string;
  readonly displayName: string;
  readonly status: UserStatus;
  /** Tokens that were not issued after this time are void. */
  readonly validAfter: Date;
  readonly roles: readonly HeldRole[];
}

/** Finds a user of any status. */
export async function findLiveUser(db: Db, orgId: string, userId: string): Promise<LiveUser | null> {
  const text = `select u.login, u.status, u.valid_after as "validAfter",
      coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.login) as "displayName",
      ${heldRoles('u.id')} as roles
    from users u where u.org_id = $1 and u.id = $2`;
  const [row] = await prepared<LiveUser>(db, 'live_token_user', text, [orgId, userId]);
  return row ?? null;
}

/** `jtiHash` is the SHA-256 of the token's `jti`. */
export async function isTokenRevoked(db: Db, orgId: string, jtiHash: Buffer): Promise<boolean> {
  const text = 'select 1 as revoked from revoked_tokens where org_id = $1 and jti_hash = $2';
  return (await prepared(db, 'revoked_token', text, [orgId, jtiHash])).length > 0;
}
