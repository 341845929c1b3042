import type { TestResponse } from './client.ts';

const client = (description: string) => ({ status: 401, error: 'invalid_client', error_description: description });
const request = (description: string) => ({ status: 400, error: 'invalid_request', error_description: description });
const scope = (description: string) => ({ status: 400, error: 'invalid_scope', error_description: description });

const GRANT_TYPES =
  '[authorization_code, refresh_token, password, client_credentials, ' +
  'urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:token-exchange, ' +
  'urn:openid:params:grant-type:ciba]';

/** The refusals of token requests, in the words of the contract. */
export const TOKEN_ERRORS = {
  issuer: client('The issuer claim for client_assertion is not a valid client_id.'),
  subject: client('The subject claim for client_assertion is not a valid client_id.'),
  audience: client('The audience claim for client_assertion must be the endpoint invoked for the request.'),
  noExpiry: client("The client_assertion must contain the 'exp' claim as seconds since epoch."),
  expired: client('The client_assertion token is expired.'),
  tooFar: client('The client_assertion token has an expiration too far into the future.'),
  future: client('The client_assertion token must be issued before the current time.'),
  used: client('The client_assertion token has already been used.'),
  signature: client('The client_assertion signature is invalid.'),
  parsing: client('The parsing of the client_assertion failed.'),
  kid: client('The client_assertion JWT kid is invalid.'),
  algorithm: client('The client_assertion JWT signature algorithm is invalid.'),
  keyUse: client(
    "The public key being used for client assertion has an invalid 'use' parameter. Valid values for the 'use' " +
      'parameter are sig.',
  ),
  method: client(
    'Client Credentials requests to the Org Authorization Server must use the private_key_jwt ' +
      'token_endpoint_auth_method.',
  ),
  service: client(
    "Only clients with 'application_type' of 'service' may use the client_credentials 'grant_type' with the Org " +
      'Authorization Server.',
  ),
  inactive: client('Client authentication failed. Either the client or the client credentials are invalid.'),
  clientId: client("Invalid value for 'client_id' parameter."),
  missing: client('No client credentials found.'),
  basic: client('Found Authentication header but was not valid client credentials.'),
  multiple: {
    status: 401,
    error: 'invalid_request',
    error_description:
      'Cannot supply multiple client credentials. Use one of the following: credentials in the Authorization ' +
      'header, credentials in the post body, or a client_assertion in the post body.',
  },
  query: request('Client credentials cannot be supplied via query parameters.'),
  duplicate: request('The request contained multiple parameters with the same name.'),
  type: request('The client_assertion_type is invalid.'),
  grantMissing: request(`The token request must specify a 'grant_type'. Valid values: ${GRANT_TYPES}`),
  grantOfOthers: {
    status: 400,
    error: 'unauthorized_client',
    error_description:
      'The client is not authorized to use the provided grant type. Configured grant types: [client_credentials].',
  },
  grantUnknown: {
    status: 400,
    error: 'unsupported_grant_type',
    error_description:
      'The authorization grant type is not supported by the authorization server. Configured grant types: ' +
      `${GRANT_TYPES}.`,
  },
  browser: {
    status: 400,
    error: 'unauthorized_client',
    error_description: 'Browser requests to the token endpoint may only use the authorization_code grant_type.',
  },
  noScope: scope('No scopes were requested.'),
  scope: scope(
    'The requested scope is invalid, unknown, malformed, or exceeds the scope granted by the resource owner.',
  ),
  openid: scope("Cannot request 'openid' scopes using client credentials."),
};

export const answerOf = ({ status, body }: TestResponse): Record<string, unknown> => ({ status, ...body });
