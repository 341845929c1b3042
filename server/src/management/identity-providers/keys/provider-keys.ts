import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { ProviderDocument } from '../documents/document-contract.ts';
import { keysOf } from '../documents/document-rules.ts';
import { findKeyForShare } from './key-store.ts';

/** Only MTLS, the protocol for smart cards, accepts EC keys. */
export const takesKeyType = (protocol: ProviderDocument['protocol']['type'], kty: string): boolean =>
  kty === 'RSA' || protocol === 'MTLS';

/** Locks the keys that the provider names. Refuses missing keys, and keys of a type that the protocol does not take. */
export async function lockKeys(tx: Tx, context: Context, document: ProviderDocument): Promise<void> {
  const field = 'protocol.credentials.trust.kid';
  for (const kid of keysOf(document).toSorted()) {
    const key = await findKeyForShare(tx, context.orgId, kid);
    if (key === undefined) throw invalid(field, `There is no key ${kid}.`);
    if (!takesKeyType(document.protocol.type, key.jwk.kty)) throw invalid(field, `The key ${kid} must be RSA.`);
  }
}
