import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export interface TokenScope {
  readonly id: string;
  readonly name: string;
  /** Whether this is an OpenID scope. */
  readonly isSystem: boolean;
  /** Whether a request that names no scope gets this one. OpenID scopes also require that the request has a user. */
  readonly isDefault: boolean;
  readonly consent: 'IMPLICIT' | 'REQUIRED' | 'FLEXIBLE';
  /** Whether users may decline the scope and still allow the request. */
  readonly isOptional: boolean;
  readonly metadataPublish: 'ALL_CLIENTS' | 'NO_CLIENTS';
  /** Tokens that were not issued after this time refer to an earlier scope of the same name. */
  readonly validAfter: Date;
}

const COLUMNS = `id, name, is_system as "isSystem", is_default as "isDefault", consent, is_optional as "isOptional",
  metadata_publish as "metadataPublish", valid_after as "validAfter"`;

export function findTokenScopes(db: Db, orgId: OrgId, serverId: string): Promise<TokenScope[]> {
  const text = `select ${COLUMNS} from authorization_server_scopes where org_id = $1 and server_id = $2
    order by is_system desc, name`;
  return prepared<TokenScope>(db, 'token_scopes_of_server', text, [orgId, serverId]);
}

export interface LockedServer {
  readonly server: { readonly status: string; readonly validAfter: Date };
  readonly scopes: readonly TokenScope[];
}

/** Locks a server and then the named scopes, or its default scopes if none are named. */
export async function lockServer(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  names: readonly string[],
): Promise<LockedServer | undefined> {
  const server = `select status, valid_after as "validAfter" from authorization_servers
    where org_id = $1 and id = $2 for share`;
  const scopes = `select ${COLUMNS} from authorization_server_scopes where org_id = $1 and server_id = $2
    and (name = any($3::text[]) or (is_default and cardinality($3::text[]) = 0)) order by name for share`;
  const [[row], found] = await Promise.all([
    prepared<LockedServer['server']>(tx, 'token_server_lock', server, [orgId, serverId]),
    prepared<TokenScope>(tx, 'token_scopes_lock', scopes, [orgId, serverId, names]),
  ]);
  return row === undefined ? undefined : { server: row, scopes: found };
}

/** The time at which a user's consent to a scope was revoked. Tokens that the client got earlier lose the scope. */
export interface ConsentWatermark {
  readonly name: string;
  readonly validAfter: Date;
}

export interface ConsentPlace {
  readonly userId: string;
  readonly clientId: ClientId;
  readonly serverId: string;
}

const WATERMARKS = `select s.name, c.valid_after as "validAfter" from user_consents c
  join authorization_server_scopes s on s.org_id = $1 and s.server_id = c.server_id and s.id = c.scope_id
  where c.org_id = $1 and c.user_id = $2 and c.client_id = $3 and c.server_id = $4 and c.valid_after is not null`;

export function findConsentWatermarks(db: Db, orgId: string, place: ConsentPlace): Promise<ConsentWatermark[]> {
  const { clientId, serverId, userId } = place;
  return prepared<ConsentWatermark>(db, 'consent_watermarks', WATERMARKS, [orgId, userId, clientId, serverId]);
}

/** Locks the consents, so that none is revoked before the transaction ends. */
export async function lockConsentWatermarks(tx: Tx, orgId: OrgId, place: ConsentPlace): Promise<ConsentWatermark[]> {
  const { clientId, serverId, userId } = place;
  const lock = `select 1 as locked from user_consents
    where org_id = $1 and user_id = $2 and client_id = $3 and server_id = $4 order by id for share`;
  const [, watermarks] = await Promise.all([
    prepared(tx, 'token_consents_lock', lock, [orgId, userId, clientId, serverId]),
    findConsentWatermarks(tx, orgId, place),
  ]);
  return watermarks;
}
