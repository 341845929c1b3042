export {
  type Authentication,
  decideUserTokens,
  orgIdentity,
  type SignedIn,
  type UserTokenDecision,
  type UserTokenRefusal,
} from './decide-user-tokens.ts';
export { lockTokenParents, parentsAsSeen, type TokenParents } from './lock-parents.ts';
export {
  ID_TOKEN_LIFETIME_SECONDS,
  issuerAt,
  mintIdToken,
  mintUserAccessToken,
  newIdTokenId,
  type UserTokenPlace,
} from './mint-user-tokens.ts';
export { findTokenGroups, type TokenUser, tokenUserReader } from './parents-store.ts';
export { lacksOpenId, type ReadUserScopes, readCustomScopes, readOrgScopes } from './scope-rules.ts';
export {
  assumeParents,
  findSeenParents,
  lockSeenParents,
  type NamingGrants,
  type SeenParents,
} from './seen-parents-store.ts';
export { type IdTokenPorts, subjectOfHint, type VerifiedIdToken, verifyIdToken } from './verify-id-token.ts';
