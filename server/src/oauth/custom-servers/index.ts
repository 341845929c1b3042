export {
  accessTokenClaims,
  bytesOf,
  type ClaimFacts,
  type ClaimSubject,
  identityClaims,
  MAXIMUM_CLAIMS_BYTES,
} from './claim-values.ts';
export {
  asksGroups,
  createServerConfigurations,
  endpointPaths,
  type ServerConfiguration,
  type ServerConfigurations,
} from './server-configuration.ts';
export { createServerTokenVerifier, type ServerTokenVerifier, type VerifiedServerToken } from './server-tokens.ts';
export { type ConsentWatermark, type LockedServer, lockConsentWatermarks, lockServer } from './store.ts';
