import { describe, expect, test } from 'vitest';
import {
  authorizationServerMetadata,
  customOpenIdMetadata,
  customServerMetadata,
  openIdProviderMetadata,
} from './metadata.ts';

const input = { baseUrl: 'https://acme.localhost:8443', namespaceWord: 'svc', scopes: ['logs.read', 'users.read'] };

const GRANT_TYPES = [
  'authorization_code',
  'implicit',
  'refresh_token',
  'password',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:openid:params:grant-type:ciba',
];

const PERSONAL = ['openid', 'email', 'profile', 'address', 'phone', 'offline_access', 'groups'];

/** The members in the contract's order (OrgASOidcMetadata). */
const ORDER = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'registration_endpoint',
  'jwks_uri',
  'response_types_supported',
  'response_modes_supported',
  'grant_types_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'claims_supported',
  'code_challenge_methods_supported',
  'introspection_endpoint',
  'introspection_endpoint_auth_methods_supported',
  'introspection_endpoint_auth_signing_alg_values_supported',
  'revocation_endpoint',
  'revocation_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_signing_alg_values_supported',
  'end_session_endpoint',
  'backchannel_logout_supported',
  'backchannel_logout_session_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'request_object_signing_alg_values_supported',
  'device_authorization_endpoint',
  'backchannel_authentication_endpoint',
  'backchannel_token_delivery_modes_supported',
  'backchannel_authentication_request_signing_alg_values_supported',
  'backchannel_user_code_parameter_supported',
  'pushed_authorization_request_endpoint',
  'authorization_response_iss_parameter_supported',
  'prompt_values_supported',
  'acr_values_supported',
  'dpop_signing_alg_values_supported',
];

describe.each([
  ['of the authorization server', authorizationServerMetadata],
  ['of the OpenID provider', openIdProviderMetadata],
])('metadata %s', (_, metadataOf) => {
  const document = metadataOf(input);

  test('has its members in the order of the contract', () => {
    expect(Object.keys(document)).toEqual(ORDER.filter((name) => name in document));
  });

  test('names the endpoints at the address the client came by', () => {
    expect(document).toMatchObject({
      issuer: input.baseUrl,
      authorization_endpoint: `${input.baseUrl}/oauth2/v1/authorize`,
      device_authorization_endpoint: `${input.baseUrl}/oauth2/v1/device/authorize`,
      backchannel_authentication_endpoint: `${input.baseUrl}/oauth2/v1/bc/authorize`,
      backchannel_token_delivery_modes_supported: ['poll'],
      pushed_authorization_request_endpoint: `${input.baseUrl}/oauth2/v1/par`,
      token_endpoint: `${input.baseUrl}/oauth2/v1/token`,
      jwks_uri: `${input.baseUrl}/oauth2/v1/keys`,
      introspection_endpoint: `${input.baseUrl}/oauth2/v1/introspect`,
      revocation_endpoint: `${input.baseUrl}/oauth2/v1/revoke`,
    });
  });

  test('announces nothing that does not exist', () => {
    const absent = ['challenge'];
    expect(absent.filter((name) => `${name}_endpoint` in document)).toEqual([]);
    expect(document).toMatchObject({
      grant_types_supported: GRANT_TYPES,
      response_modes_supported: ['query', 'fragment', 'form_post', 'svc_post_message'],
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    });
    expect(document['response_types_supported']).toContain('code id_token token');
    expect(document['token_endpoint_auth_methods_supported']).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
      'private_key_jwt',
      'none',
    ]);
    const algorithms = Object.entries(document).filter(([name]) => name.includes('_alg_values'));
    expect(JSON.stringify(algorithms)).not.toContain('none');
  });

  test('has the scopes with the word', () => {
    expect(document['scopes_supported']).toEqual([...PERSONAL, 'svc.logs.read', 'svc.users.read']);
    expect(metadataOf({ ...input, namespaceWord: 'acme' })).toMatchObject({
      scopes_supported: [...PERSONAL, 'acme.logs.read', 'acme.users.read'],
    });
  });
});

test('only the OpenID document says what OpenID adds', () => {
  const added = [
    'userinfo_endpoint',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'claims_supported',
  ];
  expect(added.every((name) => name in openIdProviderMetadata(input))).toBe(true);
  expect(added.some((name) => name in authorizationServerMetadata(input))).toBe(false);
});

describe.each([
  ['OAuth', customServerMetadata],
  ['OpenID', customOpenIdMetadata],
])('%s metadata of a custom server', (name, metadataOf) => {
  const baseUrl = 'https://acme.localhost:8443';
  const issuer = `${baseUrl}/oauth2/aus1`;
  const document = metadataOf({
    baseUrl,
    issuerPath: '/oauth2/aus1',
    namespaceWord: 'svc',
    scopes: ['openid', 'read'],
  });

  test('has its members in the order of the contract', () => {
    expect(Object.keys(document)).toEqual(ORDER.filter((member) => member in document));
  });

  test('names the endpoints below the issuer', () => {
    expect(document).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/v1/authorize`,
      device_authorization_endpoint: `${issuer}/v1/device/authorize`,
      backchannel_authentication_endpoint: `${issuer}/v1/bc/authorize`,
      pushed_authorization_request_endpoint: `${issuer}/v1/par`,
      token_endpoint: `${issuer}/v1/token`,
      jwks_uri: `${issuer}/v1/keys`,
      introspection_endpoint: `${issuer}/v1/introspect`,
      revocation_endpoint: `${issuer}/v1/revoke`,
      scopes_supported: ['openid', 'read'],
      grant_types_supported: [...GRANT_TYPES, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types_supported: expect.arrayContaining(['code', 'id_token token']),
      subject_types_supported: ['public'],
    });
  });

  test('has the methods in the order of the contract', () => {
    const methods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'];
    expect(document['token_endpoint_auth_methods_supported']).toEqual(methods);
    expect(document['introspection_endpoint_auth_methods_supported']).toEqual(methods);
    expect(document['token_endpoint_auth_signing_alg_values_supported']).toContain('HS256');
  });

  test('says how ID tokens are signed in the document of OpenID alone', () => {
    expect('id_token_signing_alg_values_supported' in document).toBe(name === 'OpenID');
  });
});
