import { assertHolds, coversUser, grantOf, holdsEverything } from '../../../access/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { type Db, isShared, type Tx } from '../../../platform/postgres/index.ts';
import type { UsersPorts } from '../ports.ts';
import { findUserById, findUserIdByLogin } from '../store.ts';
import { findUserForUpdate } from './locked-user-store.ts';
import type { UserRow } from './user-row.ts';

const USER_ID = /^00u[0-9A-Za-z]{17}$/;

/**
 * Resolves the user in a path: an id, `me`, a login, or a short login that only one user has. This function does not
 * look up ids. A caller who sees only some users gets 403 E0000006 for an unknown login, so that the caller does not
 * learn which logins exist.
 */
export async function resolveUserId(db: Db, context: Context, idOrLogin: string, grant?: Grant): Promise<string> {
  if (idOrLogin === 'me') {
    const own = userIdOf(context.principal);
    if (own !== null) return own;
    throw notFound('me', 'User');
  }
  if (USER_ID.test(idOrLogin)) return idOrLogin;
  const found = await findUserIdByLogin(db, context.orgId, idOrLogin);
  if (found === undefined)
    throw grant === undefined || grant.kind === 'all' ? notFound(idOrLogin, 'User') : apiError('E0000006');
  return found;
}

async function loadUser(
  ports: UsersPorts,
  db: Db,
  context: Context,
  grant: Grant,
  userId: string,
  find: typeof findUserById | typeof findUserForUpdate,
): Promise<UserRow> {
  const isSelf = userIdOf(context.principal) === userId;
  const mayActOnAll = context.principal.kind === 'system' || isSelf || holdsEverything(context.roles);
  const finding = find(db, context.orgId, userId);
  // In a shared transaction, the users of several requests are locked together, and their roles are read afterwards.
  if (isShared(db)) await finding;
  const [user, targetRoles] = await Promise.all([finding, mayActOnAll ? [] : ports.rolesOf(db, context.orgId, userId)]);
  // The grant is checked first, because a caller who sees only some users must not learn which others exist.
  if (!(await coversUser(db, context.orgId, grant, userId))) throw apiError('E0000006');
  if (user === undefined) throw notFound(userId, 'User');
  if (!mayActOnAll) assertHolds(context, targetRoles);
  return user;
}

/**
 * Throws 403 E0000006 for a user with rights that the caller lacks, because the caller could gain these rights by
 * taking over the account.
 */
export const lockUser = (ports: UsersPorts, tx: Tx, context: Context, grant: Grant, userId: string): Promise<UserRow> =>
  loadUser(ports, tx, context, grant, userId, findUserForUpdate);

export async function assertMaySetCredentials(db: Db, context: Context, userId: string): Promise<void> {
  if (context.principal.kind === 'system') return;
  const grant = grantOf(context.roles, 'users.credentials.manage');
  if (grant === null || !(await coversUser(db, context.orgId, grant, userId))) throw apiError('E0000006');
}

/**
 * Loads the user whose credentials a request sets, and checks the caller's rights: only callers who may set a
 * password may learn how it compares with the policy and the history. Repeat the checks under the lock.
 */
export async function userToSetCredentialsOf(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  userId: string,
): Promise<UserRow> {
  const user = await loadUser(ports, ports.db, context, grant, userId, findUserById);
  await assertMaySetCredentials(ports.db, context, userId);
  return user;
}
