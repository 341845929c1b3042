import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findUserById } from '../../users/index.ts';
import { findAssignableApps } from '../links/app-store.ts';
import { readSchema } from '../profiles/app-user-schema.ts';
import { wireAppUser } from '../wire.ts';
import { findAppUsersOfUser, scopeOf } from './app-user.ts';

/** Leaves out apps that are assigned neither to the user nor to the user's groups. */
export async function wireAppUsersOf(
  db: Db,
  context: Context,
  userId: string,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const { orgId } = context;
  const user = appIds.length === 0 ? undefined : await findUserById(db, orgId, userId);
  if (user === undefined) return new Map();
  const apps = await findAssignableApps(db, orgId, appIds);
  const wired = new Map<string, Record<string, unknown>>();
  for (const appUser of await findAppUsersOfUser(db, orgId, user, apps)) {
    if (scopeOf(appUser) === null) continue;
    wired.set(appUser.app.id, wireAppUser(appUser, context, await readSchema(db, context, appUser.app)));
  }
  return wired;
}
