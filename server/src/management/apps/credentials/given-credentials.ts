import type { AppInput } from '../contract.ts';
import { type AppDocument, isClientDocument } from '../documents/document-contract.ts';
import { takesSecret } from '../documents/document-rules.ts';
import { type PublicJwk, readJwks } from '../keys/jwk-rules.ts';
import { readGivenSecret } from '../secrets/secret-rules.ts';

/** The keys a body asks for; null: it says nothing of them and they stay. 400 E0000001 for what is no public key. */
export function readKeys(input: AppInput): readonly PublicJwk[] | null {
  if (input.signOnMode !== 'OPENID_CONNECT') return null;
  const jwks = input.settings?.oauthClient?.jwks;
  if (jwks === undefined) return null;
  return jwks === null ? [] : readJwks(jwks);
}

/**
 * The secret that a body brings; null: none. A client that proves itself otherwise has no use for one, and it is not
 * looked at: clients leave it in when they change the method. 400 E0000001 for a weak one.
 */
export function readSecret(input: AppInput, document: AppDocument): string | null {
  if (input.signOnMode !== 'OPENID_CONNECT' || !isClientDocument(document)) return null;
  const given = input.credentials?.oauthClient?.client_secret ?? null;
  if (given === null || !takesSecret(document)) return null;
  return readGivenSecret(given, document.credentials.oauthClient.token_endpoint_auth_method);
}
