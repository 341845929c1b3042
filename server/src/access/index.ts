export {
  type AdmissionPath,
  type AdmissionRefusal,
  admits,
} from './admission.ts';
export { decide, grantCovers, holdsEverything, lacksScope, mayActOn, permissionsOf } from './decide.ts';
export {
  isRoleType,
  type Permission,
  ROLE_TYPES,
  ROLES,
  type RoleType,
} from './permissions.ts';
