import { AUTHORIZATION_ERRORS } from './authorization-errors.ts';
import { BACKCHANNEL_ERRORS } from './backchannel-errors.ts';
import { GRANT_ERRORS } from './grant-errors.ts';
import { badClient, badRequest, badScope, type OAuthErrorRow, refusal } from './oauth-error-row.ts';

const badProof = refusal(400, 'invalid_dpop_proof');
const badClaim = refusal(400, 'server_error');

/** Errors of the OAuth endpoints (RFC 6749 5.2). `{name}` is a placeholder. */
export const OAUTH_ERRORS = {
  ...AUTHORIZATION_ERRORS,
  ...GRANT_ERRORS,
  ...BACKCHANNEL_ERRORS,
  invalidRequest: badRequest('invalid_request', 'Invalid request'),
  duplicateParameters: badRequest(
    'duplicate_oauth_params',
    'The request contained multiple parameters with the same name.',
  ),
  clientCredentialsInQuery: badRequest(
    'client_credentials_in_query',
    'Client credentials cannot be supplied via query parameters.',
  ),
  missingGrantType: badRequest(
    'token_request_missing_grant_type',
    "The token request must specify a 'grant_type'. Valid values: [{grantTypes}]",
  ),
  unsupportedGrantType: refusal(400, 'unsupported_grant_type')(
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server. Configured grant ' +
      'types: [{grantTypes}].',
  ),
  browserGrantType: refusal(400, 'unauthorized_client')(
    'unsupported_grant_type_browser_request',
    'Browser requests to the token endpoint may only use the authorization_code grant_type.',
  ),
  unauthorizedClient: refusal(400, 'unauthorized_client')(
    'unauthorized_client',
    'The client is not authorized to use the provided grant type. Configured grant types: [{grantTypes}].',
  ),
  invalidAuthorizationServer: badRequest('invalid_authorization_server', 'The authorization server id is invalid.'),
  multipleClientCredentials: refusal(401, 'invalid_request')(
    'multiple_client_credentials',
    'Cannot supply multiple client credentials. Use one of the following: credentials in the ' +
      'Authorization header, credentials in the post body, or a client_assertion in the post body.',
  ),
  missingClientCredentials: badClient('missing_client_credentials', 'No client credentials found.'),
  invalidBasicCredentials: badClient(
    'invalid_basic_auth_creds',
    'Found Authentication header but was not valid client credentials.',
  ),
  /** Inactive clients get this error too. */
  invalidClient: badClient(
    'invalid_client',
    'Client authentication failed. Either the client or the client credentials are invalid.',
  ),
  invalidClientId: badClient('invalid_client_id', "Invalid value for 'client_id' parameter."),
  invalidClientSecret: badClient(
    'invalid_client_secret',
    'The client secret supplied for a confidential client is invalid.',
  ),
  invalidTokenEndpointAuthMethod: badClient(
    'invalid_token_endpoint_auth_method',
    'Client authentication failed. Either the client or the client credentials are invalid.',
  ),
  privateKeyJwtRequired: badClient(
    'unsupported_auth_method_client_creds',
    'Client Credentials requests to the Org Authorization Server must use the private_key_jwt ' +
      'token_endpoint_auth_method.',
  ),
  serviceClientRequired: badClient(
    'invalid_application_type_client_credentials',
    "Only clients with 'application_type' of 'service' may use the client_credentials 'grant_type' " +
      'with the Org Authorization Server.',
  ),
  assertionTypeInvalid: badRequest('client_assertion_type_invalid', 'The client_assertion_type is invalid.'),
  assertionInvalidJwt: badClient('client_assertion_invalid_jwt', 'The parsing of the client_assertion failed.'),
  assertionInvalidIssuer: badClient(
    'client_assertion_invalid_issuer',
    'The issuer claim for client_assertion is not a valid client_id.',
  ),
  assertionInvalidSubject: badClient(
    'client_assertion_invalid_subject',
    'The subject claim for client_assertion is not a valid client_id.',
  ),
  assertionInvalidAudience: badClient(
    'client_assertion_invalid_audience',
    'The audience claim for client_assertion must be the endpoint invoked for the request.',
  ),
  assertionExpirationRequired: badClient(
    'client_assertion_expiration_required',
    "The client_assertion must contain the 'exp' claim as seconds since epoch.",
  ),
  assertionExpired: badClient('client_assertion_expired_token', 'The client_assertion token is expired.'),
  assertionExpiresTooFar: badClient(
    'client_assertion_expires_too_far_in_future',
    'The client_assertion token has an expiration too far into the future.',
  ),
  assertionIssuedInFuture: badClient(
    'client_assertion_issued_at_in_future',
    'The client_assertion token must be issued before the current time.',
  ),
  assertionAlreadyUsed: badClient('client_assertion_already_used', 'The client_assertion token has already been used.'),
  assertionInvalidSignature: badClient(
    'client_assertion_invalid_signature',
    'The client_assertion signature is invalid.',
  ),
  assertionInvalidAlgorithm: badClient(
    'client_assertion_invalid_signature_algorithm',
    'The client_assertion JWT signature algorithm is invalid.',
  ),
  assertionInvalidKid: badClient('client_assertion_invalid_kid', 'The client_assertion JWT kid is invalid.'),
  assertionInvalidKeyUse: badClient(
    'client_assertion_invalid_key_use',
    "The public key being used for client assertion has an invalid 'use' parameter. Valid values for " +
      "the 'use' parameter are {uses}.",
  ),
  assertionKeysNotConfigured: badClient(
    'client_assertion_jwks_not_configured',
    'The client does not have a JWKSet configured, but the client_assertion requires one.',
  ),
  assertionNoSecret: badClient(
    'client_assertion_invalid_no_secret',
    'The issuer and subject claim for client_assertion is invalid because the client does not have a client secret.',
  ),
  remoteKeysUnavailable: badClient('jwks_uri_error', 'Error retrieving the client JWKSet from jwks_uri.'),
  invalidScope: badScope(
    'invalid_scope',
    'The requested scope is invalid, unknown, malformed, or exceeds the scope granted by the resource owner.',
  ),
  missingScopes: badScope('missing_scopes', 'No scopes were requested.'),
  noDefaultScopes: badScope(
    'no_default_scopes',
    "The authorization server resource does not have any configured default scopes, 'scope' must be provided.",
  ),
  openidScopeForClient: badScope(
    'openid_not_allowed_client_creds',
    "Cannot request 'openid' scopes using client credentials.",
  ),
  selfScopeForClient: refusal(400, 'client_credentials_self_scope_requested')(
    'client_credentials_self_scope_requested',
    "The 'client_credentials' grant type may not request .self scopes.",
  ),
  consentRequiredForClient: refusal(400, 'consent_required')(
    'consent_required_client_credentials',
    'The following scopes require user consent and cannot be granted for the client credentials grant type: ' +
      '[{scopes}].',
  ),
  noMatchingPolicy: refusal(401, 'access_denied')(
    'no_matching_policy',
    'Policy evaluation failed for this request, please check the policy configurations.',
  ),
  userClaimFailed: badClaim('user_claim_evaluation_failure', "=The '{claim}' user claim could not be evaluated."),
  systemClaimFailed: badClaim('system_claim_evaluation_failure', "The '{claim}' system claim could not be evaluated."),
  /** This error and the next one come from RFC 7591 3.2.2. */
  invalidClientMetadata: refusal(400, 'invalid_client_metadata')('invalid_client_metadata', 'Invalid request'),
  invalidRedirectUris: refusal(400, 'invalid_redirect_uri')(
    'invalid_redirect_uri',
    "The 'redirect_uri' parameter must be a Login redirect URI in the client app settings.",
  ),
  illegalPostLogoutRedirectUri: badRequest(
    'illegal_post_logout_redirect_uri',
    "The 'post_logout_redirect_uri' parameter must be a Logout redirect URI in the client app settings.",
  ),
  missingToken: badRequest('request_missing_token', "The 'token' parameter is required."),
  useDpopNonce: refusal(400, 'use_dpop_nonce')('use_dpop_nonce', 'Authorization server requires nonce in DPoP proof.'),
  dpopProofMissing: badProof('invalid_dpop_proof_missing_header', 'The DPoP proof JWT header is missing.'),
  dpopProofMultiple: badProof(
    'invalid_dpop_proof_multiple_headers_not_allowed',
    'Multiple DPoP proof JWT headers are not allowed.',
  ),
  dpopInvalidJwt: badProof('invalid_dpop_proof_invalid_jwt', 'The DPoP proof JWT cannot be parsed.'),
  dpopInvalidType: badProof('invalid_dpop_proof_invalid_type', "'typ' must be 'dpop+jwt' in the DPoP proof JWT."),
  dpopInvalidAlgorithm: badProof(
    'invalid_dpop_proof_invalid_signature_algorithm',
    'The DPoP proof JWT signature algorithm is invalid.',
  ),
  dpopInvalidSignature: badProof('invalid_dpop_proof_invalid_signature', 'The DPoP proof JWT signature is invalid.'),
  dpopInvalidHtm: badProof('invalid_dpop_proof_invalid_htm', "'htm' claim in the DPoP proof JWT is invalid."),
  dpopInvalidHtu: badProof('invalid_dpop_proof_invalid_htu', "'htu' claim in the DPoP proof JWT is invalid."),
  dpopInvalidIat: badProof('invalid_dpop_proof_invalid_iat', "'iat' claim in the DPoP proof JWT is invalid."),
  dpopIssuedInFuture: badProof(
    'invalid_dpop_proof_jwt_issued_in_future',
    'The DPoP proof JWT is issued in the future.',
  ),
  dpopTooOld: badProof(
    'invalid_dpop_proof_jwt_too_old',
    'The DPoP proof JWT is issued more than five minutes in the past.',
  ),
  dpopInvalidJti: badProof('invalid_dpop_proof_invalid_jti', "'jti' claim in the DPoP proof JWT is invalid."),
  dpopAlreadyUsed: badProof('dpop_proof_already_used', 'The DPoP proof JWT has already been used.'),
  dpopInvalidAth: badProof(
    'dpop_proof_invalid_ath',
    "'ath' claim in the DPoP proof does not match the presented access_token.",
  ),
} as const satisfies Readonly<Record<string, OAuthErrorRow>>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

export interface OAuthErrorOptions {
  /** This text replaces the table's, for example to give values to its placeholders. */
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthErrorCode, options: OAuthErrorOptions = {}) {
    super(options.description ?? OAUTH_ERRORS[code].description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = OAUTH_ERRORS[code].status;
    this.error = OAUTH_ERRORS[code].error;
    this.headers = options.headers ?? {};
  }
}

export const oauthError = (code: OAuthErrorCode, options?: OAuthErrorOptions): OAuthError =>
  new OAuthError(code, options);

export const oauthDescription = (code: OAuthErrorCode, values: Readonly<Record<string, string>>): string =>
  OAUTH_ERRORS[code].description.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
