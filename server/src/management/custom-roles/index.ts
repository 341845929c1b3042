export { MAXIMUM_ROLES as MAXIMUM_CUSTOM_ROLES } from './changes/create-custom-role.ts';
export { checkStoredLabel, checkStoredPermission } from './check-stored.ts';
export { readDescription, readLabel } from './name-rules.ts';
export { type CustomRole, findCustomRole, findPermissions } from './store.ts';
export { customRoleTarget, roleAddress } from './wire.ts';
