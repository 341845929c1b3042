import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { AppStatus } from '../lifecycle.ts';

export interface AuthorizingClient {
  readonly clientId: ClientId;
  readonly appId: AppId;
  readonly label: string;
  readonly status: AppStatus;
  readonly applicationType: string;
  /** Grant types in their stored form, without the namespace word. */
  readonly grantTypes: readonly string[];
  /** The artifacts that an authorization response may contain, from among `code`, `token` and `id_token`. */
  readonly responseTypes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly wildcards: boolean;
  readonly pkceRequired: boolean;
  readonly consentMethod: 'REQUIRED' | 'TRUSTED';
  readonly tokenEndpointAuthMethod: string;
  /** Null means that any supported algorithm is accepted. */
  readonly requestObjectSigningAlg: string | null;
  readonly dpopBoundAccessTokens: boolean;
  /** Whether the client must push its authorization requests (RFC 9126 6). */
  readonly pushesRequests: boolean;
  /** Tokens and codes issued before this time are void. */
  readonly validAfter: Date;
  readonly revision: string;
}

const CREDENTIALS = `(a.document -> 'credentials' -> 'oauthClient')`;
const SETTINGS = `(a.document -> 'settings' -> 'oauthClient')`;

const CLIENT = `select a.client_id as "clientId", a.id as "appId", a.label, a.status,
    a.application_type as "applicationType",
    coalesce(${SETTINGS} -> 'grant_types', '[]') as "grantTypes",
    coalesce(${SETTINGS} -> 'response_types', '[]') as "responseTypes",
    coalesce(${SETTINGS} -> 'redirect_uris', '[]') as "redirectUris",
    coalesce(${SETTINGS} ->> 'wildcard_redirect' = 'SUBDOMAIN', false) as wildcards,
    coalesce((${CREDENTIALS} ->> 'pkce_required')::boolean, true) as "pkceRequired",
    coalesce(${SETTINGS} ->> 'consent_method', 'REQUIRED') as "consentMethod",
    coalesce(${CREDENTIALS} ->> 'token_endpoint_auth_method', 'none') as "tokenEndpointAuthMethod",
    ${SETTINGS} ->> 'request_object_signing_alg' as "requestObjectSigningAlg",
    coalesce((${SETTINGS} ->> 'dpop_bound_access_tokens')::boolean, false) as "dpopBoundAccessTokens",
    coalesce((${SETTINGS} ->> 'require_pushed_authorization_requests')::boolean, false) as "pushesRequests",
    a.valid_after as "validAfter", a.revision::text as revision
  from apps a where a.org_id = $1 and a.client_id = $2 and a.sign_on_mode = 'OPENID_CONNECT'`;

export async function findAuthorizingClient(
  db: Db,
  orgId: OrgId,
  clientId: ClientId,
): Promise<AuthorizingClient | undefined> {
  const [row] = await prepared<AuthorizingClient>(db, 'authorizing_client', CLIENT, [orgId, clientId]);
  return row;
}

export async function lockAuthorizingClient(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
): Promise<AuthorizingClient | undefined> {
  const text = `${CLIENT} for share of a`;
  const [row] = await prepared<AuthorizingClient>(tx, 'authorizing_client_lock', text, [orgId, clientId]);
  return row;
}
