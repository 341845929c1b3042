export { dropOldRefreshTokens, dropVoidRefreshTokens, FIRST_TOKEN } from './cross-org-store.ts';
export { liveRefreshTokens, liveRefreshTokensOf } from './live-tokens.ts';
export { expiriesOf, isOver, rotationFor, type Turn, turnOf } from './rotation-rules.ts';
export {
  type FamiliesPlace,
  findLiveRefreshToken,
  findRefreshToken,
  findRefreshTokens,
  hasAllFamilies,
  insertRefreshToken,
  lockFamily,
  type Origin,
  type RefreshToken,
  removeExchanged,
  removeRefreshToken,
  type SeenRefreshToken,
  type StoredRefreshToken,
} from './store.ts';
export { createRefreshTokenTexts, type RefreshTokenTexts } from './token-text.ts';
export {
  assumeRefreshToken,
  lockRefreshToken,
  lockSeenRefreshToken,
  updateRefreshToken,
  updateSeenRefreshToken,
} from './use-store.ts';
