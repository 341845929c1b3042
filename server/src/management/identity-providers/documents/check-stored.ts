import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { assertReadsAsStored, storedText } from '../../../kernel/stored.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { assertIsOf } from '../../../platform/http/index.ts';
import { ProviderBody } from '../contract.ts';
import type { StoredJwk } from '../keys/key-contract.ts';
import { readCertificate } from '../keys/read-certificate.ts';
import { wirePolicy, wireProtocol } from '../wire.ts';
import type { ProviderDocument } from './document-contract.ts';
import { readDocument, readName } from './document-rules.ts';
import { readProviderType, wireProviderType } from './type-rules.ts';

export function checkStoredProvider(row: Members, context: Context): void {
  const { upper, word } = context.namespace;
  const document = row['document'] as ProviderDocument;
  const { issuerMode, policy, properties, protocol } = document;
  const shown = {
    type: wireProviderType(String(row['type']), upper),
    name: row['name'],
    issuerMode,
    // An imported file need not contain the secret, so the protocol is checked without it.
    protocol: protocol.type === 'ID_PROOFING' ? protocol : wireProtocol(protocol, context, {}),
    policy: wirePolicy(policy),
    properties,
  };
  const body = JSON.parse(JSON.stringify(shown)) as unknown;
  assertIsOf(ProviderBody, body);
  readName(body.name, body.name);
  const audience = protocol.type === 'SAML2' ? protocol.credentials.trust.audience : '';
  const read = readDocument(readProviderType(body.type, upper), body, { word, audience }, document);
  assertReadsAsStored('document', document, read);
}

export function checkStoredProviderKey(row: Members): void {
  const stored = row['jwk'] as StoredJwk;
  const { expiresAt, jwk } = readCertificate(stored.x5c);
  assertReadsAsStored('jwk', stored, jwk);
  const ends = Date.parse(storedText(row, 'expires_at'));
  if (ends !== expiresAt.getTime()) throw invalid('expires_at', 'must be the end of the certificate.');
}
