import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { APPLICATION_TYPES, RESPONSE_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from '../../kernel/words/client-words.ts';

export const ClientIdParams = Type.Object({ clientId: Type.String({ description: '`client_id` of the client.' }) });

const MAXIMUM_URI_LENGTH = 1_024;
const SIGNING_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'] as const;
const ENCRYPTION_ALGORITHMS = ['RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'] as const;

/** Null means the same as an absent member (RFC 7592 2.2). */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const word = <const Words extends readonly string[]>(words: Words) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] });

const flag = given(Type.Boolean());
const uri = given(Type.String({ maxLength: MAXIMUM_URI_LENGTH }));
const uris = given(Type.Array(Type.String({ maxLength: MAXIMUM_URI_LENGTH }), { maxItems: 500 }));

/** The metadata of a client (RFC 7591 2). Unknown members are ignored. */
export const ClientMetadataBody = Type.Object({
  client_id: given(
    Type.String({
      description: 'In a replacement: the `client_id` of the client. Clients cannot choose it.',
    }),
  ),
  client_secret: given(Type.String({ description: 'In a replacement: the present secret, or nothing.' })),
  client_id_issued_at: Type.Optional(Type.Unknown({ description: 'It must not be in a replacement.' })),
  client_secret_expires_at: Type.Optional(Type.Unknown({ description: 'It must not be in a replacement.' })),
  client_name: Type.String(),
  application_type: given(word(APPLICATION_TYPES)),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  response_types: given(Type.Array(word(RESPONSE_TYPES), { maxItems: 3 })),
  grant_types: given(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20 })),
  token_endpoint_auth_method: given(word(TOKEN_ENDPOINT_AUTH_METHODS)),
  client_uri: uri,
  logo_uri: uri,
  tos_uri: uri,
  policy_uri: uri,
  initiate_login_uri: uri,
  jwks: given(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 50 }) })),
  jwks_uri: uri,
  frontchannel_logout_uri: uri,
  frontchannel_logout_session_required: flag,
  backchannel_logout_uri: given(
    Type.String({ maxLength: MAXIMUM_URI_LENGTH, description: 'The https address that gets logout tokens.' }),
  ),
  backchannel_logout_session_required: flag,
  dpop_bound_access_tokens: flag,
  require_pushed_authorization_requests: flag,
  request_object_signing_alg: given(word(SIGNING_ALGORITHMS)),
  backchannel_token_delivery_mode: given(word(['poll'])),
  backchannel_authentication_request_signing_alg: given(word(SIGNING_ALGORITHMS)),
  id_token_encrypted_response_alg: given(word(ENCRYPTION_ALGORITHMS)),
});
export type ClientMetadata = Static<typeof ClientMetadataBody>;

const Words = Type.Array(Type.String());
const OptionalUri = Type.Optional(Type.String());

/** A registered client (RFC 7591 3.2.1). */
export const ClientSchema = Type.Object({
  client_id: Type.String(),
  client_secret: Type.Optional(
    Type.String({ description: 'The secret. The response contains it only when it has just been made.' }),
  ),
  client_id_issued_at: Type.Integer({ description: 'The time of the registration, in seconds since 1970-01-01 UTC.' }),
  client_secret_expires_at: Type.Optional(Type.Literal(0, { description: 'Always 0: the secret does not expire.' })),
  client_name: Type.String(),
  client_uri: Type.Union([Type.String(), Type.Null()]),
  logo_uri: Type.Union([Type.String(), Type.Null()]),
  tos_uri: OptionalUri,
  policy_uri: OptionalUri,
  redirect_uris: Words,
  post_logout_redirect_uris: Type.Optional(Words),
  response_types: Words,
  grant_types: Words,
  token_endpoint_auth_method: Type.String(),
  application_type: Type.String(),
  initiate_login_uri: OptionalUri,
  jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
  jwks_uri: OptionalUri,
  frontchannel_logout_uri: OptionalUri,
  frontchannel_logout_session_required: Type.Optional(Type.Boolean()),
  backchannel_logout_uri: OptionalUri,
  backchannel_logout_session_required: Type.Optional(Type.Boolean()),
  dpop_bound_access_tokens: Type.Optional(Type.Boolean()),
  require_pushed_authorization_requests: Type.Optional(Type.Boolean()),
  request_object_signing_alg: Type.Optional(Type.String()),
  backchannel_token_delivery_mode: Type.Optional(Type.String()),
  backchannel_authentication_request_signing_alg: Type.Optional(Type.String()),
  id_token_encrypted_response_alg: Type.Optional(Type.String()),
});

export const ClientListSchema = Type.Array(ClientSchema);
