import { grantTypesWhere } from '../../kernel/grant-types.ts';
import { acrValues, CODE_CHALLENGE_METHODS, PROMPTS } from '../authorization/requests/request-rules.ts';
import { RESPONSE_TYPES, wireResponseModes } from '../authorization/response-rules.ts';
import { MAC_ALGORITHM_NAMES, SIGNATURE_ALGORITHM_NAMES } from '../client-authentication/jws-rules.ts';

export interface MetadataInput {
  /** The address that the client used, which is the issuer of the org's own server. */
  readonly baseUrl: string;
  readonly namespaceWord: string;
  /** The scopes of the API, without the namespace word, or those of a custom server. */
  readonly scopes: readonly string[];
}

export type Metadata = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Claims of ID tokens and userinfo responses, in the order of the contract's example. */
const IDENTITY_CLAIMS = (
  'iss ver sub aud iat exp jti auth_time amr idp nonce name nickname preferred_username given_name middle_name ' +
  'family_name email email_verified profile zoneinfo locale address phone_number updated_at at_hash c_hash'
).split(' ');

/** Scopes that require a user, in the order of the contract's example. */
const IDENTITY_SCOPES = ['openid', 'email', 'profile', 'address', 'phone', 'offline_access', 'groups'];

const ORG_GRANT_TYPES = grantTypesWhere(({ endpoint, servers }) => endpoint !== null && servers === 'all');
const SERVER_GRANT_TYPES = grantTypesWhere(({ endpoint }) => endpoint !== null);
const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'];

const ASSERTION_ALGORITHMS = [...MAC_ALGORITHM_NAMES, ...SIGNATURE_ALGORITHM_NAMES];

/** The signature algorithms that the contract lists for DPoP proofs. */
const PROOF_ALGORITHMS = SIGNATURE_ALGORITHM_NAMES.filter((name) => !name.startsWith('PS'));

const clientEndpoint = (name: string, endpoint: string, methods: readonly string[]): Metadata => ({
  [`${name}_endpoint`]: endpoint,
  [`${name}_endpoint_auth_methods_supported`]: methods,
  [`${name}_endpoint_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS,
});

const responses = (word: string): Metadata => ({
  response_types_supported: RESPONSE_TYPES,
  response_modes_supported: wireResponseModes({ word }),
});

/** `request_uri_parameter_supported` is false because this service never fetches a request object from a URL. */
const requestMembers = (server: string, word: string): Metadata => ({
  request_parameter_supported: true,
  request_uri_parameter_supported: false,
  request_object_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  device_authorization_endpoint: `${server}/device/authorize`,
  backchannel_authentication_endpoint: `${server}/bc/authorize`,
  backchannel_token_delivery_modes_supported: ['poll'],
  backchannel_authentication_request_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  backchannel_user_code_parameter_supported: false,
  pushed_authorization_request_endpoint: `${server}/par`,
  authorization_response_iss_parameter_supported: true,
  prompt_values_supported: PROMPTS.filter((prompt) => !prompt.includes(' ')),
  acr_values_supported: acrValues(word),
});

/** Returns the metadata about signing out (RP-Initiated Logout 1.0 2.1, Back-Channel Logout 1.0 2.1). */
const signingOut = (endpoint: string): Metadata => ({
  end_session_endpoint: endpoint,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
});

const openIdClaims: Metadata = { claims_supported: IDENTITY_CLAIMS };
const openIdSubjects: Metadata = {
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

function metadata({ baseUrl, namespaceWord, scopes }: MetadataInput, isOpenId: boolean): Metadata {
  const server = `${baseUrl}/oauth2/v1`;
  return {
    issuer: baseUrl,
    authorization_endpoint: `${server}/authorize`,
    token_endpoint: `${server}/token`,
    ...(isOpenId ? { userinfo_endpoint: `${server}/userinfo` } : {}),
    registration_endpoint: `${server}/clients`,
    jwks_uri: `${server}/keys`,
    ...responses(namespaceWord),
    grant_types_supported: ORG_GRANT_TYPES,
    ...(isOpenId ? openIdSubjects : {}),
    scopes_supported: [...IDENTITY_SCOPES, ...scopes.map((scope) => `${namespaceWord}.${scope}`)],
    // To get tokens for themselves, clients must use private_key_jwt (specification 4.6). No member can express this.
    token_endpoint_auth_methods_supported: CLIENT_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    ...(isOpenId ? openIdClaims : {}),
    code_challenge_methods_supported: CODE_CHALLENGE_METHODS,
    ...clientEndpoint('introspection', `${server}/introspect`, CLIENT_METHODS),
    ...clientEndpoint('revocation', `${server}/revoke`, CLIENT_METHODS),
    ...signingOut(`${server}/logout`),
    ...requestMembers(server, namespaceWord),
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  };
}

/** Returns the metadata of the org's own server (RFC 8414). */
export const authorizationServerMetadata = (input: MetadataInput): Metadata => metadata(input, false);

/** Returns the metadata of RFC 8414 with the members that OpenID Connect Discovery 1.0 section 3 adds. */
export const openIdProviderMetadata = (input: MetadataInput): Metadata => metadata(input, true);

export interface ServerMetadataInput extends MetadataInput {
  /** The path of the issuer, which follows `baseUrl`. */
  readonly issuerPath: string;
}

/** Claims that administrators define are not published. */
const SERVER_CLAIMS = ['ver', 'jti', 'iss', 'aud', 'iat', 'exp', 'cid', 'uid', 'scp', 'sub'];

function serverMetadata(
  { baseUrl, issuerPath, namespaceWord, scopes }: ServerMetadataInput,
  isOpenId: boolean,
): Metadata {
  const issuer = baseUrl + issuerPath;
  return {
    issuer,
    authorization_endpoint: `${issuer}/v1/authorize`,
    token_endpoint: `${issuer}/v1/token`,
    ...(isOpenId ? { userinfo_endpoint: `${issuer}/v1/userinfo` } : {}),
    registration_endpoint: `${baseUrl}/oauth2/v1/clients`,
    jwks_uri: `${issuer}/v1/keys`,
    ...responses(namespaceWord),
    grant_types_supported: SERVER_GRANT_TYPES,
    subject_types_supported: ['public'],
    ...(isOpenId ? { id_token_signing_alg_values_supported: ['RS256'] } : {}),
    scopes_supported: scopes,
    token_endpoint_auth_methods_supported: CLIENT_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    claims_supported: isOpenId ? IDENTITY_CLAIMS : SERVER_CLAIMS,
    code_challenge_methods_supported: CODE_CHALLENGE_METHODS,
    ...clientEndpoint('introspection', `${issuer}/v1/introspect`, CLIENT_METHODS),
    ...clientEndpoint('revocation', `${issuer}/v1/revoke`, CLIENT_METHODS),
    ...signingOut(`${issuer}/v1/logout`),
    ...requestMembers(`${issuer}/v1`, namespaceWord),
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  };
}

/** Returns the metadata of a custom server (RFC 8414). */
export const customServerMetadata = (input: ServerMetadataInput): Metadata => serverMetadata(input, false);

/** Returns the OpenID Connect metadata of a custom server (OpenID Connect Discovery 1.0 section 3). */
export const customOpenIdMetadata = (input: ServerMetadataInput): Metadata => serverMetadata(input, true);
