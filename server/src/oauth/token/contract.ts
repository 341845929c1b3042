import { type TOptional, type TString, Type } from '@sinclair/typebox';
import type { AnyGrantType, GRANT_TYPES } from '../../kernel/grant-types.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

type GrantParameter = (typeof GRANT_TYPES)[AnyGrantType]['parameters'][number];

const TOKEN_PARAMETERS = {
  grant_type: text(
    '`authorization_code`, `refresh_token`, `password`, device code (RFC 8628), token exchange (RFC 8693), CIBA; ' +
      '`client_credentials` for service apps; at custom authorization servers JWT bearer (RFC 7523), too.',
  ),
  code: text('Of `authorization_code`: what the authorization request was answered with; good once, for a minute.'),
  redirect_uri: text('Of `authorization_code`: as the authorization request gave it.'),
  code_verifier: text('Of `authorization_code`: what the code challenge was made from.'),
  device_code: text('For the device grant: the code that the device polls with until the user has answered.'),
  auth_req_id: text('For the CIBA grant: the id that the app polls with until the user has answered.'),
  refresh_token: text('Of `refresh_token`.'),
  username: text('Of `password`.'),
  password: text('Of `password`.'),
  subject_token: text('Of token exchange: an access token of a person, or an ID token of the app.'),
  subject_token_type: text('`urn:ietf:params:oauth:token-type:access_token`, or `id_token`.'),
  actor_token: text('Of token exchange: an access token of the app, which then acts for the person.'),
  actor_token_type: text('`urn:ietf:params:oauth:token-type:access_token`.'),
  requested_token_type: text('`urn:ietf:params:oauth:token-type:access_token`, which is what is given without it.'),
  audience: text("Of token exchange: the audience of the server's tokens."),
  resource: text('For token exchange: the same as `audience`.'),
  assertion: text('Of JWT bearer: `iss` the app, `sub` a person, `aud` the server, signed by a key of the app.'),
  scope: text('Scopes, separated by spaces; each must be granted to the app. A refresh may ask for fewer.'),
  client_secret: text('For clients that authenticate with a secret in the body.'),
  client_assertion_type: text('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.'),
  client_assertion: text('JWT signed with a key of the app: `iss` and `sub` the client, `aud` this endpoint.'),
  client_id: text('Optional beside an assertion; then it must name the same client.'),
} satisfies Readonly<Record<string, TOptional<TString>> & Record<GrantParameter, TOptional<TString>>>;

/** Unknown parameters are ignored (RFC 6749 3.2). Missing ones are refused with the protocol's errors. */
export const TokenForm = Type.Unsafe<Readonly<Record<string, string>>>(Type.Object(TOKEN_PARAMETERS));

export const TokenResponseSchema = Type.Object({
  issued_token_type: Type.Optional(Type.String({ description: 'Of tokens that were exchanged (RFC 8693 2.2.1).' })),
  token_type: Type.String({ description: '`Bearer`, or `DPoP` where the app binds its tokens to a key.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  access_token: Type.String(),
  scope: Type.String({ description: 'Granted scopes, separated by spaces.' }),
  refresh_token: Type.Optional(Type.String({ description: 'Where `offline_access` is granted.' })),
  id_token: Type.Optional(Type.String({ description: 'Where `openid` is granted.' })),
});
