import { assertHolds, coversUser, grantOf, holdsEverything } from '../../../access/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { UsersPorts } from '../ports.ts';
import { findUserById, findUserForUpdate, findUserIdByLogin } from '../store.ts';
import type { UserRow } from './user-row.ts';

const USER_ID = /^00u[0-9A-Za-z]{17}$/;

/**
 * The id behind what stands in the path: an id, `me` (the token's creator, or the session's user), a login, or a
 * short login that is unambiguous. Unknown and other orgs' users answer alike: 404 E0000007. A caller who sees only
 * some users gets the 403 E0000006 of those it does not see, so that it cannot learn which logins exist.
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
  const [user, targetRoles] = await Promise.all([
    find(db, context.orgId, userId),
    mayActOnAll ? [] : ports.rolesOf(db, context.orgId, userId),
  ]);
  // Behind the lock, and before what is unknown is told: a caller with some users must not learn which others exist.
  if (!(await coversUser(db, context.orgId, grant, userId))) throw apiError('E0000006');
  if (user === undefined) throw notFound(userId, 'User');
  if (!mayActOnAll) assertHolds(context, targetRoles);
  return user;
}

/**
 * Loads and locks the user a change is about, and refuses what the caller may not do to it: outside its grant, or an
 * administrator who holds more than the caller (an account takeover would be a promotion).
 */
export const lockUser = (ports: UsersPorts, tx: Tx, context: Context, grant: Grant, userId: string): Promise<UserRow> =>
  loadUser(ports, tx, context, grant, userId, findUserForUpdate);

/**
 * 403 E0000006 unless the caller's roles let it set credentials of the user: whoever writes profiles need not be able
 * to take accounts over.
 */
export async function assertMaySetCredentials(db: Db, context: Context, userId: string): Promise<void> {
  if (context.principal.kind === 'system') return;
  const grant = grantOf(context.roles, 'users.credentials.manage');
  if (grant === null || !(await coversUser(db, context.orgId, grant, userId))) throw apiError('E0000006');
}

/**
 * The user whose credentials a change gives, refused as under the lock, where it is asked again: what a password is
 * compared with before that (policy, history) is told to nobody who may not set one.
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
