export { dropOldRefreshTokens, dropVoidRefreshTokens, FIRST_TOKEN } from './cross-org-store.ts';
export { liveRefreshTokens, liveRefreshTokensOf } from './live-tokens.ts';
export { expiriesOf, isOver, rotationFor, type Turn, turnOf } from './rotation-rules.ts';
export {
  assumeRefreshToken,
  findLiveRefreshToken,
  findRefreshToken,
  hasAllFamilies,
  insertRefreshToken,
  lockFamily,
  lockRefreshToken,
  type Origin,
  type RefreshToken,
  removeExchanged,
  removeRefreshToken,
  type SeenRefreshToken,
  type StoredRefreshToken,
  USER_OF_REFRESH_TOKEN,
  updateRefreshToken,
  updateSeenRefreshToken,
} from './store.ts';
export { createRefreshTokenTexts, type RefreshTokenTexts } from './token-text.ts';
