import { badClient, badRequest, badScope, type OAuthErrorRow, refusal } from './oauth-error-row.ts';

const denied = refusal(400, 'access_denied');

/** Errors of backchannel authentication (CIBA Core 11, 13). */
export const BACKCHANNEL_ERRORS = {
  backchannelApplicationType: denied(
    'ciba_feature_not_supported',
    'The Client-Initiated Backchannel Authentication flow currently only supports web applications.',
  ),
  /** The user already has the maximum number of pending requests, from this client or in total. */
  backchannelNotBegun: denied(
    'ciba_mfa_challenge_initiation_failure',
    'Failed to initiate the MFA challenge for the Client-Initiated Backchannel Authentication flow.',
  ),
  backchannelGrantMissing: badClient(
    'ciba_request_grant_type_not_configured',
    "The client doesn't have the 'urn:openid:params:grant-type:ciba' grant type configured.",
  ),
  backchannelAlgorithmMissing: badClient(
    'ciba_request_signed_algo_not_configured',
    "The client doesn't have a RequestObjectSigningAlgorithm configured for signing authentication requests for the " +
      'Client-Initiated Backchannel Authentication flow.',
  ),
  backchannelHint: badRequest(
    'ciba_request_invalid_hint',
    "The Client-Initiated Backchannel Authentication Flow must contain only one of 'id_token_hint' or 'login_hint'.",
  ),
  /** The user is unknown, not assigned to the app, or not active. The response does not say which of these is true. */
  backchannelUnknownUser: badRequest(
    'ciba_request_unknown_user_id',
    'The hint provided in the request did not match a user assigned to the client app.',
  ),
  backchannelScope: badScope(
    'ciba_request_invalid_scope',
    "The Client-Initiated Backchannel Authentication Flow must contain 'openid' scope.",
  ),
  backchannelScopesMissing: badScope('ciba_request_missing_scope', 'No scopes were requested.'),
  /** The contract has no code for this error of CIBA Core 13. */
  invalidBindingMessage: refusal(400, 'invalid_binding_message')(
    'invalid_binding_message',
    "The 'binding_message' must be one line of at most 100 characters.",
  ),
  backchannelPending: refusal(400, 'authorization_pending')(
    'ciba_authorization_pending',
    "The authorization request is still pending as the user hasn't yet been authenticated.",
  ),
  backchannelSlowDown: refusal(400, 'slow_down')('ciba_slow_down', 'Slow down the polling frequency. Try again later.'),
  backchannelExpired: refusal(400, 'expired_token')(
    'ciba_expired_auth_req_id',
    "The 'auth_req_id' is invalid or has expired. Make a new authentication request.",
  ),
} as const satisfies Readonly<Record<string, OAuthErrorRow>>;
