import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { assertReadsAsStored, storedBytes, storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { readSecureUri } from './documents/web-uri-rules.ts';
import { readScope, wireScope } from './grants/grant-rules.ts';
import { readJwk, statusOf } from './keys/jwk-rules.ts';
import { MAXIMUM_IMAGE_BYTES, readImage } from './logos/image-rules.ts';
import type { StoredMembers } from './modes/field-rules.ts';
import {
  defaultCapabilities,
  isFeatureName,
  readCapabilities,
  wireCapabilities,
} from './provisioning/feature-rules.ts';
import { readCertificate } from './signing-keys/read-certificate.ts';
import { type CertifiedJwk, certifiedJwk, thumbprintOf } from './signing-keys/signing-key.ts';

// These functions apply the API's rules to imported rows.

export function checkStoredKey({ jwk, kid }: Members): void {
  const read = statusOf(readJwk(jwk, 'jwk')).jwk;
  // Input validation drops some members of a key, so these members are not stored.
  if (!isDeepStrictEqual(jwk, read)) throw invalid('jwk', 'is not what this server would have stored.');
  if ((kid ?? null) !== (read.kid ?? null)) throw invalid('kid', 'must be that of the key.');
}

export function checkStoredSigningKey(row: Members): void {
  const jwk = row['jwk'] as CertifiedJwk;
  const certificate = readCertificate('jwk.x5c', Buffer.from(String(jwk.x5c[0])));
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') throw invalid('jwk', 'must be an RSA key.');
  const read = certifiedJwk(certificate.publicKey, certificate.raw);
  if (thumbprintOf(read) !== row['kid']) throw invalid('kid', 'must be the thumbprint of the key.');
  assertReadsAsStored('jwk', { ...jwk, x5c: jwk.x5c.slice(0, 1) }, read);
}

export function checkStoredLogo(row: Members): void {
  const type = readImage(storedBytes(row, 'content', MAXIMUM_IMAGE_BYTES));
  if (type !== row['media_type']) throw invalid('media_type', 'must be that of the content.');
}

export function checkStoredGrant(row: Members, { namespace }: Context): void {
  readScope(wireScope(storedText(row, 'scope'), namespace), namespace);
}

export function checkStoredProvisioning(row: Members, { namespace }: Context): void {
  if (!isAbsent(row['base_url'])) readSecureUri('base_url', storedText(row, 'base_url'));
  for (const [name, stored] of Object.entries(row['features'] as Readonly<Record<string, StoredMembers>>)) {
    if (!isFeatureName(name)) throw invalid('features', 'contains an unknown feature.');
    const wire = wireCapabilities(name, stored, namespace);
    const read = readCapabilities(name, wire, defaultCapabilities(name), namespace);
    assertReadsAsStored(`features.${name}`, stored, read);
  }
}
