import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { readableApp } from '../guards.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { type AppUser, findAppUser, scopeOf } from './app-user.ts';
import type { AppUserPlace } from './assign-user.ts';

export async function getAppUser(
  { db }: Pick<AppAssignmentsPorts, 'db'>,
  context: Context,
  grant: Grant,
  { appId, userId }: AppUserPlace,
): Promise<AppUser> {
  const app = await readableApp(db, context, grant, appId);
  const appUser = await findAppUser(db, context.orgId, app, userId);
  if (appUser === null || scopeOf(appUser) === null) throw notFound(userId, 'AppUser');
  return appUser;
}
