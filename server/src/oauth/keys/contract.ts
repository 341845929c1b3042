import { Type } from '@sinclair/typebox';

const PublicKeyMembers = {
  kty: Type.String(),
  alg: Type.String(),
  kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
  use: Type.String(),
  e: Type.String(),
  n: Type.String(),
};

export const SigningKeySetSchema = Type.Object({ keys: Type.Array(Type.Object(PublicKeyMembers)) });

export const ServerKeySchema = Type.Object({
  ...PublicKeyMembers,
  status: Type.String({
    description: 'An `ACTIVE` key signs, a `NEXT` key will sign, and an `EXPIRED` key has signed.',
  }),
  _links: Type.Object({
    self: Type.Object({ href: Type.String(), hints: Type.Object({ allow: Type.Array(Type.String()) }) }),
  }),
});

export const ServerKeyListSchema = Type.Array(ServerKeySchema);

/** The path parameters of a custom authorization server in the management API. */
export const AuthServerIdParams = Type.Object({
  authServerId: Type.String({ description: 'Id of the authorization server, or `default`.' }),
});

export const ServerKeyParams = Type.Object({ ...AuthServerIdParams.properties, keyId: Type.String() });

/** The body names the use of the keys to rotate. Any value but `sig` is refused with the contract's error text. */
export const RotateKeysBody = Type.Object({
  use: Type.Optional(Type.Unknown({ description: 'The use of the keys, which is `sig`.' })),
});

/** The path parameters of a custom authorization server's own endpoints. */
export const AuthorizationServerIdParams = Type.Object({
  authorizationServerId: Type.String({ description: 'Id of the authorization server, or `default`.' }),
});
