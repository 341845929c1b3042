import { badClient, badRequest, badScope, type OAuthErrorRow, refusal } from './oauth-error-row.ts';

const denied = refusal(403, 'access_denied');
const notThere = refusal(400, 'login_required');
const badObject = refusal(400, 'invalid_request_object');
const badMode = refusal(400, 'unsupported_response_mode');

/**
 * The part of OAUTH_ERRORS for authorization requests (RFC 6749 4.1.2.1, OpenID Connect Core 3.1.2.6, RFC 9101 7,
 * RFC 9126 2.3). Token requests get some of these errors too, and `absentUserDenied` is only for them.
 */
export const AUTHORIZATION_ERRORS = {
  missingParameter: badRequest('missing_token_request_parameter', "The required parameter '{parameter}' is missing."),
  illegalRedirectUri: badRequest(
    'illegal_redirect_uri',
    "The 'redirect_uri' parameter must be a Login redirect URI in the client app settings.",
  ),
  unsupportedResponseType: refusal(400, 'unsupported_response_type')(
    'unsupported_response_type',
    'The response type is not supported by the authorization server. Configured response types: [{responseTypes}].',
  ),
  unsupportedResponseMode: badMode(
    'unsupported_response_mode',
    'The response mode is not supported by the authorization server. ' +
      'Valid response modes: [query, fragment, form_post, {word}_post_message].',
  ),
  queryModeWithTokens: badMode(
    'unsupported_response_mode_query_with_tokens',
    "'query' response mode cannot be used with either the 'id_token' or 'token' response types.",
  ),
  invalidState: badRequest('invalid_state', "The authentication request has an invalid 'state' parameter."),
  invalidNonce: badRequest(
    'invalid_nonce',
    "The 'nonce' parameter is required for authorize requests with either the 'id_token' or 'token' response types..",
  ),
  invalidPrompt: badRequest('invalid_prompt', "Invalid value for 'prompt' parameter. Supported values: [{prompts}]"),
  promptNoneWithZeroMaxAge: badRequest(
    'invalid_prompt_for_zero_max_age',
    "'prompt' parameter must not have the value 'none' for request with 'zero' as max_age.",
  ),
  providerUnsupported: badRequest(
    'idp_not_supported',
    "Sign-in with another identity provider, as requested by the 'idp' parameter, is not supported yet.",
  ),
  invalidMaxAge: badRequest(
    'invalid_max_age',
    "Invalid value for 'max_age' parameter. It should be within range 0 - 2^31-1.",
  ),
  pkceMissingChallenge: badRequest('pkce_missing_challenge', 'PKCE code challenge is required by the application.'),
  pkceInvalidChallenge: badRequest('pkce_invalid_challenge', 'PKCE code challenge contains illegal characters.'),
  pkceUnsupportedMethod: badRequest(
    'pkce_unsupported_code_challenge_method',
    'PKCE code challenge method is not supported. Valid values: [{methods}]',
  ),
  loginRequired: notThere('login_required', 'The client specified not to prompt, but the user is not logged in.'),
  /** The user's last sign-in is older than `max_age`, or older than the app's sign-on policy allows. */
  reauthenticationRequired: notThere(
    'app_sign_on_required',
    'The client specified not to prompt, but the client app requires re-authentication or MFA.',
  ),
  requestExpired: notThere('request_expired', 'Request expired, please start over and try again.'),
  userNotAssigned: refusal(400, 'access_denied')(
    'user_not_assigned',
    'User is not assigned to the client application.',
  ),
  accessDenied: denied('access_denied', 'The resource owner or authorization server denied the request.'),
  appPolicyDenied: refusal(401, 'access_denied')(
    'no_matching_policy',
    'Policy evaluation failed for this request, please check the policy configurations.',
  ),
  /** The absent user is an administrator, and the client has no valid approval to act for them (ADR 0060). */
  absentUserDenied: refusal(401, 'access_denied')(
    'absent_user_denied',
    'The client may not obtain tokens for this user while the user is absent.',
  ),
  invalidUserStatus: denied('invalid_user_status_error', 'User status is invalid.'),
  unsupportedAssurance: denied('unsupported_mfa_attestation', "'acr_values' not supported."),
  openidScopeRequired: badScope(
    'openid_scope_required',
    "Requests for ID tokens or access tokens with OpenID scopes require the 'openid' scope.",
  ),
  noMatchingScope: badScope(
    'no_matching_scope',
    'One or more scopes are not configured for the authorization server resource.',
  ),
  noOrgScopesGranted: refusal(400, 'consent_required')(
    'no_org_scopes_granted',
    'You are not allowed any of the requested scopes.',
  ),
  consentRequired: refusal(400, 'consent_required')(
    'consent_required',
    'The following scopes require user consent: [{scopes}].',
  ),
  temporarilyUnavailable: refusal(400, 'temporarily_unavailable')(
    'temporarily_unavailable',
    'The authorization server is currently unable to handle the request due to a temporary overloading or ' +
      'maintenance of the server.',
  ),
  invalidRequestObject: badObject('request_object_invalid', 'The request object cannot be parsed.'),
  requestObjectSignature: badObject('request_object_bad_signature', 'The signature of the request object is invalid.'),
  requestObjectAlgorithm: badObject(
    'request_object_invalid_signature_algorithm',
    'The JWT signature algorithm of the request object is invalid.',
  ),
  requestObjectOtherAlgorithm: badObject(
    'request_object_header_algo_mismatch',
    'The signing algorithm used is not supported by this client.',
  ),
  requestObjectKid: badObject('request_object_invalid_kid', 'The JWT kid of the request object is invalid.'),
  requestObjectKeyUse: badObject(
    'request_object_jwt_not_signed_with_signing_key',
    'The request object needs to be signed using a signing key.',
  ),
  requestObjectKeys: badClient(
    'request_object_jwks_not_configured',
    'The client does not have a JWKSet configured, but the request object requires one.',
  ),
  requestObjectIssuer: badClient('request_object_invalid_issuer', 'The issuer of the request object is invalid.'),
  requestObjectAudience: badObject(
    'request_object_audience_mismatch',
    'The audience of the request object is invalid.',
  ),
  requestObjectExpired: badObject('request_object_jwt_expired', 'The request object is expired.'),
  requestObjectExpiresTooFar: badObject(
    'request_object_jwt_expiration_too_long',
    'The request object expires too far in the future.',
  ),
  requestObjectIssuedInFuture: badObject(
    'request_object_issued_in_future',
    'The request object is issued in the future.',
  ),
  requestObjectUsed: badObject('request_object_already_used', 'The request object has already been used.'),
  requestObjectAndUri: badRequest(
    'authorize_request_object_and_request_uri_provided',
    'The authorize request must not contain both a request object and a request uri.',
  ),
  /** The error of a URI with the form of a pushed authorization request's. Other URIs are `requestUriNotSupported`. */
  invalidRequestUri: refusal(400, 'invalid_request_uri')(
    'invalid_request_uri',
    'The authorize request_uri is invalid.',
  ),
  requestUriNotSupported: refusal(400, 'request_uri_not_supported')(
    'request_uri_not_supported',
    'The authorize request uri is not supported by this client.',
  ),
  requestUriOfOtherServer: refusal(400, 'invalid_request_uri')(
    'authorize_request_uri_mismatched_authorization_server',
    'The request_uri was issued for another authorization server.',
  ),
  requestUriOfOtherClient: badClient(
    'authorize_request_uri_mismatched_client',
    "The 'client_id' parameter does not match the expected value for the provided request_uri.",
  ),
  requestUriPushed: badRequest(
    'pushed_authorization_request_uri_present',
    "The 'request_uri' parameter must not be present in the request.",
  ),
} as const satisfies Readonly<Record<string, OAuthErrorRow>>;
