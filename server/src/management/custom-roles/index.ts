export { readDescription, readLabel } from './name-rules.ts';
export { type CustomRole, findCustomRole, findPermissions } from './store.ts';
export { customRoleTarget, roleAddress } from './wire.ts';
