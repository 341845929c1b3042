import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));

const DeviceAuthorizeParameters = Type.Object({
  client_id: text('For clients that do not authenticate, or authenticate with a secret in the body.'),
  scope: text('Scopes, separated by spaces.'),
  dpop_jkt: text('Thumbprint of the key that the tokens are to be bound to (RFC 9449).'),
  client_secret: text('For clients that authenticate with a secret in the body.'),
  client_assertion_type: text('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.'),
  client_assertion: text('JWT signed by the client: `aud` is this endpoint, or the issuer.'),
});

/** Unknown parameters are ignored (RFC 6749 3.2). Faults are refused with the protocol's errors. */
export const DeviceAuthorizeForm = Type.Unsafe<Readonly<Record<string, string>>>(DeviceAuthorizeParameters);

/** The response to a device authorization request (RFC 8628 3.2). */
export const DeviceAuthorizeResponseSchema = Type.Object({
  user_code: Type.String({ description: 'What the user types.' }),
  device_code: Type.String({ description: 'What the client polls the token endpoint with.' }),
  interval: Type.Integer({ description: 'Seconds between two polls, at least.' }),
  verification_uri_complete: Type.String({ description: 'The page with the code filled in, for a QR code.' }),
  verification_uri: Type.String({ description: 'The page on which the user types the code.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});
