export {
  type CertificateAuthority,
  openCertificateAuthority,
  type ServerCertificate,
} from './certificate-authority.ts';
export { type HostCertificatesOptions, hostCertificates } from './host-certificates.ts';
export {
  loadMasterKey,
  type MasterKey,
  MasterKeyError,
  type MasterKeySource,
  masterKeyOf,
  matchesCheckValue,
} from './master-key.ts';
export { SealError, type SealedPlace, seal, sealingKeyId, unseal, unsealText } from './seal.ts';
export { constantTimeEqual, hashSecret, newPassword, newSecret } from './secrets.ts';
