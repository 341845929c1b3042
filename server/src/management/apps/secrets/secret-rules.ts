import { invalid } from '../../../kernel/errors/errors.ts';
import { tooLong } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { TokenEndpointAuthMethod } from '../documents/document-contract.ts';

/** A client may have one secret in use and, during a rotation, its successor. */
export const MAXIMUM_SECRETS = 2;

const LENGTH = { minimum: 14, maximum: 100 };
/** A secret that signs with HS256 needs at least as many bytes as the hash (RFC 7518 3.2). */
const MINIMUM_SIGNING_LENGTH = 32;

const refuse = (cause: Problem) => invalid('client_secret', cause);

/** Reads a secret that the caller chose. The error does not contain the secret. */
export function readGivenSecret(secret: string, method: TokenEndpointAuthMethod): string {
  if (method === 'private_key_jwt') throw refuse('does not apply to a client that authenticates by private_key_jwt.');
  const minimum = method === 'client_secret_jwt' ? MINIMUM_SIGNING_LENGTH : LENGTH.minimum;
  if (secret.length < minimum) throw refuse(`must be at least ${minimum} characters.`);
  if (secret.length > LENGTH.maximum) throw tooLong('client_secret', LENGTH.maximum);
  if (!/^[!-~]+$/.test(secret)) throw refuse('must contain visible ASCII characters only.');
  return secret;
}
