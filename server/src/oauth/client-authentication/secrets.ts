import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../platform/crypto/index.ts';

/** Whether a secret is one of those whose SHA-256 are given; looks at all of them, whichever fits. */
export function isSecretOf(secret: string, hashes: readonly Buffer[]): boolean {
  const presented = hashSecret(secret);
  let found = false;
  for (const hash of hashes) {
    const isEqual = hash.length === presented.length && timingSafeEqual(hash, presented);
    found = isEqual || found;
  }
  return found;
}
