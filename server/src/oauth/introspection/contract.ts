import { Type } from '@sinclair/typebox';

/** The response to an introspection request (RFC 7662 2.2). */
export const IntrospectionSchema = Type.Object({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
  sub: Type.Optional(Type.String()),
  aud: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  jti: Type.Optional(Type.String()),
  token_type: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  uid: Type.Optional(Type.String()),
  cnf: Type.Optional(Type.Object({ jkt: Type.String() })),
  act: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The client or user that acts for the user (RFC 8693).',
    }),
  ),
});
