import { all, type Settings, shown } from './proof.ts';

// biome-ignore format: each setting is one line
export const CLIENT_SETTINGS: Settings = {
  application_type: shown('apps-redirect-uris', 'lets native apps have schemes of their own, and nobody else'),
  grant_types: shown('custom-server-refusals', 'a client that has other grant types'),
  response_types: shown('authorize-refusals', '%s', 'tokens that the app may not have'),
  redirect_uris: shown('authorize-refusals', 'that is taken away is good no more'),
  post_logout_redirect_uris: shown('logout-requests', 'it ends, the cookie goes, and the browser goes on with its state'),
  ...all('client_uri initiate_login_uri', shown('app-links', 'leads a client to where its sign-in begins, else to its own page, else nothing leads there')),
  tos_uri: shown('consent-page', 'names app, org and user, and links to what the app says of itself'),
  policy_uri: shown('consent-page', 'names app, org and user, and links to what the app says of itself'),
  consent_method: shown('consent', 'prompt %s, app %s, scope %s'),
  wildcard_redirect: shown('authorize-refusals', 'may have a star where the app has turned it on, in one label'),
  'refresh_token.rotation_type': shown('token-refresh', 'of an app without rotation stays the same'),
  'refresh_token.leeway': shown('token-refresh', 'behind the leeway ends the family'),
  'jwks.keys': shown('token-client-authentication', 'a key that was taken from the client proves nothing any more'),
  jwks_uri: shown('clients-key-sets', 'are those of the address that the client has now'),
  dpop_bound_access_tokens: shown('custom-server-refusals', 'a client without a token binding that its app asks for'),
  require_pushed_authorization_requests: shown('authorize-pushed', 'has none for others, and is told so'),
  backchannel_logout_uri: shown('logout-backchannel', 'once, and none whose session goes on, who wants nothing, or who is not active'),
  request_object_signing_alg: shown('authorize-pushed', 'by another algorithm than the one that is registered'),
  initiate_login_uri: shown('app-links', 'leads a client to where its sign-in begins, else to its own page, else nothing leads there'),
  client_uri: shown('app-links', 'leads a client to where its sign-in begins, else to its own page, else nothing leads there'),
  backchannel_authentication_request_signing_alg: shown('backchannel-refusals', 'is the only one of a client that is registered to sign, and none of another'),

  logo_uri: 'It is shown to readers of the client. Pages show the uploaded logo.',
  issuer_mode: 'The issuer is the URL of the org that the client used.',
  'idp_initiated_login.mode': 'An app is started at its own URL. It gets no token before it asks for one.',
  'idp_initiated_login.default_scope': 'An app is started at its own URL. It gets no token before it asks for one.',
  participate_slo: 'It can be used to find apps. Sign-outs are sent to backchannel_logout_uri only.',
  frontchannel_logout_uri: 'Apps learn of the end of a session through the back channel only.',
  frontchannel_logout_session_required: 'Apps learn of the end of a session through the back channel only.',
  backchannel_logout_session_required: 'Logout tokens always name the session.',
  sector_identifier_uri: 'Every client knows a user by the same subject.',
  subject_type: 'Every client knows a user by the same subject.',
  id_token_encrypted_response_alg: 'ID tokens are signed but not encrypted.',
  backchannel_token_delivery_mode: 'It must be poll, which is also the default.',
  backchannel_custom_authenticator_id: 'There is one way to reach a user for approval: a mail with a link to a page.',
  'network.connection': 'It must be ANYWHERE, which is also the default.',
};

// biome-ignore format: each setting is one line
export const CLIENT_CREDENTIALS: Settings = {
  client_secret: shown('clients-secrets', 'follows another: made, used, the first one deactivated and deleted'),
  token_endpoint_auth_method: shown('token-secret-ways', '%s sends its secret that way alone'),
  client_id: shown('clients-chosen-ids', 'is the client’s wherever the app is shown, beside the id of the app'),
  pkce_required: shown('authorize-refusals', 'public clients, and those that ask for it, need PKCE'),

  autoKeyRotation: 'Keys of the authorization server sign the tokens, and rotate by its settings.',
};

// biome-ignore format: each setting is one line
export const ORG_SETTINGS: Settings = {
  passwordErrors: shown('users-create-passwords', 'an org may have the older single cause instead'),
  rateLimits: shown('edge-cors', 'may read that it asked too often'),
  perTokenPercent: shown('edge-rate-limits', 'a setting gives each token its share; what one is refused is left for the others'),
  eventNames: shown('authorize-responses', 'in the names of today each token has an event'),
  logRetentionDays: shown('scale/system-log-retention', 'stays as long as one org keeps its log longer, and goes when that org no longer does'),
  httpRedirectUris: shown('apps-redirect-uris', 'takes them; what is there stays when the org takes that back, and doctor names it'),
};
