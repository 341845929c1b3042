import type { Context } from '../../kernel/context.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findAssignableApp } from './app-store.ts';
import { findAppUser, profileOf, scopeOf, userNameOf } from './app-user.ts';
import { readSchema } from './app-user-schema.ts';
import type { AppProfile } from './profile-rules.ts';

/** What an app sees of one of its users, as claims of tokens tell it. */
export interface AppUserFacts {
  /** Null: the app has no names. */
  readonly userName: string | null;
  /** Empty unless it was asked for. */
  readonly profile: AppProfile;
}

/** Null: the user does not have the app by an assignment; he may have it because it is everyone's. */
export async function findAppUserFacts(
  db: Db,
  context: Context,
  appId: string,
  userId: string,
  { withProfile }: { readonly withProfile: boolean },
): Promise<AppUserFacts | null> {
  const app = await findAssignableApp(db, context.orgId, appId);
  if (app === undefined) return null;
  const appUser = await findAppUser(db, context.orgId, app, userId);
  if (appUser === null || (scopeOf(appUser) === null && !app.isImplicit)) return null;
  const profile = withProfile ? profileOf(appUser, await readSchema(db, context, app)) : {};
  return { userName: userNameOf(appUser), profile };
}
