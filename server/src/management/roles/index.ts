export { assignRole } from './assign-role.ts';
export { MAXIMUM_MEMBERS as MAXIMUM_MEMBERS_OF_BINDING } from './binding.ts';
export { checkStoredAssignment, checkStoredTarget } from './check-stored.ts';
export { endRolesOfGroup } from './end-roles-of-group.ts';
export { assertNotLastSuperAdmin, keepSuperAdmin, rolesOfUser } from './super-admins.ts';
