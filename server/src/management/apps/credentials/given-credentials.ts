import type { AppInput } from '../contract.ts';
import { type AppDocument, isClientDocument } from '../documents/document-contract.ts';
import { takesSecret } from '../documents/document-rules.ts';
import { type PublicJwk, readJwks } from '../keys/jwk-rules.ts';
import { readGivenSecret } from '../secrets/secret-rules.ts';

/** Returns null if the body leaves the stored keys as they are. */
export function readKeys(input: AppInput): readonly PublicJwk[] | null {
  if (input.signOnMode !== 'OPENID_CONNECT') return null;
  const jwks = input.settings?.oauthClient?.jwks;
  if (jwks === undefined) return null;
  return jwks === null ? [] : readJwks(jwks);
}

/** Returns null if the body contains no secret or the client does not authenticate with a secret. */
export function readSecret(input: AppInput, document: AppDocument): string | null {
  if (input.signOnMode !== 'OPENID_CONNECT' || !isClientDocument(document)) return null;
  const given = input.credentials?.oauthClient?.client_secret ?? null;
  if (given === null || !takesSecret(document)) return null;
  return readGivenSecret(given, document.credentials.oauthClient.token_endpoint_auth_method);
}
