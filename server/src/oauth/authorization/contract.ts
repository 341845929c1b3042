import { Type } from '@sinclair/typebox';

/** The parameters of an authorization request (contract: /oauth2/v1/authorize), for the generated documents. */
export const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  client_id: 'The client that asks.',
  redirect_uri: 'Where the answer goes: one of those that are registered for the client.',
  response_type: '`code`, `token` and `id_token`, alone or together. The client must be allowed to use them.',
  response_mode: '`query`, `fragment`, `form_post`, or the message mode that metadata names.',
  scope: 'Scopes, separated by spaces.',
  state: 'Given back with the answer; required unless there is a code challenge.',
  nonce: 'Copied into the ID token. Required if the authorization response contains one.',
  code_challenge: 'PKCE (RFC 7636); required for public clients and where the app asks for it.',
  code_challenge_method: '`S256`.',
  dpop_jkt: 'Thumbprint of the key that the code is bound to (RFC 9449 10).',
  prompt: '`none`, or any of `login`, `consent` and `select_account`, separated by spaces.',
  max_age: 'Seconds since the user was authenticated, at most.',
  login_hint: 'Who will sign in.',
  id_token_hint: 'An ID token of the user that the client means.',
  acr_values: 'Levels of assurance that the client wishes for.',
  sessionToken: 'The session token that ends a sign-in through the API. It opens a session.',
  request: 'The parameters as a JWT that the client has signed (RFC 9101).',
  request_uri: 'The name of a pushed request (RFC 9126).',
};

const entries = Object.entries(PARAMETER_DESCRIPTIONS);

const AuthorizationParameters = Type.Object(
  Object.fromEntries(entries.map(([name, description]) => [name, Type.Optional(Type.String({ description }))])),
);

/** The parameters as a form body. The schema accepts any value, because the steps refuse with the protocol's errors. */
export const AuthorizationForm = Type.Unsafe<Readonly<Record<string, string>>>(AuthorizationParameters);

export const PushedRequestSchema = Type.Object({
  request_uri: Type.String({ description: 'Stands for the request at the authorization endpoint, once.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});
