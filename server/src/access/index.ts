export { decide, grantCovers, holdsEverything, mayActOn, permissionsOf } from './decide.ts';
export {
  isRoleType,
  type Permission,
  ROLE_TYPES,
  ROLES,
  type RoleType,
} from './permissions.ts';
