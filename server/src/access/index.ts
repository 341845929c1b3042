export { decide, grantCovers, mayActOn, permissionsOf, type Subject } from './decide.ts';
export {
  isRoleType,
  PERMISSIONS,
  type Permission,
  ROLE_TYPES,
  ROLES,
  type RoleDefinition,
  type RoleType,
} from './permissions.ts';
