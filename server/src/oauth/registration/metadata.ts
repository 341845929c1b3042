import { ApiError } from '../../kernel/errors/errors.ts';
import { type OAuthError, oauthError } from '../../kernel/errors/oauth-errors.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import type { ClientInput, OAuthClientSettings } from '../../management/apps/index.ts';
import type { ClientMetadata } from './contract.ts';

type Settings = NonNullable<NonNullable<ClientInput['settings']>['oauthClient']>;
type Credentials = NonNullable<NonNullable<ClientInput['credentials']>['oauthClient']>;

/** The contract fixes this default. */
const DEFAULT_GRANT_TYPES = ['authorization_code'];

/** The members of the metadata that become settings of the app unchanged. */
const AS_GIVEN = [
  'application_type',
  'redirect_uris',
  'post_logout_redirect_uris',
  'response_types',
  'client_uri',
  'logo_uri',
  'tos_uri',
  'policy_uri',
  'initiate_login_uri',
  'jwks_uri',
  'frontchannel_logout_uri',
  'frontchannel_logout_session_required',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'dpop_bound_access_tokens',
  'require_pushed_authorization_requests',
  'request_object_signing_alg',
  'backchannel_token_delivery_mode',
  'backchannel_authentication_request_signing_alg',
  'id_token_encrypted_response_alg',
] as const satisfies readonly (keyof ClientMetadata & keyof Settings)[];

function settingsOf(metadata: ClientMetadata): Settings {
  const { grant_types: grantTypes, jwks } = metadata;
  const settings: Partial<Settings> = Object.fromEntries(
    AS_GIVEN.flatMap((name) =>
      metadata[name] === undefined || metadata[name] === null ? [] : [[name, metadata[name]]],
    ),
  );
  return {
    ...settings,
    grant_types: grantTypes ?? DEFAULT_GRANT_TYPES,
    // If the metadata contains no key set, the keys stay unchanged, so that no client is locked out by mistake.
    ...(jwks === null || jwks === undefined ? {} : { jwks }),
  };
}

const credentialsOf = ({ token_endpoint_auth_method: method }: ClientMetadata): Credentials =>
  method === null || method === undefined ? {} : { token_endpoint_auth_method: method };

/** Returns the app for a new client, with the consent method that contract section 7 requires. */
export const newClientInput = (metadata: ClientMetadata): ClientInput => ({
  signOnMode: 'OPENID_CONNECT',
  name: 'oidc_client',
  label: metadata.client_name,
  settings: { oauthClient: { ...settingsOf(metadata), consent_method: 'REQUIRED' } },
  credentials: { oauthClient: credentialsOf(metadata) },
});

/** Optional settings that the metadata cannot contain, so a replacement keeps them. */
const DECIDED = [
  'sector_identifier_uri',
  'subject_type',
  'backchannel_custom_authenticator_id',
] as const satisfies readonly (keyof OAuthClientSettings & keyof Settings)[];

function keptSettings(settings: OAuthClientSettings, loginMode: string): Partial<Settings> {
  const { idp_initiated_login: login, refresh_token: refreshToken } = settings;
  const decided: Partial<Settings> = Object.fromEntries(
    DECIDED.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
  return {
    ...decided,
    consent_method: settings.consent_method,
    issuer_mode: settings.issuer_mode,
    wildcard_redirect: settings.wildcard_redirect,
    participate_slo: settings.participate_slo,
    idp_initiated_login: { mode: loginMode, default_scope: [...login.default_scope] },
    ...(refreshToken === undefined ? {} : { refresh_token: { ...refreshToken } }),
  };
}

/**
 * Returns the settings to keep if a replacement omits them. If the replacement contains keys, they take the place of
 * the stored `jwks_uri`.
 */
function bindingOf(
  { jwks }: ClientMetadata,
  { dpop_bound_access_tokens: isBound, jwks_uri: uri }: OAuthClientSettings,
) {
  const hasOwnKeys = jwks !== null && jwks !== undefined;
  return { dpop_bound_access_tokens: isBound, ...(uri === undefined || hasOwnKeys ? {} : { jwks_uri: uri }) };
}

/** `loginMode` is the mode of `idp_initiated_login` in its wire spelling. */
export const replacedInput = (
  metadata: ClientMetadata,
  before: OAuthClientSettings,
  loginMode: string,
): ClientInput => ({
  signOnMode: 'OPENID_CONNECT',
  label: metadata.client_name,
  settings: {
    oauthClient: { ...bindingOf(metadata, before), ...settingsOf(metadata), ...keptSettings(before, loginMode) },
  },
  credentials: {
    oauthClient: {
      ...credentialsOf(metadata),
      ...(metadata.client_secret === undefined ? {} : { client_secret: metadata.client_secret }),
    },
  },
});

/** A replacement must contain these members (contract). */
const REQUIRED = [
  'client_id',
  'application_type',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
] as const;
const FORBIDDEN = ['client_id_issued_at', 'client_secret_expires_at'] as const;

const refused = (field: string, cause: string): OAuthError =>
  oauthError('invalidClientMetadata', { description: `'${field}': ${cause}` });

/** Checks the members of a replacement (RFC 7592 2.2). */
export function assertReplacement(metadata: ClientMetadata, clientId: ClientId): void {
  for (const field of FORBIDDEN) if (metadata[field] !== undefined) throw refused(field, 'must be absent.');
  for (const field of REQUIRED) {
    if (metadata[field] === undefined || metadata[field] === null) throw refused(field, 'is required.');
  }
  if (metadata.client_id !== clientId) throw refused('client_id', 'must be the id of this client.');
}

const NAMES: Readonly<Record<string, string>> = { label: 'client_name' };

const fieldOf = (field: string): string => NAMES[field] ?? field.replace(/^(settings|credentials)\.oauthClient\./, '');

/** Converts 400 E0000001 to an error of RFC 7591 3.2.2. */
export function asRegistrationError(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'E0000001') return error;
  const faults = error.causes.map(({ errorSummary }) => {
    const [field = '', ...cause] = errorSummary.split(': ');
    return cause.length === 0
      ? { field: '', text: errorSummary }
      : { field: fieldOf(field), text: `'${fieldOf(field)}': ${cause.join(': ')}` };
  });
  const isRedirect = faults.some(({ field }) => field === 'redirect_uris');
  const description = faults.map(({ text }) => text).join(' ') || error.message;
  return oauthError(isRedirect ? 'invalidRedirectUris' : 'invalidClientMetadata', { description });
}
