/** The types of OAuth clients. The words are the same on the wire and in the database. */
export const APPLICATION_TYPES = ['web', 'native', 'browser', 'service'] as const;

export const TOKEN_ENDPOINT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'none',
] as const;

export const RESPONSE_TYPES = ['code', 'id_token', 'token'] as const;
