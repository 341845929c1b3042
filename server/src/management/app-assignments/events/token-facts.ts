import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findAssignableApp } from '../links/app-store.ts';
import { tokenSubjectOf } from '../names/subject-names.ts';
import { readSchema } from '../profiles/app-user-schema.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';
import { type AppUser, findAppUser, profileOf, scopeOf, userNameOf } from '../users/app-user.ts';

/** What an app sees of one of its users, as claims of tokens tell it. */
export interface AppUserFacts {
  /** Null: the app has no names. */
  readonly userName: string | null;
  /** Empty unless it was asked for. */
  readonly profile: AppProfile;
}

interface Asked {
  readonly withProfile: boolean;
}

/** Null: the user does not have the app by an assignment, nor because it is everyone's. */
async function findHolder(db: Db, { orgId }: Context, appId: AppId, userId: string): Promise<AppUser | null> {
  const app = await findAssignableApp(db, orgId, appId);
  if (app === undefined) return null;
  const appUser = await findAppUser(db, orgId, app, userId);
  return appUser === null || (scopeOf(appUser) === null && !app.isImplicit) ? null : appUser;
}

async function factsOf(db: Db, context: Context, appUser: AppUser, { withProfile }: Asked): Promise<AppUserFacts> {
  const profile = withProfile ? profileOf(appUser, await readSchema(db, context, appUser.app)) : {};
  return { userName: userNameOf(appUser), profile };
}

/** Null: the user does not have the app by an assignment; he may have it because it is everyone's. */
export async function findAppUserFacts(
  db: Db,
  context: Context,
  appId: AppId,
  userId: string,
  asked: Asked,
): Promise<AppUserFacts | null> {
  const appUser = await findHolder(db, context, appId, userId);
  return appUser === null ? null : factsOf(db, context, appUser, asked);
}

/** The same of someone for whom a token is made, with what it calls him; nobody else is called so from then on. */
export async function holdAppUserFacts(
  tx: Tx,
  context: Context,
  appId: AppId,
  userId: string,
  asked: Asked,
): Promise<{ readonly facts: AppUserFacts; readonly subject: string } | null> {
  const appUser = await findHolder(tx, context, appId, userId);
  if (appUser === null) return null;
  const facts = await factsOf(tx, context, appUser, asked);
  return { facts, subject: await tokenSubjectOf(tx, context, appUser) };
}
