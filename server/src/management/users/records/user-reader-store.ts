import { type Db, type FindById, gatherReads, prepared } from '../../../platform/postgres/index.ts';
import { FROM_USERS, USER_COLUMNS } from '../store.ts';
import type { UserRow } from './user-row.ts';

/** Reads the users of simultaneous requests with one statement. */
export const userReader = (db: Db): FindById<UserRow> => {
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.id = any($2::text[])`;
  return gatherReads((orgId, userIds) => prepared<UserRow>(db, 'users_gathered', text, [orgId, userIds]));
};
