import { type TSchema, Type } from '@sinclair/typebox';

const Words = Type.Array(Type.String());

const authorizationServer: Readonly<Record<string, TSchema>> = {
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  registration_endpoint: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: Words,
  response_modes_supported: Words,
  grant_types_supported: Words,
  scopes_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  token_endpoint_auth_signing_alg_values_supported: Words,
  code_challenge_methods_supported: Words,
  introspection_endpoint: Type.String(),
  introspection_endpoint_auth_methods_supported: Words,
  introspection_endpoint_auth_signing_alg_values_supported: Words,
  revocation_endpoint: Type.String(),
  revocation_endpoint_auth_methods_supported: Words,
  revocation_endpoint_auth_signing_alg_values_supported: Words,
  request_parameter_supported: Type.Boolean(),
  request_uri_parameter_supported: Type.Boolean(),
  request_object_signing_alg_values_supported: Words,
  device_authorization_endpoint: Type.String(),
  backchannel_authentication_endpoint: Type.String(),
  backchannel_token_delivery_modes_supported: Words,
  backchannel_authentication_request_signing_alg_values_supported: Words,
  backchannel_user_code_parameter_supported: Type.Boolean(),
  pushed_authorization_request_endpoint: Type.String(),
  authorization_response_iss_parameter_supported: Type.Boolean(),
  prompt_values_supported: Words,
  acr_values_supported: Words,
  end_session_endpoint: Type.String(),
  backchannel_logout_supported: Type.Boolean(),
  backchannel_logout_session_supported: Type.Boolean(),
  dpop_signing_alg_values_supported: Words,
};

/** The metadata of the org's own server (RFC 8414 2). */
export const AuthorizationServerMetadataSchema = Type.Object(authorizationServer);

/** The OpenID metadata of the org's own server (OpenID Connect Discovery 1.0 3). */
export const OpenIdProviderMetadataSchema = Type.Object({
  ...authorizationServer,
  userinfo_endpoint: Type.String(),
  subject_types_supported: Words,
  id_token_signing_alg_values_supported: Words,
  claims_supported: Words,
});

export const CustomServerMetadataSchema = Type.Object({
  ...authorizationServer,
  subject_types_supported: Words,
  claims_supported: Words,
});

export const CustomOpenIdMetadataSchema = Type.Object({
  ...CustomServerMetadataSchema.properties,
  userinfo_endpoint: Type.String(),
  id_token_signing_alg_values_supported: Words,
});
