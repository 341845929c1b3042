export { newAccessTokenId } from './access-token-id.ts';
export type { AccessTokenClaims } from './claims-rules.ts';
export { PresentedTokenBody } from './contract.ts';
export { ACCESS_TOKEN_LIFETIME_SECONDS, type AccessTokens, createAccessTokens } from './mint.ts';
export { type ClientPort, readPresentedToken } from './presented-token.ts';
export { authenticatedBy, createTokenVerifier, type TokenVerifier, type VerifiedToken } from './verify.ts';
