import type { ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, type FindById, gatherReads, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { ClientCredentials, LiveClient } from '../credentials/client-credentials.ts';

interface CredentialsRow extends Omit<ClientCredentials, 'secretHashes' | 'sealedSecrets'> {
  /** SHA-256 hashes in hex format. */
  readonly secretHashes: readonly string[];
  readonly sealedSecrets: readonly { readonly id: string; readonly sealed: string }[];
}

const OAUTH_CREDENTIALS = `(a.document -> 'credentials' -> 'oauthClient')`;
const OAUTH_SETTINGS = `(a.document -> 'settings' -> 'oauthClient')`;

/** An SQL expression for the scopes, without the namespace word, that are granted to the client of the app `a`. */
export const GRANTED_SCOPES =
  'array(select g.scope from app_grants g where g.org_id = $1 and g.app_id = a.id order by g.scope)';
const ROLES = `array(select r.role_type from client_role_assignments r
  where r.org_id = $1 and r.client_id = $2 order by r.role_type)`;

export async function findClientCredentials(
  db: Db,
  orgId: OrgId,
  clientId: ClientId,
): Promise<ClientCredentials | undefined> {
  const text = `select a.client_id as "clientId", a.id as "appId", a.label, a.status,
      a.application_type as "applicationType",
      coalesce(${OAUTH_SETTINGS} -> 'grant_types', '[]') as "grantTypes",
      ${OAUTH_CREDENTIALS} ->> 'token_endpoint_auth_method' as "tokenEndpointAuthMethod",
      coalesce((${OAUTH_CREDENTIALS} ->> 'takesSecretEitherWay')::boolean, false) as "takesSecretEitherWay",
      coalesce((${OAUTH_SETTINGS} ->> 'dpop_bound_access_tokens')::boolean, false) as "dpopBoundAccessTokens",
      ${OAUTH_SETTINGS} ->> 'backchannel_authentication_request_signing_alg' as "backchannelRequestSigningAlg",
      coalesce(${OAUTH_SETTINGS} ->> 'consent_method', 'REQUIRED') as "consentMethod",
      ${OAUTH_SETTINGS} -> 'refresh_token' as "refreshToken",
      ${OAUTH_SETTINGS} ->> 'jwks_uri' as "jwksUri", a.valid_after as "validAfter",
      coalesce((select jsonb_agg(jsonb_build_object('id', k.id, 'kid', k.kid, 'jwk', k.jwk) order by k.created_at, k.id)
        from app_keys k where k.org_id = $1 and k.app_id = a.id and k.status = 'ACTIVE'), '[]') as keys,
      array(select encode(s.secret_hash, 'hex') from app_secrets s
        where s.org_id = $1 and s.app_id = a.id and s.status = 'ACTIVE') as "secretHashes",
      case when ${OAUTH_CREDENTIALS} ->> 'token_endpoint_auth_method' = 'client_secret_jwt' then coalesce(
        (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'hex')))
         from app_secrets s where s.org_id = $1 and s.app_id = a.id and s.status = 'ACTIVE'), '[]')
        else '[]' end as "sealedSecrets",
      ${GRANTED_SCOPES} as scopes, ${ROLES} as roles
    from apps a where a.org_id = $1 and a.client_id = $2 and a.sign_on_mode = 'OPENID_CONNECT'`;
  const [row] = await prepared<CredentialsRow>(db, 'client_credentials', text, [orgId, clientId]);
  if (row === undefined) return undefined;
  return {
    ...row,
    secretHashes: row.secretHashes.map((hash) => Buffer.from(hash, 'hex')),
    sealedSecrets: row.sealedSecrets.map(({ id, sealed }) => ({ id, sealedSecret: Buffer.from(sealed, 'hex') })),
  };
}

const LIVE_CLIENT = `a.status, a.application_type as "applicationType", a.valid_after as "validAfter",
    clock_timestamp() as "issuedAt", ${GRANTED_SCOPES} as scopes
  from apps a where a.org_id = $1 and a.sign_on_mode = 'OPENID_CONNECT'`;

export async function findLiveClient(db: Db, orgId: OrgId, clientId: ClientId): Promise<LiveClient | undefined> {
  const text = `select ${LIVE_CLIENT} and a.client_id = $2`;
  const [row] = await prepared<LiveClient>(db, 'client_live', text, [orgId, clientId]);
  return row;
}

/** Reads clients like `findLiveClient`. */
export async function findLiveClients(
  db: Db,
  orgId: OrgId,
  clientIds: readonly ClientId[],
): Promise<ReadonlyMap<ClientId, LiveClient>> {
  // The planner must not see the length of the array (see `rowsOf` in `platform/postgres/columns.ts`).
  const text = `select a.client_id as id, ${LIVE_CLIENT} and a.client_id = any((select $2::text[])::text[])`;
  const rows = await prepared<LiveClient & { readonly id: ClientId }>(db, 'clients_live_locked', text, [
    orgId,
    clientIds,
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Creates a reader like `findLiveClient` that reads the clients of simultaneous requests with one statement. */
export const liveClientReader = (db: Db): FindById<LiveClient> => {
  const text = `select a.client_id as id, ${LIVE_CLIENT} and a.client_id = any($2::text[])`;
  return gatherReads((orgId, ids) => prepared<LiveClient & { id: string }>(db, 'clients_live', text, [orgId, ids]));
};

/**
 * Locks the client against changes and then reads it, in two statements. A single statement would see the grants as
 * they were before it waited for the lock, so a token could be issued with a revoked scope.
 */
export async function lockLiveClient(tx: Tx, orgId: OrgId, clientId: ClientId): Promise<LiveClient | undefined> {
  const lock = 'select 1 as locked from apps where org_id = $1 and client_id = $2 for share';
  const [, client] = await Promise.all([
    prepared(tx, 'client_lock', lock, [orgId, clientId]),
    findLiveClient(tx, orgId, clientId),
  ]);
  return client;
}
