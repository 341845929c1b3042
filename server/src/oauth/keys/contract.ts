import { Type } from '@sinclair/typebox';

export const SigningKeySetSchema = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      alg: Type.String(),
      kid: Type.String({ description: 'RFC 7638 thumbprint.' }),
      use: Type.String(),
      e: Type.String(),
      n: Type.String(),
    }),
  ),
});
