import { type TOptional, type TString, Type } from '@sinclair/typebox';
import type { AnyGrantType, GRANT_TYPES } from '../../kernel/grant-types.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

type GrantParameter = (typeof GRANT_TYPES)[AnyGrantType]['parameters'][number];

const TOKEN_PARAMETERS = {
  grant_type: text(
    'The grant type: `authorization_code`, `refresh_token`, `password`, `client_credentials`, or the URN of the ' +
      'device code grant (RFC 8628), of token exchange (RFC 8693) or of CIBA. Custom authorization servers accept ' +
      'JWT bearer (RFC 7523) as well.',
  ),
  code: text(
    'For `authorization_code`: the code that the authorization request has returned. It can be used once, within ' +
      'a minute.',
  ),
  redirect_uri: text('For `authorization_code`: the same value as in the authorization request.'),
  code_verifier: text('For `authorization_code`: the code verifier of PKCE (RFC 7636).'),
  device_code: text('For the device code grant: the code with which the device polls until the user has answered.'),
  auth_req_id: text('For the CIBA grant: the id with which the client polls until the user has answered.'),
  refresh_token: text('For `refresh_token`: the refresh token.'),
  username: text('For `password`: the login of the user.'),
  password: text('For `password`: the password of the user.'),
  subject_token: text('For token exchange: an access token of a user, or an ID token for the client.'),
  subject_token_type: text(
    'For token exchange: `urn:ietf:params:oauth:token-type:access_token`, or the same with `id_token`.',
  ),
  actor_token: text('For token exchange: an access token of the client, which then acts for the user.'),
  actor_token_type: text('For token exchange: `urn:ietf:params:oauth:token-type:access_token`.'),
  requested_token_type: text(
    'For token exchange: `urn:ietf:params:oauth:token-type:access_token`, which is the default.',
  ),
  audience: text('For token exchange: the audience of the server’s tokens.'),
  resource: text('For token exchange: the same as `audience`.'),
  assertion: text(
    'For JWT bearer: a JWT that the client has signed. Its `iss` is the client, its `sub` a user, its `aud` the ' +
      'server.',
  ),
  scope: text('The scopes, separated by spaces. The client must be allowed to use them. A refresh can ask for fewer.'),
  client_secret: text('The secret of a client that authenticates with it in the body.'),
  client_assertion_type: text(
    'The type of the assertion, which is `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: text(
    'A JWT that the client has signed. Its `iss` and `sub` are the client, and its `aud` is this endpoint.',
  ),
  client_id: text('The id of the client. It is optional with an assertion, and must then name the same client.'),
} satisfies Readonly<Record<string, TOptional<TString>> & Record<GrantParameter, TOptional<TString>>>;

/**
 * All parameters are optional in this schema, because a missing one gets an OAuth error. Unknown parameters are ignored
 * (RFC 6749 3.2).
 */
export const TokenForm = Type.Unsafe<Readonly<Record<string, string>>>(Type.Object(TOKEN_PARAMETERS));

export const TokenResponseSchema = Type.Object({
  issued_token_type: Type.Optional(
    Type.String({ description: 'The type of the token that a token exchange has issued (RFC 8693 2.2.1).' }),
  ),
  token_type: Type.String({ description: 'The type of the token: `Bearer`, or `DPoP` if it is bound to a key.' }),
  expires_in: Type.Integer({ description: 'The lifetime of the access token, in seconds.' }),
  access_token: Type.String(),
  scope: Type.String({ description: 'The granted scopes, separated by spaces.' }),
  refresh_token: Type.Optional(Type.String({ description: 'The refresh token, if `offline_access` is granted.' })),
  id_token: Type.Optional(Type.String({ description: 'The ID token, if `openid` is granted.' })),
});
