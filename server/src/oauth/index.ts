export { dropOldAuthorizationCodes } from './authorization-codes/index.ts';
export { dropOldUsedAssertions } from './client-authentication/cross-org-store.ts';
export { thumbprintOf } from './client-authentication/verify-signature.ts';
export { dropOldAuthorizationRequests } from './interactions/index.ts';
export {
  checkStoredServerKey,
  listSigningKeys,
  planDefaultServerKey,
  planServerRotation,
  publishedOrgKeys,
  rotateSigningKey,
  signingOf,
  signStatement,
} from './keys/index.ts';
export { notifyClientsOfLogout, notifyClientsOfVoidSessions } from './logout/index.ts';
export { createOAuth, type OAuth } from './oauth.ts';
export { dropOldPendingAuthorizations } from './pending-authorizations/index.ts';
export { dropOldRefreshTokens, dropVoidRefreshTokens, FIRST_TOKEN } from './refresh-tokens/index.ts';
export { dropSpentTokens } from './revocation/index.ts';
