import { Type } from '@sinclair/typebox';

/** The documented parameters of an authorization request (contract: /oauth2/v1/authorize). */
export const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  client_id: 'The id of the client that sends the request.',
  redirect_uri: 'The address that gets the response. It must be registered for the client.',
  response_type:
    'What the client asks for: `code`, `token` and `id_token`, alone or together. It must be allowed to use them.',
  response_mode: 'How the response is returned: `query`, `fragment`, `form_post`, or the message mode in the metadata.',
  scope: 'The scopes that the client asks for, separated by spaces.',
  state: 'A value that is returned with the response. It is required unless there is a code challenge.',
  nonce: 'A value that is copied into the ID token. It is required if the response contains an ID token.',
  code_challenge:
    'The code challenge of PKCE (RFC 7636). Public clients must send one, and so must clients of apps that require it.',
  code_challenge_method: 'The method of the code challenge, which must be `S256`.',
  dpop_jkt: 'The thumbprint of the DPoP key to which the authorization code is bound (RFC 9449 10).',
  prompt: 'How the user is asked: `none`, or any of `login`, `consent` and `select_account`, separated by spaces.',
  max_age: 'The longest time since the last sign-in of the user, in seconds. A longer time requires another sign-in.',
  login_hint: 'The username that the sign-in page suggests.',
  id_token_hint: 'An ID token of the user whom the client expects to be signed in.',
  acr_values: 'The levels of assurance that the client prefers, separated by spaces.',
  sessionToken: 'The session token that a sign-in through the API has returned. It opens a session in the browser.',
  request: 'The parameters, as a JWT that the client has signed (RFC 9101).',
  request_uri: 'The `request_uri` of a pushed authorization request (RFC 9126).',
};

const entries = Object.entries(PARAMETER_DESCRIPTIONS);

const AuthorizationParameters = Type.Object(
  Object.fromEntries(entries.map(([name, description]) => [name, Type.Optional(Type.String({ description }))])),
);

/**
 * The parameters as a form body. The schema accepts any value, because the steps refuse invalid values with the
 * protocol's errors.
 */
export const AuthorizationForm = Type.Unsafe<Readonly<Record<string, string>>>(AuthorizationParameters);

export const PushedRequestSchema = Type.Object({
  request_uri: Type.String({
    description: 'The value of `request_uri` at the authorization endpoint. It can be used once.',
  }),
  expires_in: Type.Integer({ description: 'How long the `request_uri` can be used, in seconds.' }),
});
