export { CODE_LIFETIME_SECONDS, hashOfCode, newAuthorizationCode } from './authorization-code.ts';
export { dropOldAuthorizationCodes } from './cross-org-store.ts';
export {
  type AuthorizationCode,
  assumeAuthorizationCode,
  findAuthorizationCode,
  findAuthorizationCodes,
  insertAuthorizationCode,
  lockAuthorizationCode,
  lockSeenAuthorizationCode,
  type SeenCode,
  type StoredCode,
  useAuthorizationCode,
  useSeenAuthorizationCode,
} from './store.ts';
