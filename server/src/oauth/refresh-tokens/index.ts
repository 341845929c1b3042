export { dropOldRefreshTokens, dropVoidRefreshTokens, FIRST_TOKEN } from './cross-org-store.ts';
export { expiriesOf, isOver, rotationFor, turnOf } from './rotation-rules.ts';
export {
  findLiveRefreshToken,
  findRefreshToken,
  HAS_ALL_FAMILIES,
  insertRefreshToken,
  lockFamily,
  lockRefreshToken,
  type Origin,
  type RefreshToken,
  removeExchanged,
  removeRefreshToken,
  type StoredRefreshToken,
  updateRefreshToken,
} from './store.ts';
export { createRefreshTokenTexts, type RefreshTokenTexts } from './token-text.ts';
