export { issuedAtOf, newAccessTokenId, newTokenId } from './access-token-id.ts';
export { type Actor, readActor } from './actor-rules.ts';
export {
  type AccessTokenClaims,
  isOrigin,
  isWithinItsTime,
  readServerClaims,
  type ServerTokenClaims,
} from './claims-rules.ts';
export { PresentedTokenBody } from './contract.ts';
export {
  ACCESS_TOKEN_LIFETIME_SECONDS,
  type AccessTokens,
  createAccessTokens,
  type OpenedSigner,
  type TokenSigner,
} from './mint.ts';
export { wireScope } from './openid-scope-rules.ts';
export { type ClientPort, readPresentedToken, requirePresentedServer } from './presented-token.ts';
export { findLiveClient, findLiveUser, isTokenRevoked, type LiveUser } from './store.ts';
export {
  authenticatedBy,
  createTokenVerifier,
  isHeldSince,
  type Refused,
  readSigned,
  refusalOfUse,
  refused,
  type TokenVerifier,
} from './verify.ts';
