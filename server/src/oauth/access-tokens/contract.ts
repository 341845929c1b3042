import { Type } from '@sinclair/typebox';

/** What a client sends to ask of a token or to revoke it (RFC 7662 2.1, RFC 7009 2.1), and by what it proves itself. */
export const PresentedTokenBody = Type.Object({
  token: Type.Optional(Type.String({ description: 'Required.' })),
  token_type_hint: Type.Optional(Type.String({ description: 'Without effect: tokens are told by themselves.' })),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  client_assertion: Type.Optional(Type.String()),
  client_assertion_type: Type.Optional(Type.String()),
});
