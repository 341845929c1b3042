export { issuedAtOf, newAccessTokenId } from './access-token-id.ts';
export {
  type AccessTokenClaims,
  isOrigin,
  isWithinItsTime,
  readServerClaims,
  type ServerTokenClaims,
} from './claims-rules.ts';
export { PresentedTokenBody } from './contract.ts';
export { ACCESS_TOKEN_LIFETIME_SECONDS, type AccessTokens, createAccessTokens } from './mint.ts';
export { type ClientPort, readPresentedToken, requirePresentedServer } from './presented-token.ts';
export { findLiveClient, isTokenRevoked } from './store.ts';
export {
  authenticatedBy,
  createTokenVerifier,
  type Refused,
  readSigned,
  refused,
  type TokenVerifier,
} from './verify.ts';
