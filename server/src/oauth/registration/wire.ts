import { wireGrantType } from '../../kernel/grant-types.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import type { ClientApp, ShownApp } from '../../management/apps/index.ts';

/** Optional members, which are absent unless they were set. */
const AS_STORED = [
  'tos_uri',
  'policy_uri',
  'post_logout_redirect_uris',
  'initiate_login_uri',
  'jwks_uri',
  'frontchannel_logout_uri',
  'frontchannel_logout_session_required',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'require_pushed_authorization_requests',
  'request_object_signing_alg',
  'backchannel_token_delivery_mode',
  'backchannel_authentication_request_signing_alg',
  'id_token_encrypted_response_alg',
] as const;

/** Renders a client as registration responses show it (RFC 7591 3.2.1). */
export function wireClient(app: ClientApp, shown: ShownApp, namespace: Namespace): Record<string, unknown> {
  const { credentials, settings } = app.document;
  const { oauthClient } = settings;
  const method = credentials.oauthClient.token_endpoint_auth_method;
  const { clientSecret, keys } = shown;
  return {
    client_id: app.clientId,
    ...(clientSecret === undefined || clientSecret === null ? {} : { client_secret: clientSecret }),
    client_id_issued_at: Math.floor(app.createdAt.getTime() / 1_000),
    ...(method.startsWith('client_secret_') ? { client_secret_expires_at: 0 } : {}),
    client_name: app.label,
    client_uri: oauthClient.client_uri ?? null,
    logo_uri: oauthClient.logo_uri ?? null,
    application_type: oauthClient.application_type,
    redirect_uris: oauthClient.redirect_uris,
    response_types: oauthClient.response_types,
    grant_types: oauthClient.grant_types.map((grantType) => wireGrantType(grantType, namespace)),
    token_endpoint_auth_method: method,
    ...Object.fromEntries(
      AS_STORED.flatMap((name) => (oauthClient[name] === undefined ? [] : [[name, oauthClient[name]]])),
    ),
    ...(oauthClient.dpop_bound_access_tokens ? { dpop_bound_access_tokens: true } : {}),
    ...(keys.length === 0 ? {} : { jwks: { keys: keys.map(({ jwk }) => jwk) } }),
  };
}
