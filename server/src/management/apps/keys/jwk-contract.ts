import { Type } from '@sinclair/typebox';

export const KeyIdParams = Type.Object({ appId: Type.String(), keyId: Type.String() });

/** The schema accepts any object, because `readJwk` validates the members. */
export const JwkBody = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A public RSA or EC key as JWK (RFC 7517), and its status.',
});

export const JwkSchema = Type.Object({
  id: Type.String(),
  kid: Type.Optional(Type.String()),
  kty: Type.String(),
  alg: Type.Optional(Type.String()),
  use: Type.Optional(Type.String()),
  status: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const JwkListSchema = Type.Array(JwkSchema);
