export { createUser } from './create-user.ts';
export { expirePasswordWithTempPassword } from './expire-password.ts';
export { getUser } from './get-user.ts';
export { USER_STATUSES, type UserStatus, userLifecycle } from './lifecycle.ts';
export { DEFAULT_PASSWORD_POLICY } from './password-rules.ts';
export { type UsersPorts } from './ports.ts';
export { findUserById, findUserForUpdate } from './store.ts';

export { userTarget } from './wire.ts';
