import { MAC_ALGORITHM_NAMES, SIGNATURE_ALGORITHM_NAMES } from '../client-authentication/jws-rules.ts';

/** What discovery documents say of an org's authorization server. */
export interface MetadataInput {
  /** The address by which the client came: issuer and root of every endpoint. */
  readonly baseUrl: string;
  readonly namespaceWord: string;
  /** Neutral scopes of the API. */
  readonly scopes: readonly string[];
}

type Metadata = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Claims of our access tokens. */
const CLAIMS = ['ver', 'jti', 'iss', 'aud', 'sub', 'iat', 'exp', 'cid', 'scp'];

/** In the contract's order. */
const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'];
/** Whoever has nothing to prove itself with has no token of its own to ask for. */
const CONFIDENTIAL_METHODS = CLIENT_METHODS.filter((method) => method !== 'none');

/** What assertions may be signed by: secrets, then key pairs. */
const ASSERTION_ALGORITHMS = [...MAC_ALGORITHM_NAMES, ...SIGNATURE_ALGORITHM_NAMES];

/** Proofs of possession: those of the signature algorithms that the contract has for them. */
const PROOF_ALGORITHMS = SIGNATURE_ALGORITHM_NAMES.filter((name) => !name.startsWith('PS'));

/** Endpoints where a client proves itself, with what it may sign an assertion by. */
const clientEndpoint = (name: string, endpoint: string, methods: readonly string[]): Metadata => ({
  [`${name}_endpoint`]: endpoint,
  [`${name}_endpoint_auth_methods_supported`]: methods,
  [`${name}_endpoint_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS,
});

const openIdClaims: Metadata = { claims_supported: CLAIMS };
const openIdSubjects: Metadata = {
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

function metadata({ baseUrl, namespaceWord, scopes }: MetadataInput, isOpenId: boolean): Metadata {
  const server = `${baseUrl}/oauth2/v1`;
  return {
    issuer: baseUrl,
    token_endpoint: `${server}/token`,
    jwks_uri: `${server}/keys`,
    // Required (RFC 8414 2), and empty as long as nobody can be sent to an authorization endpoint.
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    ...(isOpenId ? openIdSubjects : {}),
    scopes_supported: scopes.map((scope) => `${namespaceWord}.${scope}`),
    // Specification 4.6: the organization's own server takes no secrets here.
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: SIGNATURE_ALGORITHM_NAMES,
    ...(isOpenId ? openIdClaims : {}),
    ...clientEndpoint('introspection', `${server}/introspect`, CLIENT_METHODS),
    ...clientEndpoint('revocation', `${server}/revoke`, CLIENT_METHODS),
    ...(isOpenId ? { request_parameter_supported: false } : {}),
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  };
}

/**
 * Metadata of RFC 8414: what this server does, and nothing that it does not do yet. Members stand in the contract's
 * order (example OrgASOidcMetadata).
 */
export const authorizationServerMetadata = (input: MetadataInput): Metadata => metadata(input, false);

/** The same with what OpenID Connect Discovery 3 adds. */
export const openIdProviderMetadata = (input: MetadataInput): Metadata => metadata(input, true);

/** What discovery documents say of a custom authorization server. */
export interface ServerMetadataInput {
  readonly baseUrl: string;
  /** Behind the address it is the issuer, and the root of every endpoint. */
  readonly issuerPath: string;
  /** Names of the scopes that the server publishes. */
  readonly scopes: readonly string[];
}

/** Claims of access tokens of custom servers, in the order of the contract's example; their own are never told. */
const SERVER_CLAIMS = ['ver', 'jti', 'iss', 'aud', 'iat', 'exp', 'cid', 'scp', 'sub'];

function serverMetadata({ baseUrl, issuerPath, scopes }: ServerMetadataInput, isOpenId: boolean): Metadata {
  const issuer = baseUrl + issuerPath;
  return {
    issuer,
    token_endpoint: `${issuer}/v1/token`,
    jwks_uri: `${issuer}/v1/keys`,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    subject_types_supported: ['public'],
    ...(isOpenId ? { id_token_signing_alg_values_supported: ['RS256'] } : {}),
    scopes_supported: scopes,
    token_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    claims_supported: SERVER_CLAIMS,
    ...clientEndpoint('introspection', `${issuer}/v1/introspect`, CLIENT_METHODS),
    ...clientEndpoint('revocation', `${issuer}/v1/revoke`, CLIENT_METHODS),
    request_parameter_supported: false,
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  };
}

/** Metadata of a custom server by RFC 8414 (contract: example CustomASOAuthMetadata). */
export const customServerMetadata = (input: ServerMetadataInput): Metadata => serverMetadata(input, false);

/** The same with what OpenID Connect Discovery 3 adds (contract: example CustomASOidcMetadata). */
export const customOpenIdMetadata = (input: ServerMetadataInput): Metadata => serverMetadata(input, true);
