export { openCertificateAuthority } from './certificate-authority.ts';
export { hostCertificates } from './host-certificates.ts';
export {
  loadMasterKey,
  type MasterKey,
  type MasterKeySource,
  masterKeyOf,
  matchesCheckValue,
  subkeysOf,
  withPrevious,
} from './master-key.ts';
export { type DistinguishedName, makeSigningCertificate, makeSigningRequest } from './rsa-certificate.ts';
export { type MakeKeyPair, makeKeyPair } from './rsa-key-pair.ts';
export { SealError, type SealedPlace, seal, unseal, unsealText } from './seal.ts';
export { hashSecret, newPassword } from './secrets.ts';
export { TLS_RULES } from './tls-rules.ts';
