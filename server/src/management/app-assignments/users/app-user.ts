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

/** A user in relation to an app. Most users have no stored row (ADR 0029). */
export interface AppUser {
  readonly app: AssignableApp;
  readonly user: UserRow;
  readonly own: OwnAssignment | null;
  /** The groups that give the user the app, in order of priority. */
  readonly groups: readonly GivingGroup[];
}

/** Deactivated users have no assignments. */
export function scopeOf({ groups, own, user }: AppUser): Scope | null {
  if (user.status === 'DEPROVISIONED') return null;
  if (own?.scope === 'USER') return 'USER';
  return groups.length > 0 ? 'GROUP' : null;
}

/** Returns the user with only the attributes that the caller may see. */
export const shownUser = (context: Context, { id, profile, typeId }: UserRow): MappedUser => ({
  typeId,
  profile: shownProfile(context, id, profile),
});

export const userNameOf = (
  { app, own, user }: Pick<AppUser, 'app' | 'own' | 'user'>,
  source: MappedUser = user,
): string | null => own?.userName ?? nameByTemplate(app.userNameTemplate, source.profile);

/** A user who is assigned individually inherits nothing from the groups' profiles. */
export const inheritedOf = (
  { groups, user }: AppUser,
  scope: Scope,
  schema: AppUserSchema,
  source: MappedUser = user,
): AppProfile =>
  inheritedProfile(scope === 'USER' ? [] : groups.map(({ profile }) => profile), schema.mapped(source), schema.unions);

export function profileOf(appUser: AppUser, schema: AppUserSchema, source: MappedUser = appUser.user): AppProfile {
  const inherited = inheritedOf(appUser, scopeOf(appUser) ?? 'GROUP', schema, source);
  return effectiveProfile(appUser.own?.profile ?? {}, inherited, schema.names);
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Derives the id of an assignment from the app and the user, because most assignments have no stored row. */
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

/** Leaves out users that the org does not have. */
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

export async function findAppUser(db: Db, orgId: OrgId, app: AssignableApp, userId: string): Promise<AppUser | null> {
  const [appUser] = await findAppUsers(db, orgId, app, [userId]);
  return appUser ?? null;
}

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
