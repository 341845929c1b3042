import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const BackchannelAuthorizeParameters = Type.Object({
  scope: text('The scopes that the client asks for, separated by spaces. `openid` must be one of them.'),
  login_hint: text('The login of the user. The request contains either this or `id_token_hint`.'),
  id_token_hint: text('An ID token that was issued to the client for the user. It may have expired.'),
  binding_message: text('One line that the user compares with what the client shows.'),
  requested_expiry: text('How long the user can answer, in seconds. The maximum is 300.'),
  request_expiry: text('Another name for `requested_expiry`.'),
  acr_values: text('The levels of assurance that the client prefers, separated by spaces.'),
  request: text('All parameters of the request, as a JWT that the client has signed. No others may then be sent.'),
  client_id: text('The id of a client that authenticates with a secret in the body.'),
  client_secret: text('The secret of a client that authenticates with it in the body.'),
  client_assertion_type: text(
    'The type of the assertion, which is `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: text(
    'A JWT that the client has signed. Its `aud` is this endpoint, the token endpoint or the issuer.',
  ),
});

/**
 * The schema requires nothing and allows other parameters: unknown ones are ignored (RFC 6749 3.2), and faulty requests
 * get the errors of the protocol.
 */
export const BackchannelAuthorizeForm = Type.Unsafe<Readonly<Record<string, string>>>(BackchannelAuthorizeParameters);

/** The response to a backchannel authentication request (CIBA Core 7.3). */
export const BackchannelAuthorizeResponseSchema = Type.Object({
  auth_req_id: Type.String({ description: 'The id with which the client polls the token endpoint.' }),
  expires_in: Type.Integer({ description: 'How long the user can answer, in seconds.' }),
  interval: Type.Integer({ description: 'The shortest time between two polls, in seconds.' }),
});
