export { assignRole } from './assign-role.ts';
export { endRolesOfGroup } from './end-roles-of-group.ts';
export { assertNotLastSuperAdmin, keepSuperAdmin, rolesOfUser } from './super-admins.ts';
