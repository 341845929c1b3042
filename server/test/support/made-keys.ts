import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { inject } from 'vitest';
import type { RsaKeyPair } from '../../src/platform/crypto/rsa-key-pair.ts';

declare module 'vitest' {
  interface ProvidedContext {
    madeKeys: string[];
  }
}

const USUAL_EXPONENT = 65_537;
let taken = 0;

const numberOf = (text = ''): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);

function textOf(number: bigint): string {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

/** Returns the inverse of `number` modulo `modulus` by Euclid's algorithm, or null if they have a common divisor. */
function inverseOf(number: bigint, modulus: bigint): bigint | null {
  let [last, rest] = [modulus, number % modulus];
  let [lastFactor, factor] = [0n, 1n];
  while (rest > 0n) {
    const quotient = last / rest;
    [last, rest] = [rest, last - quotient * rest];
    [lastFactor, factor] = [factor, lastFactor - quotient * factor];
  }
  return last === 1n ? (lastFactor + modulus) % modulus : null;
}

/** Returns the key with the same primes and another public exponent, or null if these primes do not allow it. */
function withExponent(pem: string, exponent: number): JsonWebKey | null {
  const jwk = createPrivateKey(pem).export({ format: 'jwk' });
  const [lessOfP, lessOfQ] = [numberOf(jwk.p) - 1n, numberOf(jwk.q) - 1n];
  const secret = inverseOf(BigInt(exponent), lessOfP * lessOfQ);
  if (secret === null) return null;
  return {
    ...jwk,
    e: textOf(BigInt(exponent)),
    d: textOf(secret),
    dp: textOf(secret % lessOfP),
    dq: textOf(secret % lessOfQ),
  };
}

/**
 * Takes the next RSA key pair from the run's pool, because generating one is slow. After the last pair, starts again
 * with the first but with the next odd exponent. In a worker, no pair comes twice, because two servers of an org must
 * not have the same key. Throws an Error if the pool is empty.
 */
export function nextKeyPair(): RsaKeyPair {
  const pool = inject('madeKeys');
  const pem = pool[taken % pool.length];
  const round = Math.floor(taken / pool.length);
  taken += 1;
  if (pem === undefined) throw new Error('the run made no keys');
  if (round === 0) return { privateKey: createPrivateKey(pem), publicKey: createPublicKey(pem) };
  const jwk = withExponent(pem, USUAL_EXPONENT + 2 * round);
  if (jwk === null) return nextKeyPair();
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

export const makeTestKeyPair = async (): Promise<RsaKeyPair> => nextKeyPair();
