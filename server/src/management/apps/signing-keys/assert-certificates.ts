import { type AppDocument, isClientDocument } from '../documents/document-contract.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import { certificatesIn } from '../modes/saml-rules.ts';
import { readCertificate } from './read-certificate.ts';

export function assertCertificates(document: AppDocument): void {
  if (isClientDocument(document)) return;
  const readers = certificatesIn(document.settings.signOn ?? {}).map(
    ([field, certificate]) => [field, () => readCertificate(field, Buffer.from(certificate, 'latin1'))] as const,
  );
  collectFaults(Object.fromEntries(readers));
}
