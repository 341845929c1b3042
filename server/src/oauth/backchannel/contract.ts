import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const BackchannelAuthorizeParameters = Type.Object({
  scope: text('Scopes, separated by spaces; `openid` is one of them.'),
  login_hint: text('Login of the user. Either this or `id_token_hint`.'),
  id_token_hint: text('An ID token that the client was given for the user, however old.'),
  binding_message: text('Shown to the user, who compares it with what the client shows: one line.'),
  requested_expiry: text('Seconds in which the user should answer, 300 at most.'),
  request_expiry: text('Another name for `requested_expiry`.'),
  acr_values: text('Levels of assurance that the client wishes for.'),
  request: text('The whole request as a JWT signed by the client. No other parameter of the request may then be sent.'),
  client_id: text('For clients that authenticate with a secret in the body.'),
  client_secret: text('For clients that authenticate with a secret in the body.'),
  client_assertion_type: text('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.'),
  client_assertion: text('JWT signed by the client: `aud` is this endpoint, the token endpoint, or the issuer.'),
});

/** Unknown parameters are ignored (RFC 6749 3.2). Faults are refused with the protocol's errors. */
export const BackchannelAuthorizeForm = Type.Unsafe<Readonly<Record<string, string>>>(BackchannelAuthorizeParameters);

/** The response to a backchannel authentication request (CIBA Core 7.3). */
export const BackchannelAuthorizeResponseSchema = Type.Object({
  auth_req_id: Type.String({ description: 'What the client polls the token endpoint with.' }),
  expires_in: Type.Integer({ description: 'Seconds in which the user can answer.' }),
  interval: Type.Integer({ description: 'Seconds between two polls, at least.' }),
});
