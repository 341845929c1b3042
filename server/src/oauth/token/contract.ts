import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const TokenParameters = Type.Object({
  grant_type: text('`authorization_code`, `refresh_token`, `password`; `client_credentials` for service apps.'),
  code: text('Of `authorization_code`: what the authorization request was answered with; good once, for a minute.'),
  redirect_uri: text('Of `authorization_code`: as the authorization request gave it.'),
  code_verifier: text('Of `authorization_code`: what the code challenge was made from.'),
  refresh_token: text('Of `refresh_token`.'),
  username: text('Of `password`.'),
  password: text('Of `password`.'),
  scope: text('Scopes, separated by spaces; each must be granted to the app. A refresh may ask for fewer.'),
  client_secret: text('Of clients that prove themselves by a secret in the body.'),
  client_assertion_type: text('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.'),
  client_assertion: text('JWT signed with a key of the app: `iss` and `sub` the client, `aud` this endpoint.'),
  client_id: text('Optional beside an assertion; then it must name the same client.'),
});

/** Unknown parameters are ignored (RFC 6749 3.2). What is missing is refused in the words of the protocol. */
export const TokenForm = Type.Unsafe<Readonly<Record<string, string>>>(TokenParameters);

export const TokenResponseSchema = Type.Object({
  token_type: Type.String({ description: '`Bearer`, or `DPoP` where the app binds its tokens to a key.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  access_token: Type.String(),
  scope: Type.String({ description: 'Granted scopes, separated by spaces.' }),
  refresh_token: Type.Optional(Type.String({ description: 'Where `offline_access` is granted.' })),
  id_token: Type.Optional(Type.String({ description: 'Where `openid` is granted.' })),
});
