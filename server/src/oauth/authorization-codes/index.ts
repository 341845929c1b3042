export { CODE_LIFETIME_SECONDS, hashOfCode, newAuthorizationCode } from './authorization-code.ts';
export { dropOldAuthorizationCodes } from './cross-org-store.ts';
export {
  type AuthorizationCode,
  assumeAuthorizationCode,
  findAuthorizationCode,
  insertAuthorizationCode,
  lockAuthorizationCode,
  type StoredCode,
  USER_OF_CODE,
  useAuthorizationCode,
} from './store.ts';
