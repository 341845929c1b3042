import { createPrivateKey, createPublicKey } from 'node:crypto';
import { inject } from 'vitest';
import type { RsaKeyPair } from '../../src/platform/crypto/rsa-key-pair.ts';

declare module 'vitest' {
  interface ProvidedContext {
    madeKeys: string[];
  }
}

let taken = 0;

/**
 * Returns the next RSA key pair of the run's pool, because generating one is slow. After the last pair, starts again
 * with the first. Throws an Error if the pool is empty.
 */
export function nextKeyPair(): RsaKeyPair {
  const pool = inject('madeKeys');
  const pem = pool[taken % pool.length];
  taken += 1;
  if (pem === undefined) throw new Error('the run made no keys');
  return { privateKey: createPrivateKey(pem), publicKey: createPublicKey(pem) };
}

export const makeTestKeyPair = async (): Promise<RsaKeyPair> => nextKeyPair();
