export { assignRole, newAssignmentId, readRoleType } from './assign-role.ts';
export { roleChange } from './role-change.ts';
export { assertNotLastSuperAdmin, rolesOfUser } from './roles-of-user.ts';
