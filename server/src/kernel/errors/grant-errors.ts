import { badRequest, type OAuthErrorRow, refusal } from './oauth-error-row.ts';

const badGrant = refusal(400, 'invalid_grant');
const badToken = refusal(401, 'invalid_token');
const badTarget = refusal(400, 'invalid_target');

/** The part of OAUTH_ERRORS for issuing and using tokens of users (RFC 6749 5.2, RFC 6750 3.1, RFC 7636 4.6). */
export const GRANT_ERRORS = {
  invalidGrant: badGrant('invalid_grant', 'Invalid grant'),
  invalidCode: badGrant('invalid_authorization_code', 'The authorization code is invalid or has expired.'),
  mismatchedClient: badGrant(
    'mismatched_client',
    "The grant was issued to another client. Please make sure the 'client_id' matches the one used at the " +
      'authorize request.',
  ),
  mismatchedRedirectUri: badGrant(
    'mismatched_redirect_uri',
    "The 'redirect_uri' does not match the redirection URI used in the authorization request.",
  ),
  invalidDeviceCode: badGrant('invalid_device_code', 'The device code is invalid or has expired.'),
  /** This error and the next two come from RFC 8628 3.5. */
  authorizationPending: refusal(400, 'authorization_pending')(
    'authorization_pending',
    'The device authorization is pending. Please try again later.',
  ),
  slowDown: refusal(400, 'slow_down')('slow_down', 'Slow down the polling frequency. Please try again later.'),
  expiredDeviceCode: refusal(400, 'expired_token')('expired_token', 'The device code has expired.'),
  pkceVerificationFailed: badGrant('pkce_verification_failed', 'PKCE verification failed.'),
  pkceMissingVerifier: badRequest('pkce_missing_verifier', 'PKCE code verifier is required by the application.'),
  pkceVerifierWithoutChallenge: badRequest(
    'pkce_missing_challenge_verifier_present',
    'PKCE code challenge should be specified in the authorize request for code verification.',
  ),
  invalidRefreshToken: badGrant('invalid_refresh_token', 'The refresh token is invalid or expired.'),
  dpopOtherKey: refusal(400, 'invalid_dpop_proof')(
    'invalid_dpop_proof_invalid_public_key_binding',
    'Invalid DPoP Public Key binding in refresh token',
  ),
  invalidPassword: badGrant('invalid_password_credentials', 'The credentials provided were invalid.'),
  userRateLimited: refusal(429, 'invalid_grant')(
    'user_rate_limited',
    'API call exceeded rate limit due to too many requests.',
  ),
  consentRequiredForPassword: refusal(400, 'consent_required')(
    'consent_required_ropf',
    'The following scopes require user consent: [{scopes}]. To access protected scopes using the resource owner ' +
      "password grant type, please uncheck 'Require consent' in the app settings or set the 'consent_method' to " +
      "'TRUSTED' through the apps API.",
  ),
  consentRequiredForExchange: refusal(400, 'consent_required')(
    'consent_required_token_exchange',
    'The following scopes require user consent: [{scopes}]. To access protected scopes using the token_exchange ' +
      "password grant type, please uncheck 'Require consent' in the app settings or set the apps 'consent_method' to " +
      "'TRUSTED'.",
  ),
  invalidSubjectToken: badRequest('invalid_subject_token', "'subject_token' is invalid."),
  invalidSubjectTokenType: badRequest(
    'invalid_subject_token_type',
    "'subject_token_type' is invalid or not supported.",
  ),
  subjectTokenExpired: badGrant(
    'token_exchange_subject_token_expired',
    "The 'subject_token' either expired or the session associated with it was terminated.",
  ),
  subjectTokenActors: badRequest(
    'invalid_subject_token_act_claim_depth',
    "The 'subject_token' 'act' claim contains too many nested actors.",
  ),
  untrustedServer: refusal(403, 'access_denied')(
    'associated_server_not_trusted',
    "The 'subject_token' issuer isn't a trusted authorization server.",
  ),
  invalidActorToken: badRequest('invalid_actor_token', "'actor_token' is invalid."),
  invalidActorTokenType: badRequest('invalid_actor_token_type', "'actor_token_type' is invalid or not supported."),
  actorTokenOfOtherClient: badGrant(
    'web_sso_actor_token_wrong_audience',
    "The 'actor_token' must be issued to the client making the request.",
  ),
  invalidRequestedTokenType: badRequest(
    'invalid_requested_token_type',
    "'requested_token_type' is invalid or not supported.",
  ),
  exchangeAudience: badTarget(
    'token_exchange_invalid_audience',
    'Token Exchange requests must include a valid audience of the authorization server.',
  ),
  exchangeResource: badTarget('token_exchange_invalid_resource', "'resource' is invalid or not supported."),
  assertionGrantIssuer: badToken(
    'jwt_bearer_grant_invalid_issuer',
    'The issuer of the token is not permitted to use the JWT Bearer Grant.',
  ),
  assertionGrantAudience: badGrant(
    'jwt_bearer_grant_invalid_audience',
    'The audience of the JWT Bearer Grant must match the the issuer of the authorization server.',
  ),
  assertionGrantReplayed: badGrant('jwt_bearer_grant_replayed', 'The jti of the JWT Bearer Grant was already used.'),
  accessTokenMissing: refusal(401, 'invalid_request')('access_token_missing', 'The access token is missing.'),
  accessTokenInQuery: badRequest('access_token_in_query', 'The access token cannot be presented in a query string.'),
  accessTokenTwice: badRequest(
    'access_token_duplicate',
    'The access token cannot be specified in both the Authorization header and the request-body.',
  ),
  accessTokenInvalid: badToken('access_token_invalid', 'The access token is invalid.'),
  insufficientScope: refusal(403, 'insufficient_scope')(
    'access_token_insufficient_scopes',
    'The access token provided does not contain the required scopes.',
  ),
} as const satisfies Readonly<Record<string, OAuthErrorRow>>;
