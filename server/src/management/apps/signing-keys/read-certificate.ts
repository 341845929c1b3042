import { X509Certificate } from 'node:crypto';
import { invalid } from '../../../kernel/errors/errors.ts';

const PEM = /^-----BEGIN (?:X509 )?CERTIFICATE-----([A-Za-z\d+/=\s]+)-----END (?:X509 )?CERTIFICATE-----$/;
const BASE64 = /^[\w+/-]+={0,2}$/;

/** Converts a body in DER, PEM, Base64 or base64url to DER. */
function derOf(body: Buffer): Buffer | null {
  // In DER, a certificate begins with 0x30 (SEQUENCE) and a length byte above 0x80. Base64 and PEM texts do not.
  if (body[0] === 0x30 && (body[1] ?? 0) > 0x80) return body;
  const text = body.toString('latin1').trim();
  const bare = (PEM.exec(text)?.[1] ?? text).replaceAll(/\s/g, '');
  return BASE64.test(bare) ? Buffer.from(bare, 'base64') : null;
}

export function readCertificate(field: string, body: Buffer): X509Certificate {
  const der = derOf(body);
  try {
    const certificate = der === null ? null : new X509Certificate(der);
    // Bytes after the certificate are refused, because its signature does not cover them.
    if (certificate !== null && der !== null && certificate.raw.equals(der)) return certificate;
  } catch {
    // The error is thrown below.
  }
  throw invalid(field, `must be one X.509 certificate as DER, base64 or PEM.`);
}
