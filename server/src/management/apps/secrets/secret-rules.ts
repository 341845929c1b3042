import { invalid } from '../../../kernel/errors/errors.ts';
import type { TokenEndpointAuthMethod } from '../documents/document-contract.ts';

/** A secret in use, and its successor during a rotation. */
export const MAXIMUM_SECRETS = 2;

const LENGTH = { minimum: 14, maximum: 100 };
/** A secret that signs (HS256) needs as many bytes as its hash (RFC 7518 3.2). */
const MINIMUM_SIGNING_LENGTH = 32;

const refuse = (cause: string) => invalid('client_secret', `client_secret: ${cause}`);

/**
 * Reads a secret that the caller brings for a client of this method. 400 E0000001; no message holds the value. Blanks
 * are not allowed, because they get lost in copying.
 */
export function readGivenSecret(secret: string, method: TokenEndpointAuthMethod): string {
  if (method === 'private_key_jwt') throw refuse('a client that proves itself by private_key_jwt takes none.');
  const minimum = method === 'client_secret_jwt' ? MINIMUM_SIGNING_LENGTH : LENGTH.minimum;
  if (secret.length < minimum) throw refuse(`must have at least ${minimum} characters.`);
  if (secret.length > LENGTH.maximum) throw refuse(`must have at most ${LENGTH.maximum} characters.`);
  if (!/^[!-~]+$/.test(secret)) throw refuse('only visible ASCII characters are allowed.');
  return secret;
}
