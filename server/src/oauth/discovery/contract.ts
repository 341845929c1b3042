import { type TSchema, Type } from '@sinclair/typebox';

const Words = Type.Array(Type.String());

const authorizationServer: Readonly<Record<string, TSchema>> = {
  issuer: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: Words,
  grant_types_supported: Words,
  scopes_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  token_endpoint_auth_signing_alg_values_supported: Words,
  introspection_endpoint: Type.String(),
  introspection_endpoint_auth_methods_supported: Words,
  introspection_endpoint_auth_signing_alg_values_supported: Words,
  revocation_endpoint: Type.String(),
  revocation_endpoint_auth_methods_supported: Words,
  revocation_endpoint_auth_signing_alg_values_supported: Words,
  dpop_signing_alg_values_supported: Words,
};

/** RFC 8414 section 2. */
export const AuthorizationServerMetadataSchema = Type.Object(authorizationServer);

/** OpenID Connect Discovery 1.0 section 3. */
export const OpenIdProviderMetadataSchema = Type.Object({
  ...authorizationServer,
  subject_types_supported: Words,
  id_token_signing_alg_values_supported: Words,
  claims_supported: Words,
  request_parameter_supported: Type.Boolean(),
});

/** The same of a custom server. */
export const CustomServerMetadataSchema = Type.Object({
  ...authorizationServer,
  subject_types_supported: Words,
  claims_supported: Words,
  request_parameter_supported: Type.Boolean(),
});

export const CustomOpenIdMetadataSchema = Type.Object({
  ...CustomServerMetadataSchema.properties,
  id_token_signing_alg_values_supported: Words,
});
