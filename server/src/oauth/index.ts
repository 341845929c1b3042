export { dropOldUsedAssertions } from './client-authentication/cross-org-store.ts';
export { thumbprintOf } from './client-authentication/verify-signature.ts';
export {
  listSigningKeys,
  planDefaultServerKey,
  planServerRotation,
  rotateSigningKey,
  signingOf,
  signStatement,
} from './keys/index.ts';
export { createOAuth, type OAuth } from './oauth.ts';
export { dropSpentTokens } from './revocation/index.ts';
