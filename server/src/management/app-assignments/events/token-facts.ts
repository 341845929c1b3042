import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findAssignableApp } from '../links/app-store.ts';
import { tokenSubjectOf } from '../names/subject-names.ts';
import { readSchema } from '../profiles/app-user-schema.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';
import { type AppUser, findAppUser, profileOf, scopeOf, userNameOf } from '../users/app-user.ts';

export interface AppUserFacts {
  /** This is null when no name is set for the user and the app's template makes none. */
  readonly userName: string | null;
  /** This is empty unless the caller asked for the profile. */
  readonly profile: AppProfile;
}

interface FactsOptions {
  readonly withProfile: boolean;
}

/** Finds a user who has the app by assignment, through a group or implicitly. */
async function findHolder(db: Db, { orgId }: Context, appId: AppId, userId: string): Promise<AppUser | null> {
  const app = await findAssignableApp(db, orgId, appId);
  if (app === undefined) return null;
  const appUser = await findAppUser(db, orgId, app, userId);
  return appUser === null || (scopeOf(appUser) === null && !app.isImplicit) ? null : appUser;
}

async function factsOf(
  db: Db,
  context: Context,
  appUser: AppUser,
  { withProfile }: FactsOptions,
): Promise<AppUserFacts> {
  const profile = withProfile ? profileOf(appUser, await readSchema(db, context, appUser.app)) : {};
  return { userName: userNameOf(appUser), profile };
}

export async function findAppUserFacts(
  db: Db,
  context: Context,
  appId: AppId,
  userId: string,
  options: FactsOptions,
): Promise<AppUserFacts | null> {
  const appUser = await findHolder(db, context, appId, userId);
  return appUser === null ? null : factsOf(db, context, appUser, options);
}

/**
 * Finds the facts and the token subject of a user. Reserves the user's name in the app when it first becomes a subject.
 */
export async function lockAppUserFacts(
  tx: Tx,
  context: Context,
  appId: AppId,
  userId: string,
  options: FactsOptions,
): Promise<{ readonly facts: AppUserFacts; readonly subject: string } | null> {
  const appUser = await findHolder(tx, context, appId, userId);
  if (appUser === null) return null;
  const facts = await factsOf(tx, context, appUser, options);
  return { facts, subject: await tokenSubjectOf(tx, context, appUser) };
}
