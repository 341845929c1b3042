import type { OrgId } from '../../../kernel/words/ids.ts';
import { isShared, needOwnTransaction, prepared, type Tx, together } from '../../../platform/postgres/index.ts';
import { FROM_USERS, USER_COLUMNS } from '../store.ts';
import type { UserRow } from './user-row.ts';

/** Locks the users of several requests. Leaves out users whom other transactions have locked, instead of waiting. */
function lockFreeUsers(tx: Tx, orgId: OrgId, userIds: readonly string[]): Promise<UserRow[]> {
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.id = any($2::text[])
    order by u.id for update of u skip locked`;
  return prepared<UserRow>(tx, 'free_users_for_update', text, [orgId, userIds]);
}

/**
 * Finds a user and locks the row in `users`, but not the one in `user_sign_in`, against changes. If the user is unknown
 * or locked elsewhere, a use case in a shared transaction ends and runs again in a transaction of its own.
 */
export async function findUserForUpdate(tx: Tx, orgId: OrgId, userId: string): Promise<UserRow | undefined> {
  if (isShared(tx)) {
    const users = await together(tx, 'users for update', userId, (all, ids) => lockFreeUsers(all, orgId, ids));
    const user = users.find(({ id }) => id === userId);
    if (user === undefined) needOwnTransaction(tx);
    return user;
  }
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.id = $2 for update of u`;
  const [row] = await prepared<UserRow>(tx, 'user_for_update', text, [orgId, userId]);
  return row;
}
