import { type Static, Type } from '@sinclair/typebox';

export const KeyIdParams = Type.Object({ kid: Type.String() });

export const KeyBody = Type.Object({
  x5c: Type.Array(Type.String({ maxLength: 20_000 }), {
    minItems: 1,
    maxItems: 10,
    description: 'The certificate in DER and base64, followed by the certificates of its issuers.',
  }),
  kid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type KeyInput = Static<typeof KeyBody>;

export interface StoredJwk {
  readonly kty: 'RSA' | 'EC';
  readonly x5c: readonly string[];
  readonly 'x5t#S256': string;
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

export const KeySchema = Type.Object(
  {
    kty: Type.String(),
    created: Type.String({ format: 'date-time' }),
    lastUpdated: Type.String({ format: 'date-time' }),
    expiresAt: Type.String({ format: 'date-time' }),
    alg: Type.String(),
    kid: Type.String(),
    use: Type.String(),
    x5c: Type.Array(Type.String()),
    'x5t#S256': Type.String(),
  },
  { additionalProperties: true },
);

export const KeyListSchema = Type.Array(KeySchema);
