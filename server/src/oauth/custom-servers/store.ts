import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

/** A scope of a server, as tokens and documents ask for it. */
export interface TokenScope {
  readonly name: string;
  /** OpenID Connect's and the like: about a person. */
  readonly isSystem: boolean;
  /** Given to a request that names no scope. */
  readonly isDefault: boolean;
  readonly consent: 'IMPLICIT' | 'REQUIRED' | 'FLEXIBLE';
  readonly metadataPublish: 'ALL_CLIENTS' | 'NO_CLIENTS';
  /** Tokens that were issued before are of another scope that had this name. */
  readonly validAfter: Date;
}

/** Columns in the spelling of TokenScope, so that a row needs no mapping. */
const COLUMNS = `name, is_system as "isSystem", is_default as "isDefault", consent,
  metadata_publish as "metadataPublish", valid_after as "validAfter"`;

/** All scopes of a server: those that it has by itself first, then by name. */
export function findTokenScopes(db: Db, orgId: OrgId, serverId: string): Promise<TokenScope[]> {
  const text = `select ${COLUMNS} from authorization_server_scopes where org_id = $1 and server_id = $2
    order by is_system desc, name`;
  return prepared<TokenScope>(db, 'token_scopes_of_server', text, [orgId, serverId]);
}

/** A server and those of its scopes that are asked for, which nobody changes until the transaction ends. */
export interface LockedServer {
  readonly server: { readonly status: string; readonly validAfter: Date };
  readonly scopes: readonly TokenScope[];
}

/**
 * Locks a server and scopes of it against change, so that no token is born behind their end: those of these names, or
 * without names the default ones. The server first, as whoever changes it does. Undefined: it is gone.
 */
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
