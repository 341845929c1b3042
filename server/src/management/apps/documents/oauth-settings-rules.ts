import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, required } from '../../../kernel/errors/field-errors.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { OAuthClientCredentialsInput, OAuthClientSettingsInput } from '../contract.ts';
import type {
  ApplicationType,
  IdpInitiatedLoginMode,
  OAuthClientCredentials,
  OAuthClientSettings,
  OptionalClientSettings,
  RefreshTokenSettings,
  TokenEndpointAuthMethod,
} from './document-contract.ts';
import { collectFaults } from './fault-rules.ts';
import { assertGrantTypes, type Client, readGrantType } from './grant-type-rules.ts';
import { assertNoPlainRedirect, type HttpRedirectUris, readRedirectUri } from './uri-rules.ts';
import { readBackchannelUri, readSecureUri, readWebUri } from './web-uri-rules.ts';

const SETTINGS = 'settings.oauthClient';
const CREDENTIALS = 'credentials.oauthClient';

function defaultResponseTypes(grantTypes: readonly string[]): string[] {
  const code = grantTypes.includes('authorization_code') || grantTypes.includes('interaction_code') ? ['code'] : [];
  if (grantTypes.includes('implicit')) return [...code, 'id_token', 'token'];
  return grantTypes.includes('client_credentials') && code.length === 0 ? ['token'] : code;
}

const GRANTS_OF_RESPONSES: Readonly<Record<string, readonly string[]>> = {
  code: ['authorization_code', 'interaction_code'],
  id_token: ['implicit'],
  token: ['implicit', 'client_credentials', 'password'],
};

function readResponseTypes(input: OAuthClientSettingsInput, grantTypes: readonly string[]): readonly string[] {
  const field = `${SETTINGS}.response_types`;
  const given = input.response_types ?? [];
  const responseTypes: readonly string[] = given.length === 0 ? defaultResponseTypes(grantTypes) : [...new Set(given)];
  if (grantTypes.includes('authorization_code') && !responseTypes.includes('code')) {
    throw invalid(field, 'must contain code for the grant type authorization_code.');
  }
  if (grantTypes.includes('implicit') && !responseTypes.some((type) => type === 'token' || type === 'id_token')) {
    throw invalid(field, 'must contain token or id_token for the grant type implicit.');
  }
  for (const [responseType, needed] of Object.entries(GRANTS_OF_RESPONSES)) {
    if (responseTypes.includes(responseType) && !needed.some((grantType) => grantTypes.includes(grantType))) {
      throw invalid(field, `${responseType} needs the grant type ${needed.join(' or ')}.`);
    }
  }
  return responseTypes;
}

const readUris = (texts: readonly string[], read: (text: string) => string): readonly string[] => [
  ...new Set(Object.values(collectFaults(Object.fromEntries(texts.map((text, index) => [index, () => read(text)]))))),
];

const REDIRECTING = ['authorization_code', 'implicit', 'interaction_code'];

function readRedirectUris(
  input: OAuthClientSettingsInput,
  applicationType: ApplicationType,
  grantTypes: readonly string[],
  { before, httpRedirectUris }: { readonly before: readonly string[]; readonly httpRedirectUris: HttpRedirectUris },
): readonly string[] {
  const field = `${SETTINGS}.redirect_uris`;
  const app = { applicationType, wildcards: input.wildcard_redirect === 'SUBDOMAIN' };
  const uris = readUris(input.redirect_uris ?? [], (text) => readRedirectUri(field, text, app));
  if (httpRedirectUris === 'refused') assertNoPlainRedirect(field, uris, before);
  const mayLackThem = grantTypes.includes('client_credentials') || grantTypes.includes('password');
  if (uris.length === 0 && !mayLackThem && grantTypes.some((grantType) => REDIRECTING.includes(grantType))) {
    throw required(field);
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
  if (mode === undefined) throw notOneOf(field, [...modes.keys()]);
  if (mode !== 'DISABLED' && (input.initiate_login_uri ?? null) === null) {
    throw invalid(`${SETTINGS}.initiate_login_uri`, `is required for the mode ${given}.`);
  }
  return { mode, default_scope: scopes ?? [] };
}

export const wireLoginMode = (mode: IdpInitiatedLoginMode, namespace: Namespace): string =>
  mode === 'SIMPLIFIED' ? namespace.upper : mode;

const DEFAULT_LEEWAY_SECONDS = 30;

/** Returns undefined if the client may not get refresh tokens. */
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
  'backchannel_logout_session_required',
  'require_pushed_authorization_requests',
  'subject_type',
  'request_object_signing_alg',
  'id_token_encrypted_response_alg',
  'backchannel_token_delivery_mode',
  'backchannel_authentication_request_signing_alg',
  'backchannel_custom_authenticator_id',
] as const;

/** An empty string counts as absent, like null. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

function readOptional(input: OAuthClientSettingsInput, applicationType: ApplicationType): OptionalClientSettings {
  const field = `${SETTINGS}.post_logout_redirect_uris`;
  const app = { applicationType, wildcards: input.wildcard_redirect === 'SUBDOMAIN' };
  const readers = new Map<string, () => unknown>();
  for (const name of WEB_URIS) {
    const uri = input[name];
    if (uri) readers.set(name, () => readWebUri(`${SETTINGS}.${name}`, uri));
  }
  for (const name of SECURE_URIS) {
    const uri = input[name];
    if (uri) readers.set(name, () => readSecureUri(`${SETTINGS}.${name}`, uri));
  }
  const logoutUri = input.backchannel_logout_uri;
  if (logoutUri) {
    const name = 'backchannel_logout_uri';
    readers.set(name, () => readBackchannelUri(`${SETTINGS}.${name}`, logoutUri));
  }
  const uris = input.post_logout_redirect_uris;
  if (uris) {
    readers.set('post_logout_redirect_uris', () => readUris(uris, (text) => readRedirectUri(field, text, app)));
  }
  const mode = input.backchannel_token_delivery_mode;
  if (mode && mode !== 'poll') {
    const name = 'backchannel_token_delivery_mode';
    // The contract lists several values here, but this server supports only one.
    readers.set(name, () => {
      throw invalid(`${SETTINGS}.${name}`, 'must be poll, the only supported mode.');
    });
  }
  for (const name of AS_GIVEN) if (!readers.has(name) && !isAbsent(input[name])) readers.set(name, () => input[name]);
  return collectFaults(Object.fromEntries(readers));
}

export function readApplicationType(
  input: OAuthClientSettingsInput,
  before: ApplicationType | undefined,
): ApplicationType {
  const given = input.application_type ?? before ?? 'web';
  if (before !== undefined && given !== before) {
    throw invalid(`${SETTINGS}.application_type`, `is ${before} and cannot be changed.`);
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
 * Returns whether the secret is accepted both in the header and in the body, because no method was chosen at creation.
 */
function isEitherWay(
  method: TokenEndpointAuthMethod,
  given: OAuthClientCredentialsInput['token_endpoint_auth_method'],
  before: OAuthClientCredentials | undefined,
): boolean {
  if (before !== undefined) return before.takesSecretEitherWay === true && before.token_endpoint_auth_method === method;
  return (given ?? null) === null && method === 'client_secret_basic';
}

export function readClientCredentials(
  input: OAuthClientCredentialsInput,
  applicationType: ApplicationType,
  before: OAuthClientCredentials | undefined,
): OAuthClientCredentials {
  const method =
    input.token_endpoint_auth_method ?? before?.token_endpoint_auth_method ?? DEFAULT_METHODS[applicationType];
  if (method === 'none' && applicationType === 'service') {
    throw invalid(`${CREDENTIALS}.token_endpoint_auth_method`, 'must not be none for an app of type service.');
  }
  const isPublic = applicationType === 'native' || applicationType === 'browser';
  const pkceRequired = input.pkce_required ?? (method === 'none' || (before?.pkce_required ?? isPublic));
  if (method === 'none' && !pkceRequired) {
    throw invalid(`${CREDENTIALS}.pkce_required`, 'must be true for a client that does not authenticate.');
  }
  return {
    token_endpoint_auth_method: method,
    ...(isEitherWay(method, input.token_endpoint_auth_method, before) ? { takesSecretEitherWay: true } : {}),
    autoKeyRotation: input.autoKeyRotation ?? before?.autoKeyRotation ?? true,
    pkce_required: pkceRequired,
  };
}

function readParticipation(input: OAuthClientSettingsInput, applicationType: ApplicationType): boolean {
  const participates = input.participate_slo ?? false;
  if (participates && applicationType !== 'web' && applicationType !== 'browser') {
    throw invalid(`${SETTINGS}.participate_slo`, 'must be false for apps of other types than web and browser.');
  }
  return participates;
}

function readBinding(input: OAuthClientSettingsInput, grantTypes: readonly string[]): boolean {
  const isBound = input.dpop_bound_access_tokens ?? false;
  if (isBound && grantTypes.includes('implicit')) {
    throw invalid(`${SETTINGS}.dpop_bound_access_tokens`, 'must be false with the grant type implicit.');
  }
  return isBound;
}

export function readClientSettings(
  input: OAuthClientSettingsInput,
  client: Client,
  { httpRedirectUris, namespace }: { readonly namespace: Namespace; readonly httpRedirectUris: HttpRedirectUris },
  before: OAuthClientSettings | undefined,
): OAuthClientSettings {
  const { applicationType } = client;
  const grantTypes = [...new Set(input.grant_types.map((text) => readGrantType(text, namespace)))];
  const refreshToken = readRefreshToken(input, applicationType, grantTypes, before?.refresh_token);
  const uris = before?.redirect_uris ?? [];
  const read = collectFaults({
    grantTypes: () => assertGrantTypes(grantTypes, client),
    optional: () => readOptional(input, applicationType),
    redirectUris: () => readRedirectUris(input, applicationType, grantTypes, { before: uris, httpRedirectUris }),
    responseTypes: () => readResponseTypes(input, grantTypes),
    idpInitiatedLogin: () => readIdpInitiatedLogin(input, namespace),
    participates: () => readParticipation(input, applicationType),
    dpop: () => readBinding(input, grantTypes),
  });
  return {
    ...read.optional,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    application_type: applicationType,
    redirect_uris: read.redirectUris,
    response_types: read.responseTypes,
    grant_types: grantTypes,
    consent_method: input.consent_method ?? 'TRUSTED',
    issuer_mode: input.issuer_mode ?? before?.issuer_mode ?? 'DYNAMIC',
    idp_initiated_login: read.idpInitiatedLogin,
    wildcard_redirect: input.wildcard_redirect ?? 'DISABLED',
    dpop_bound_access_tokens: read.dpop,
    participate_slo: read.participates,
  };
}
