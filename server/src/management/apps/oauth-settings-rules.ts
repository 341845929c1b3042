import { invalid } from '../../kernel/errors.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import type { OAuthClientCredentialsInput, OAuthClientSettingsInput } from './contract.ts';
import type {
  ApplicationType,
  IdpInitiatedLoginMode,
  OAuthClientCredentials,
  OAuthClientSettings,
  OptionalClientSettings,
  RefreshTokenSettings,
  TokenEndpointAuthMethod,
} from './document-contract.ts';
import { readRedirectUri, readSecureUri, readWebUri } from './uri-rules.ts';

const SETTINGS = 'settings.oauthClient';
const CREDENTIALS = 'credentials.oauthClient';

const refuse = (field: string, cause: string) => invalid(field, `${field}: ${cause}`);

/** Grant types whose name holds no namespace word (contract section 7; `GrantType` in the published OpenAPI). */
const GRANT_TYPES: ReadonlySet<string> = new Set([
  'authorization_code',
  'client_credentials',
  'implicit',
  'interaction_code',
  'password',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:openid:params:grant-type:ciba',
  'http://auth0.com/oauth/grant-type/mfa-otp',
  'http://auth0.com/oauth/grant-type/mfa-oob',
]);

/** Stored by these short names; the wire's URN holds the namespace word. */
const WORDED_GRANT_TYPES: ReadonlySet<string> = new Set(['otp', 'oob']);

const wordedPrefix = (namespace: Namespace): string => `urn:${namespace.word}:params:oauth:grant-type:`;

/** A stored grant type as the wire says it. */
export const wireGrantType = (grantType: string, namespace: Namespace): string =>
  WORDED_GRANT_TYPES.has(grantType) ? wordedPrefix(namespace) + grantType : grantType;

function readGrantType(text: string, namespace: Namespace): string {
  if (GRANT_TYPES.has(text)) return text;
  const prefix = wordedPrefix(namespace);
  const short = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  if (!WORDED_GRANT_TYPES.has(short)) throw refuse(`${SETTINGS}.grant_types`, `the grant type ${text} is not known.`);
  return short;
}

/** Grant types that a kind of app can't have: it could not keep the credential that they rest on. */
const REFUSED_GRANT_TYPES: Readonly<Record<ApplicationType, readonly string[]>> = {
  web: [],
  service: [],
  native: ['client_credentials'],
  browser: ['client_credentials', 'password'],
};

/** Refuses grant types that the client's type or its way of proving itself rules out. 400 E0000001. */
export function assertGrantTypes(grantTypes: readonly string[], { applicationType, method }: Client): void {
  const field = `${SETTINGS}.grant_types`;
  if (grantTypes.length === 0) throw refuse(field, 'The field cannot be left blank');
  if (applicationType === 'service' && !grantTypes.includes('client_credentials')) {
    throw refuse(field, 'an app of type service needs client_credentials.');
  }
  const wrong = grantTypes.find((grantType) => REFUSED_GRANT_TYPES[applicationType].includes(grantType));
  if (wrong !== undefined) throw refuse(field, `an app of type ${applicationType} can't have ${wrong}.`);
  if (method === 'none' && grantTypes.includes('client_credentials')) {
    throw refuse(field, 'client_credentials needs a client that authenticates.');
  }
}

function defaultResponseTypes(grantTypes: readonly string[]): string[] {
  const code = grantTypes.includes('authorization_code') || grantTypes.includes('interaction_code') ? ['code'] : [];
  if (grantTypes.includes('implicit')) return [...code, 'id_token', 'token'];
  return grantTypes.includes('client_credentials') && code.length === 0 ? ['token'] : code;
}

function readResponseTypes(input: OAuthClientSettingsInput, grantTypes: readonly string[]): readonly string[] {
  const field = `${SETTINGS}.response_types`;
  const given = input.response_types ?? [];
  const responseTypes: readonly string[] = given.length === 0 ? defaultResponseTypes(grantTypes) : [...new Set(given)];
  if (grantTypes.includes('authorization_code') && !responseTypes.includes('code')) {
    throw refuse(field, 'the grant type authorization_code needs code.');
  }
  if (grantTypes.includes('implicit') && !responseTypes.some((type) => type === 'token' || type === 'id_token')) {
    throw refuse(field, 'the grant type implicit needs token or id_token.');
  }
  return responseTypes;
}

const REDIRECTING = ['authorization_code', 'implicit', 'interaction_code'];

function readRedirectUris(
  input: OAuthClientSettingsInput,
  applicationType: ApplicationType,
  grantTypes: readonly string[],
): readonly string[] {
  const field = `${SETTINGS}.redirect_uris`;
  const app = { applicationType, wildcards: input.wildcard_redirect === 'SUBDOMAIN' };
  const uris = [...new Set((input.redirect_uris ?? []).map((text) => readRedirectUri(field, text, app)))];
  const mayLackThem = grantTypes.includes('client_credentials') || grantTypes.includes('password');
  if (uris.length === 0 && !mayLackThem && grantTypes.some((grantType) => REDIRECTING.includes(grantType))) {
    throw refuse(field, 'The field cannot be left blank');
  }
  return uris;
}

function readIdpInitiatedLogin(
  input: OAuthClientSettingsInput,
  namespace: Namespace,
): OAuthClientSettings['idp_initiated_login'] {
  const field = `${SETTINGS}.idp_initiated_login.mode`;
  const { mode: given = 'DISABLED', default_scope: scopes } = input.idp_initiated_login ?? {};
  const modes = new Map<string, IdpInitiatedLoginMode>([
    ['DISABLED', 'DISABLED'],
    ['SPEC', 'SPEC'],
    [namespace.upper, 'SIMPLIFIED'],
  ]);
  const mode = modes.get(given);
  if (mode === undefined) throw refuse(field, `must be one of ${[...modes.keys()].join(', ')}.`);
  if (mode !== 'DISABLED' && (input.initiate_login_uri ?? null) === null) {
    throw refuse(`${SETTINGS}.initiate_login_uri`, `the mode ${given} needs it.`);
  }
  return { mode, default_scope: scopes ?? [] };
}

/** How an idp_initiated_login mode is spelled on the wire. */
export const wireLoginMode = (mode: IdpInitiatedLoginMode, namespace: Namespace): string =>
  mode === 'SIMPLIFIED' ? namespace.upper : mode;

const DEFAULT_LEEWAY_SECONDS = 30;

/** Set apart from the other settings: left out, it stays as it was (`OpenIdConnectApplicationSettingsRefreshToken`). */
function readRefreshToken(
  input: OAuthClientSettingsInput,
  applicationType: ApplicationType,
  grantTypes: readonly string[],
  before: RefreshTokenSettings | undefined,
): RefreshTokenSettings | undefined {
  if (!grantTypes.includes('refresh_token')) return undefined;
  const { refresh_token: given } = input;
  if (given) return { rotation_type: given.rotation_type, leeway: given.leeway ?? DEFAULT_LEEWAY_SECONDS };
  const rotationType = applicationType === 'browser' ? 'ROTATE' : 'STATIC';
  return before ?? { rotation_type: rotationType, leeway: DEFAULT_LEEWAY_SECONDS };
}

const WEB_URIS = [
  'client_uri',
  'logo_uri',
  'tos_uri',
  'policy_uri',
  'initiate_login_uri',
  'frontchannel_logout_uri',
] as const;
const SECURE_URIS = ['jwks_uri', 'sector_identifier_uri'] as const;
const AS_GIVEN = [
  'frontchannel_logout_session_required',
  'subject_type',
  'request_object_signing_alg',
  'id_token_encrypted_response_alg',
  'backchannel_token_delivery_mode',
  'backchannel_authentication_request_signing_alg',
  'backchannel_custom_authenticator_id',
] as const;

/** An empty text says the same as none: forms of consoles send it. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

function readOptional(input: OAuthClientSettingsInput, applicationType: ApplicationType): OptionalClientSettings {
  const read: Record<string, unknown> = {};
  for (const name of WEB_URIS) {
    const uri = input[name];
    if (uri) read[name] = readWebUri(`${SETTINGS}.${name}`, uri);
  }
  for (const name of SECURE_URIS) {
    const uri = input[name];
    if (uri) read[name] = readSecureUri(`${SETTINGS}.${name}`, uri);
  }
  for (const name of AS_GIVEN) if (!isAbsent(input[name])) read[name] = input[name];
  const field = `${SETTINGS}.post_logout_redirect_uris`;
  const app = { applicationType, wildcards: input.wildcard_redirect === 'SUBDOMAIN' };
  const uris = input.post_logout_redirect_uris;
  if (uris) read['post_logout_redirect_uris'] = [...new Set(uris.map((text) => readRedirectUri(field, text, app)))];
  return read;
}

export interface Client {
  readonly applicationType: ApplicationType;
  readonly method: TokenEndpointAuthMethod;
}

/** `web` unless said otherwise; an app stays of the type it was made. 400 E0000001. */
export function readApplicationType(
  input: OAuthClientSettingsInput,
  before: ApplicationType | undefined,
): ApplicationType {
  const given = input.application_type ?? before ?? 'web';
  if (before !== undefined && given !== before) {
    throw refuse(`${SETTINGS}.application_type`, `is ${before} and can't be changed.`);
  }
  return given;
}

const DEFAULT_METHODS: Readonly<Record<ApplicationType, TokenEndpointAuthMethod>> = {
  web: 'client_secret_basic',
  service: 'private_key_jwt',
  native: 'none',
  browser: 'none',
};

/**
 * How the client proves itself. What is left out stays as it was, so that no replacement weakens a client by accident.
 * 400 E0000001 for a service without a proof and for a public client without PKCE.
 */
export function readClientCredentials(
  input: OAuthClientCredentialsInput,
  applicationType: ApplicationType,
  before: OAuthClientCredentials | undefined,
): OAuthClientCredentials {
  const method =
    input.token_endpoint_auth_method ?? before?.token_endpoint_auth_method ?? DEFAULT_METHODS[applicationType];
  if (method === 'none' && applicationType === 'service') {
    throw refuse(`${CREDENTIALS}.token_endpoint_auth_method`, 'an app of type service must authenticate.');
  }
  const isPublic = applicationType === 'native' || applicationType === 'browser';
  const pkceRequired = input.pkce_required ?? (method === 'none' || (before?.pkce_required ?? isPublic));
  if (method === 'none' && !pkceRequired) {
    throw refuse(`${CREDENTIALS}.pkce_required`, 'must be true for a client that does not authenticate.');
  }
  return {
    token_endpoint_auth_method: method,
    autoKeyRotation: input.autoKeyRotation ?? before?.autoKeyRotation ?? true,
    pkce_required: pkceRequired,
  };
}

/** Settings of an OAuth client, checked against its type and against each other; absent ones get their defaults. */
export function readClientSettings(
  input: OAuthClientSettingsInput,
  client: Client,
  namespace: Namespace,
  before: OAuthClientSettings | undefined,
): OAuthClientSettings {
  const { applicationType } = client;
  const grantTypes = [...new Set(input.grant_types.map((text) => readGrantType(text, namespace)))];
  assertGrantTypes(grantTypes, client);
  const refreshToken = readRefreshToken(input, applicationType, grantTypes, before?.refresh_token);
  const participates = input.participate_slo ?? false;
  if (participates && applicationType !== 'web' && applicationType !== 'browser') {
    throw refuse(`${SETTINGS}.participate_slo`, 'only apps of type web or browser can.');
  }
  return {
    ...readOptional(input, applicationType),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    application_type: applicationType,
    redirect_uris: readRedirectUris(input, applicationType, grantTypes),
    response_types: readResponseTypes(input, grantTypes),
    grant_types: grantTypes,
    consent_method: input.consent_method ?? 'TRUSTED',
    issuer_mode: input.issuer_mode ?? 'ORG_URL',
    idp_initiated_login: readIdpInitiatedLogin(input, namespace),
    wildcard_redirect: input.wildcard_redirect ?? 'DISABLED',
    dpop_bound_access_tokens: input.dpop_bound_access_tokens ?? false,
    participate_slo: participates,
  };
}
