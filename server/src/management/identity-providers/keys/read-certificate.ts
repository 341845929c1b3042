import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { StoredJwk } from './key-contract.ts';

const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/** NIST SP 800-131A does not allow new signatures with shorter keys. */
const MINIMUM_RSA_BITS = 2_048;
const CURVES: ReadonlySet<string> = new Set(['P-256', 'P-384', 'P-521']);

const problem = (text: Problem): ApiError => invalid('x5c', text);

function parse(text: string): X509Certificate {
  const compact = text.replaceAll(/\s+/g, '');
  const der = Buffer.from(compact, 'base64');
  try {
    const certificate = new X509Certificate(der);
    // The decoder ignores bytes after the certificate, but the API would show these bytes as part of it.
    if (BASE64.test(compact) && certificate.raw.equals(der)) return certificate;
  } catch {
    // The error is thrown below.
  }
  throw problem('must be the base64 of a certificate in DER (RFC 7517 4.7).');
}

function publicMembers(key: KeyObject): Omit<StoredJwk, 'x5c' | 'x5t#S256'> {
  if (key.asymmetricKeyType === 'rsa') {
    if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < MINIMUM_RSA_BITS) {
      throw problem(`must hold an RSA key of at least ${MINIMUM_RSA_BITS} bits.`);
    }
    const { e, n } = key.export({ format: 'jwk' });
    if (e !== undefined && n !== undefined) return { kty: 'RSA', e, n };
  }
  if (key.asymmetricKeyType === 'ec') {
    const { crv, x, y } = key.export({ format: 'jwk' });
    if (crv !== undefined && CURVES.has(crv) && x !== undefined && y !== undefined) return { kty: 'EC', crv, x, y };
  }
  throw problem('must hold a key of RSA, or of EC on P-256, P-384 or P-521.');
}

/**
 * Reads the public key, the SHA-256 thumbprint (RFC 7517 4.9) and the expiry of the first certificate. Accepts expired
 * certificates.
 */
export function readCertificate(x5c: readonly string[]): { jwk: StoredJwk; expiresAt: Date } {
  const [certificate] = x5c.map(parse);
  if (certificate === undefined) throw required('x5c');
  const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url');
  return {
    jwk: { ...publicMembers(certificate.publicKey), x5c, 'x5t#S256': thumbprint },
    expiresAt: new Date(certificate.validTo),
  };
}
