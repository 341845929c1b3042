import { answer, body, type NamedSchemas } from './named-schema.ts';
import { exampleId } from './path-parameters.ts';

export const APP_SCHEMAS: NamedSchemas = {
  App: answer('getApplication', 'An app that users are assigned to and sign in to.'),
  AppRequest: body(
    'createApplication',
    'An app, as it is created or replaced. Its settings depend on its sign-on mode.',
    {
      label: 'Web app',
      name: 'oidc_client',
      signOnMode: 'OPENID_CONNECT',
      credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic' } },
      settings: {
        oauthClient: {
          application_type: 'web',
          grant_types: ['authorization_code'],
          response_types: ['code'],
          redirect_uris: ['https://app.example.com/callback'],
        },
      },
    },
  ),
  AppUser: answer('getApplicationUser', 'A user of an app.'),
  AssignUserRequest: body('assignUserToApplication', 'The user who gets the app.', { id: exampleId('user') }),
  AppUserRequest: body('updateApplicationUser', 'The credentials and the profile of a user of an app.', {
    profile: { nickName: 'ada' },
  }),
  AppGroup: answer('getApplicationGroupAssignment', 'A group whose members have an app.'),
  AppGroupRequest: body('assignGroupToApplication', 'The priority and the profile of the assignment of a group.', {
    priority: 0,
  }),
  AppGroupPatch: body('updateGroupAssignmentToApplication', 'A change to the assignment of a group (RFC 6902).'),
  AppConnection: answer('getDefaultProvisioningConnectionForApplication', 'The provisioning connection of an app.'),
  AppConnectionRequest: body(
    'updateDefaultProvisioningConnectionForApplication',
    'The address and credentials of a connection.',
  ),
  AppFeature: answer('getFeatureForApplication', 'A provisioning feature of an app.'),
  AppFeatureRequest: body('updateFeatureForApplication', 'The capabilities of a feature that change.'),
  AppGrant: answer('getScopeConsentGrant', 'A scope that the org has granted to an app.'),
  AppGrantRequest: body('grantConsentToScope', 'The scope that the app may ask for.', {
    issuer: 'https://acme.example.com',
    scopeId: 'svc.users.read',
  }),
  AbsentUserApproval: answer(
    'getAbsentUserApproval',
    'The approval that a service app may act for absent administrators.',
  ),
  Csr: answer('getCsrForApplication', 'A certificate signing request of an app.'),
  CsrRequest: body('generateCsrForApplication', 'The subject of a certificate.', {
    subject: { countryName: 'GB', organizationName: 'Example', commonName: 'app.example.com' },
    subjectAltNames: { dnsNames: ['app.example.com'] },
  }),
  Certificate: body('publishCsrFromApplication', 'A certificate in DER, PEM or base64.'),
  AppKey: answer('getApplicationKey', 'A signing key of an app, with its certificate.'),
  ClientKey: answer('getJwk', 'A public key with which an OAuth client authenticates.'),
  ClientKeyRequest: body('addJwk', 'A public key as a JSON Web Key (RFC 7517), and its status.'),
  ClientSecret: answer('getOAuth2ClientSecret', 'A secret of an OAuth client.'),
  ClientSecretRequest: body(
    'createOAuth2ClientSecret',
    'The secret. The service makes one if the body contains none.',
    {},
  ),
  AppLogoUpload: body('uploadApplicationLogo', 'The logo, as the part `file` of a form.'),
  Image: answer('getApplicationLogoFile', 'The bytes of an image.'),

  RefreshToken: answer(
    'getOAuth2TokenForApplication',
    'A refresh token: everything but its text, which is never shown.',
  ),
  OAuthClient: answer('getClient', 'The metadata of an OAuth client (RFC 7591).'),
  OAuthClientRequest: body('createClient', 'The metadata of an OAuth client (RFC 7591).', {
    client_name: 'Web app',
    application_type: 'web',
    redirect_uris: ['https://app.example.com/callback'],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic',
  }),

  AuthorizationServer: answer('getAuthorizationServer', 'An authorization server that issues access tokens for APIs.'),
  AuthorizationServerRequest: body(
    'createAuthorizationServer',
    'An authorization server, as it is created or replaced.',
    {
      name: 'Orders',
      description: 'Access tokens of the orders API',
      audiences: ['https://orders.example.com'],
    },
  ),
  AssociatedServersRequest: body('createAssociatedServers', 'The authorization servers that are trusted.', {
    trusted: [exampleId('authorizationServer')],
  }),
  AuthorizationServerKey: answer('getAuthorizationServerKey', 'A public signing key of an authorization server.'),
  RotateKeysRequest: body('rotateAuthorizationServerKeys', 'The use of the keys that are rotated.', { use: 'sig' }),
  AuthorizationServerPolicy: answer('getAuthorizationServerPolicy', 'A policy of an authorization server.'),
  AuthorizationServerPolicyRequest: body(
    'createAuthorizationServerPolicy',
    'A policy of an authorization server, as it is created or replaced.',
    {
      type: 'OAUTH_AUTHORIZATION_POLICY',
      name: 'All clients',
      description: 'Every client may ask this server',
      priority: 1,
      conditions: { clients: { include: ['ALL_CLIENTS'] } },
    },
  ),
  AuthorizationServerRule: answer('getAuthorizationServerPolicyRule', 'A rule of a policy of an authorization server.'),
  AuthorizationServerRuleRequest: body(
    'createAuthorizationServerPolicyRule',
    'A rule of a policy of an authorization server, as it is created or replaced.',
    {
      type: 'RESOURCE_ACCESS',
      name: 'Everyone',
      priority: 1,
      conditions: {
        people: { groups: { include: ['EVERYONE'] } },
        grantTypes: { include: ['authorization_code'] },
        scopes: { include: ['*'] },
      },
      actions: { token: { accessTokenLifetimeMinutes: 60 } },
    },
  ),
  Scope: answer('getOAuth2Scope', 'A scope of an authorization server.'),
  ScopeRequest: body('createOAuth2Scope', 'A scope, as it is created or replaced.', {
    name: 'orders:read',
    displayName: 'Read orders',
    consent: 'IMPLICIT',
  }),
  Claim: answer('getOAuth2Claim', 'A claim that an authorization server puts into tokens.'),
  ClaimRequest: body('createOAuth2Claim', 'A claim, as it is created or replaced.', {
    name: 'department',
    claimType: 'RESOURCE',
    valueType: 'EXPRESSION',
    value: 'user.department',
    alwaysIncludeInToken: true,
  }),

  OrgServerMetadata: answer(
    'getWellKnownOAuthConfiguration',
    'The metadata of the org’s own authorization server (RFC 8414).',
  ),
  CustomServerMetadata: answer(
    'getWellKnownOAuthConfigurationCustomAS',
    'The metadata of a custom authorization server (RFC 8414).',
  ),
  OpenIdMetadata: answer('getWellKnownOpenIDConfiguration', 'The metadata of OpenID Connect Discovery 1.0.'),
  CustomOpenIdMetadata: answer(
    'getWellKnownOpenIDConfigurationCustomAS',
    'The metadata of OpenID Connect Discovery 1.0 of a custom authorization server.',
  ),
  JsonWebKeySet: answer('oauthKeys', 'The public keys that verify tokens (RFC 7517).'),
  AuthorizationRequest: body('authorizeWithPost', 'The parameters of an authorization request (RFC 6749 4.1.1).'),
  PushedAuthorizationAnswer: answer('par', 'The `request_uri` of a pushed authorization request (RFC 9126 2.2).'),
  TokenRequest: body('token', 'The parameters of a token request (RFC 6749 3.2).', {
    grant_type: 'client_credentials',
    scope: 'svc.users.read',
  }),
  TokenAnswer: answer('token', 'The tokens that were issued (RFC 6749 5.1).', {
    token_type: 'Bearer',
    expires_in: 3600,
    access_token: 'eyJraWQiOi...',
    scope: 'svc.users.read',
  }),
  IntrospectionRequest: body('introspect', 'The token to introspect or to revoke (RFC 7662, RFC 7009).', {
    token: 'eyJraWQiOi...',
    token_type_hint: 'access_token',
  }),
  IntrospectionAnswer: answer('introspect', 'Whether a token is active, and what it allows (RFC 7662 2.2).'),
  DeviceAuthorizationRequest: body('deviceAuthorize', 'The client and its scopes (RFC 8628 3.1).', {
    client_id: exampleId('app'),
    scope: 'openid profile',
  }),
  DeviceAuthorizationAnswer: answer('deviceAuthorize', 'The codes of the device and of its user (RFC 8628 3.2).'),
  BackchannelRequest: body(
    'bcAuthorize',
    'The user and the scopes that the client asks for (OpenID Connect CIBA 7.1).',
    {
      scope: 'openid',
      login_hint: 'ada@example.com',
      binding_message: 'Payment 4711',
    },
  ),
  BackchannelAnswer: answer(
    'bcAuthorize',
    'The id with which the client polls the token endpoint (OpenID Connect CIBA 7.3).',
  ),
  LogoutRequest: body('logoutWithPost', 'The parameters of a sign-out (OpenID Connect RP-Initiated Logout 1.0).'),
  UserInfo: answer('userinfo', 'Claims about a user (OpenID Connect Core 5.3.2).'),
  UserInfoRequest: body('userinfoPost', 'The access token in a form (RFC 6750 2.2).'),
};
