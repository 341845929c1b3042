import { Type } from '@sinclair/typebox';

/**
 * The form body of an introspection (RFC 7662 2.1) or revocation (RFC 7009 2.1) request, with client authentication.
 */
export const PresentedTokenBody = Type.Object({
  token: Type.Optional(Type.String({ description: 'The token. It is required.' })),
  token_type_hint: Type.Optional(
    Type.String({ description: 'Has no effect: the service recognizes the type of a token.' }),
  ),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  client_assertion: Type.Optional(Type.String()),
  client_assertion_type: Type.Optional(Type.String()),
});
