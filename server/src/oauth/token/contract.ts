import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const TokenParameters = Type.Object({
  grant_type: text('`client_credentials` for service apps.'),
  scope: text('Scopes, separated by spaces; each must be granted to the app.'),
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
});
