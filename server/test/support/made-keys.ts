import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { inject } from 'vitest';
import type { RsaKeyPair } from '../../src/platform/crypto/rsa-key-pair.ts';

declare module 'vitest' {
  interface ProvidedContext {
    madeKeys: string[];
  }
}

const EXPONENT = 65_537n;
let taken = 0;

const numberOf = (text = ''): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);

function textOf(number: bigint): string {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

/** Returns the inverse of `number` modulo `modulus` by Euclid's algorithm. Their only common divisor must be 1. */
function inverseOf(number: bigint, modulus: bigint): bigint {
  let [last, rest] = [modulus, number % modulus];
  let [lastFactor, factor] = [0n, 1n];
  while (rest > 0n) {
    const quotient = last / rest;
    [last, rest] = [rest, last - quotient * rest];
    [lastFactor, factor] = [factor, lastFactor - quotient * factor];
  }
  return (lastFactor + modulus) % modulus;
}

function combine(one: string, other: string): KeyObject {
  const p = numberOf(createPrivateKey(one).export({ format: 'jwk' }).p);
  const q = numberOf(createPrivateKey(other).export({ format: 'jwk' }).q);
  const d = inverseOf(EXPONENT, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverseOf(q, p) };
  const members = Object.entries(numbers).map(([name, number]) => [name, textOf(number)]);
  return createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(members) }, format: 'jwk' });
}

/**
 * Returns an RSA key pair from the run's pool, because generating one is slow. When the pool is used up, combines the
 * primes of its keys. Two servers of an org must not have the same key.
 */
export function nextKeyPair(): RsaKeyPair {
  const pool = inject('madeKeys');
  const round = Math.floor(taken / pool.length);
  const one = pool[taken % pool.length];
  const other = pool[(taken + round) % pool.length];
  taken += 1;
  if (one === undefined || other === undefined || round >= pool.length) throw new Error('there are no further keys');
  const privateKey = round === 0 ? createPrivateKey(one) : combine(one, other);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

export const makeTestKeyPair = async (): Promise<RsaKeyPair> => nextKeyPair();
