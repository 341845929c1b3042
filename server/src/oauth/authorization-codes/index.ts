export { CODE_LIFETIME_SECONDS, hashOfCode, newAuthorizationCode } from './authorization-code.ts';
export { dropOldAuthorizationCodes } from './cross-org-store.ts';
export {
  type AuthorizationCode,
  findAuthorizationCode,
  insertAuthorizationCode,
  lockAuthorizationCode,
  type StoredCode,
  useAuthorizationCode,
} from './store.ts';
