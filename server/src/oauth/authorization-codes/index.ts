export { CODE_LIFETIME_SECONDS, hashOfCode, newAuthorizationCode } from './authorization-code.ts';
export { dropOldAuthorizationCodes } from './cross-org-store.ts';
export {
  type AuthorizationCode,
  assumeAuthorizationCode,
  findAuthorizationCode,
  insertAuthorizationCode,
  lockAuthorizationCode,
  type SeenCode,
  type StoredCode,
  USER_OF_CODE,
  useAuthorizationCode,
  useSeenAuthorizationCode,
} from './store.ts';
