import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const DeviceAuthorizeParameters = Type.Object({
  client_id: text('The id of a client that does not authenticate, or authenticates with a secret in the body.'),
  scope: text('The scopes that the client asks for, separated by spaces.'),
  dpop_jkt: text('The thumbprint of the DPoP key to which the tokens will be bound (RFC 9449).'),
  client_secret: text('The secret of a client that authenticates with it in the body.'),
  client_assertion_type: text(
    'The type of the assertion, which is `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: text('A JWT that the client has signed. Its `aud` is this endpoint or the issuer.'),
});

/** Unknown parameters are ignored (RFC 6749 3.2). */
export const DeviceAuthorizeForm = Type.Unsafe<Readonly<Record<string, string>>>(DeviceAuthorizeParameters);

/** The response to a device authorization request (RFC 8628 3.2). */
export const DeviceAuthorizeResponseSchema = Type.Object({
  user_code: Type.String({ description: 'The code that the user enters.' }),
  device_code: Type.String({ description: 'The code with which the client polls the token endpoint.' }),
  interval: Type.Integer({ description: 'The shortest time between two polls, in seconds.' }),
  verification_uri_complete: Type.String({
    description: 'The address of the page with the code filled in, for a QR code.',
  }),
  verification_uri: Type.String({ description: 'The address of the page on which the user enters the code.' }),
  expires_in: Type.Integer({ description: 'How long the codes can be used, in seconds.' }),
});
