export { assignRole } from './assignments/assign-role.ts';
export { endRolesOfGroup } from './assignments/end-roles-of-group.ts';
export { assertNotLastSuperAdmin, assertSuperAdminRemains, rolesOfUser } from './assignments/super-admins.ts';
export { MAXIMUM_MEMBERS as MAXIMUM_MEMBERS_OF_BINDING } from './bindings/binding.ts';
export { checkStoredAssignment, checkStoredTarget } from './check-stored.ts';
