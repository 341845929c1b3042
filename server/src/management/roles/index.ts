export { assignRole, newAssignmentId, readRoleType } from './assign-role.ts';
export { assertNotLastSuperAdmin, rolesOfUser } from './roles-of-user.ts';
