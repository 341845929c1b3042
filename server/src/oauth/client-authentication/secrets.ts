import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type MacAlgorithmName, macAlgorithm, type ParsedJws } from './jws-rules.ts';

/** Compares the secret with all hashes, even after a match, so that the time taken does not show which one matches. */
export function isSecretOf(secret: string, hashes: readonly Buffer[]): boolean {
  const presented = hashSecret(secret);
  let found = false;
  for (const hash of hashes) {
    const isEqual = hash.length === presented.length && timingSafeEqual(hash, presented);
    found = isEqual || found;
  }
  return found;
}

/** Returns whether one of the secrets made the MAC (RFC 7515 A.1). Secrets too short for the algorithm do not count. */
export function isMadeBySecret(jws: ParsedJws, name: MacAlgorithmName, secrets: readonly string[]): boolean {
  const { hash, minimumBytes } = macAlgorithm(name);
  let found = false;
  for (const secret of secrets) {
    const key = Buffer.from(secret, 'utf8');
    const mac = createHmac(hash, key).update(jws.signingInput).digest();
    const isEqual = mac.length === jws.signature.length && timingSafeEqual(mac, jws.signature);
    found = (isEqual && key.length >= minimumBytes) || found;
  }
  return found;
}
