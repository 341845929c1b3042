import { createHash } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { type AppId, ID_PREFIXES, type OrgId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findUsersByIds, shownProfile, type UserRow } from '../../users/index.ts';
import type { AssignableApp } from '../links/app-store.ts';
import { findGivingGroups, findGivingGroupsOfUser, type GivingGroup } from '../links/effective-store.ts';
import { nameByTemplate } from '../names/user-names.ts';
import type { AppUserSchema } from '../profiles/app-user-schema.ts';
import type { MappedUser } from '../profiles/mapper.ts';
import { type AppProfile, effectiveProfile, inheritedProfile } from '../profiles/profile-rules.ts';
import { findOwnAssignments, findOwnAssignmentsOfUser, type OwnAssignment, type Scope } from './user-store.ts';

/** A user and how he has an app; most have no row of their own (ADR 0029). */
export interface AppUser {
  readonly app: AssignableApp;
  readonly user: UserRow;
  readonly own: OwnAssignment | null;
  /** Those that give him the app, by priority. */
  readonly groups: readonly GivingGroup[];
}

/** How he has it; null: he does not. What is left of someone whom no group gives it any more is nothing. */
export function scopeOf({ groups, own, user }: AppUser): Scope | null {
  if (user.status === 'DEPROVISIONED') return null;
  if (own?.scope === 'USER') return 'USER';
  return groups.length > 0 ? 'GROUP' : null;
}

/** Him, as far as the caller's roles show him: what is closed there must not come out of a mapping or a template. */
export const shownUser = (context: Context, { id, profile, typeId }: UserRow): MappedUser => ({
  typeId,
  profile: shownProfile(context, id, profile),
});

/** Name in the app: his own, or the template's; null where the app has no names. */
export const userNameOf = (
  { app, own, user }: Pick<AppUser, 'app' | 'own' | 'user'>,
  source: MappedUser = user,
): string | null => own?.userName ?? nameByTemplate(app.userNameTemplate, source.profile);

/** What the app sees of him besides his own. An assignment to himself leaves the groups' profiles aside. */
export const inheritedOf = (
  { groups, user }: AppUser,
  scope: Scope,
  schema: AppUserSchema,
  source: MappedUser = user,
): AppProfile =>
  inheritedProfile(scope === 'USER' ? [] : groups.map(({ profile }) => profile), schema.mapped(source), schema.unions);

/** All that the app sees of him. */
export function profileOf(appUser: AppUser, schema: AppUserSchema, source: MappedUser = appUser.user): AppProfile {
  const inherited = inheritedOf(appUser, scopeOf(appUser) ?? 'GROUP', schema, source);
  return effectiveProfile(appUser.own?.profile ?? {}, inherited, schema.names);
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Id of the assignment of an app to a user, as app links and events have it: the same as long as both are. */
export function assignmentIdOf(orgId: OrgId, appId: AppId, userId: string): string {
  const digest = createHash('sha256').update(`${orgId} ${appId} ${userId}`).digest();
  const characters = Array.from(digest.subarray(0, 14), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return ID_PREFIXES.appUser + characters.join('') + orgSuffixOf(orgId);
}

const latest = (dates: readonly Date[]): Date => new Date(Math.max(...dates.map((date) => date.getTime())));

export interface AppUserDates {
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly statusChangedAt: Date;
  readonly passwordChangedAt: Date | null;
}

/** Of someone without a row: since when the first of his groups gives the app, and when one of them last changed. */
export function datesOf({ groups, own, user }: AppUser): AppUserDates {
  if (own?.scope === 'USER') return own;
  const since = groups.map((group) => group.since);
  const createdAt = since.length === 0 ? user.createdAt : new Date(Math.min(...since.map((date) => date.getTime())));
  const changes = groups.map(({ lastUpdatedAt }) => lastUpdatedAt);
  return {
    createdAt,
    lastUpdatedAt: latest([createdAt, ...changes, ...(own === null ? [] : [own.lastUpdatedAt])]),
    statusChangedAt: createdAt,
    passwordChangedAt: own?.passwordChangedAt ?? null,
  };
}

/** How these users have the app, in the order of the ids; users that the org does not have are left out. */
export async function findAppUsers(
  db: Db,
  orgId: OrgId,
  app: AssignableApp,
  userIds: readonly string[],
): Promise<AppUser[]> {
  if (userIds.length === 0) return [];
  const users = new Map((await findUsersByIds(db, orgId, userIds)).map((user) => [user.id, user]));
  const owns = new Map((await findOwnAssignments(db, orgId, app.id, userIds)).map((own) => [own.userId, own]));
  const giving = new Map<string, GivingGroup[]>(userIds.map((id) => [id, []]));
  for (const group of await findGivingGroups(db, orgId, app.id, userIds)) giving.get(group.userId)?.push(group);
  return userIds.flatMap((id) => {
    const user = users.get(id);
    return user === undefined ? [] : [{ app, user, own: owns.get(id) ?? null, groups: giving.get(id) ?? [] }];
  });
}

/** How one user has it, of whom the caller knows that the org has him. */
export async function findAppUser(db: Db, orgId: OrgId, app: AssignableApp, userId: string): Promise<AppUser | null> {
  const [appUser] = await findAppUsers(db, orgId, app, [userId]);
  return appUser ?? null;
}

/** How one user has these apps, in their order. */
export async function findAppUsersOfUser(
  db: Db,
  orgId: OrgId,
  user: UserRow,
  apps: readonly AssignableApp[],
): Promise<AppUser[]> {
  if (apps.length === 0) return [];
  const appIds = apps.map(({ id }) => id);
  const owns = await findOwnAssignmentsOfUser(db, orgId, user.id, appIds);
  const ownByApp = new Map(owns.map((own) => [own.appId, own]));
  const giving = new Map<string, GivingGroup[]>(appIds.map((id) => [id, []]));
  for (const group of await findGivingGroupsOfUser(db, orgId, user.id, appIds)) giving.get(group.appId)?.push(group);
  return apps.map((app) => ({ app, user, own: ownByApp.get(app.id) ?? null, groups: giving.get(app.id) ?? [] }));
}
