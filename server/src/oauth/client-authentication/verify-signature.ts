import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { sizedCache } from '../../platform/caches/index.ts';
import {
  fitsAlgorithm,
  type Jwk,
  type ParsedJws,
  requiredMembers,
  type SignatureAlgorithmName,
  signatureAlgorithm,
} from './jws-rules.ts';

/** The size limit of the cache. The size of an entry is the length of its name plus `KEY_SIZE`. */
const MAXIMUM_KEPT_SIZE = 20_000_000;
const KEY_SIZE = 1_500;
/** RFC 7518 3.3 requires the minimum. Keys above the maximum take too much time per request. */
const RSA_MODULUS_BITS = { minimum: 2_048, maximum: 8_192 };

const keys = sizedCache<KeyObject>(MAXIMUM_KEPT_SIZE, () => KEY_SIZE);

function importKey(members: Readonly<Record<string, string>>): KeyObject | null {
  try {
    const key = createPublicKey({ key: { ...members }, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    const isSound = bits === undefined || (bits >= RSA_MODULUS_BITS.minimum && bits <= RSA_MODULUS_BITS.maximum);
    return isSound ? key : null;
  } catch {
    return null;
  }
}

function keyOf(jwk: Jwk): KeyObject | null {
  const members = requiredMembers(jwk);
  if (members === null) return null;
  const name = JSON.stringify(members);
  const key = keys.get(name) ?? importKey(members);
  if (key !== null) keys.set(name, key);
  return key;
}

/** Computes the RFC 7638 thumbprint, a SHA-256 in base64url. Returns null if `jwk` is not a complete RSA or EC key. */
export function thumbprintOf(jwk: Jwk): string | null {
  const members = requiredMembers(jwk);
  return members === null ? null : createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/** Verifies on the event loop, because handing the work to a thread takes longer than verifying. */
export function verifiesSignature(jws: ParsedJws, name: SignatureAlgorithmName, jwk: Jwk): boolean {
  const key = fitsAlgorithm(jwk, name) ? keyOf(jwk) : null;
  if (key === null) return false;
  const { hash, keyType, pss } = signatureAlgorithm(name);
  const scheme =
    keyType === 'EC'
      ? { dsaEncoding: 'ieee-p1363' as const }
      : pss === true
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : { padding: constants.RSA_PKCS1_PADDING };
  try {
    return verify(hash, Buffer.from(jws.signingInput), { key, ...scheme }, jws.signature);
  } catch {
    return false;
  }
}
