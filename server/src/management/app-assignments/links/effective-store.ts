import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, foresee, foreseen, prepared, run, type Tx, together } from '../../../platform/postgres/index.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';

/** A group through which a user has an app. */
export interface GivingGroup {
  readonly appId: AppId;
  readonly userId: string;
  readonly groupId: string;
  readonly priority: number;
  readonly profile: AppProfile;
  /** The later of the times at which the app was assigned to the group and the user joined the group. */
  readonly since: Date;
  readonly lastUpdatedAt: Date;
}

export interface Pair {
  readonly appId: AppId;
  readonly userId: string;
}

const GIVING = `g.app_id as "appId", g.group_id as "groupId", g.priority, g.profile,
  g.last_updated_at as "lastUpdatedAt"`;

/** Everyone belongs to the built-in group, without membership rows (ADR 0026). */
const FROM_BUILT_IN = `from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id`;
const FROM_MEMBERS = `from group_members m join app_groups g on g.org_id = m.org_id and g.group_id = m.group_id`;

export function findGivingGroups(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  userIds: readonly string[],
): Promise<GivingGroup[]> {
  const text = `select m.user_id as "userId", ${GIVING}, greatest(g.created_at, m.added_at) as since ${FROM_MEMBERS}
      where m.org_id = $1 and g.app_id = $2 and m.user_id = any($3::text[])
    union all
    select u.id, ${GIVING}, greatest(g.created_at, u.created_at) ${FROM_BUILT_IN}
      join users u on u.org_id = e.org_id
      where e.org_id = $1 and e.type = 'BUILT_IN' and g.app_id = $2 and u.id = any($3::text[])
    order by "userId", priority`;
  return run<GivingGroup>(db, text, [orgId, appId, userIds]);
}

export function findGivingGroupsOfUser(
  db: Db,
  orgId: OrgId,
  userId: string,
  appIds: readonly string[],
): Promise<GivingGroup[]> {
  const text = `select m.user_id as "userId", ${GIVING}, greatest(g.created_at, m.added_at) as since ${FROM_MEMBERS}
      where m.org_id = $1 and m.user_id = $2 and g.app_id = any($3::text[])
    union all
    select u.id, ${GIVING}, greatest(g.created_at, u.created_at) ${FROM_BUILT_IN}
      join users u on u.org_id = e.org_id
      where e.org_id = $1 and e.type = 'BUILT_IN' and g.app_id = any($3::text[]) and u.id = $2
    order by "appId", priority`;
  return run<GivingGroup>(db, text, [orgId, userId, appIds]);
}

/**
 * Returns an SQL query for the times since which groups have given the user the app. An earlier time in the user's own
 * row counts instead.
 */
const sinceOfGroups = (
  user: string,
): string => `select least(greatest(m.valid_from, g.valid_from), own.valid_from) as since ${FROM_MEMBERS}
      where m.org_id = $1 and m.user_id = ${user} and g.app_id = a.id
    union all select least(g.valid_from, own.valid_from) ${FROM_BUILT_IN}
      where e.org_id = $1 and e.type = 'BUILT_IN' and g.app_id = a.id`;

/**
 * Returns an SQL expression for the time, by the database's clock, since which a user has had the app `a` without a
 * break. Everything issued to the user for the app before that time is void. The expression is null when the user does
 * not have the app or is deactivated. Its value may be later than the true time.
 *
 * `user` is an expression for the user's id. The first parameter of the statement must be the org.
 */
export const assignedSinceOf = (user: string): string => `(select greatest(min(way.since), 'epoch') from users holder
    left join app_users own on own.org_id = $1 and own.app_id = a.id and own.user_id = ${user}
    cross join lateral (
      select a.implicit_from as since where coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false)
      union all select own.valid_from where own.scope = 'USER'
      union all ${sinceOfGroups(user)}) way
    where holder.org_id = $1 and holder.id = ${user} and holder.status <> 'DEPROVISIONED'
    having min(way.since) is not null)`;

/** The maximum length of the lists of app ids in this file, which have no pages. */
const MAXIMUM_APPS = 10_000;

const APPS_OF_USER = `select d.app_id from app_users d where d.org_id = $1 and d.user_id = $2 and d.scope = 'USER'
  union select g.app_id ${FROM_MEMBERS} where m.org_id = $1 and m.user_id = $2
  union select g.app_id ${FROM_BUILT_IN} where e.org_id = $1 and e.type = 'BUILT_IN'`;

/**
 * Finds the apps, whatever their status, that are assigned to a user or the user's groups. Returns an empty list for a
 * deactivated user.
 */
export async function appsOfUser(db: Db, orgId: OrgId, userId: string): Promise<readonly string[]> {
  const text = `select mine.app_id as id from users u cross join lateral (${APPS_OF_USER}) mine
    where u.org_id = $1 and u.id = $2 and u.status <> 'DEPROVISIONED' order by id limit ${MAXIMUM_APPS}`;
  return (await prepared<{ id: string }>(db, 'apps_of_user', text, [orgId, userId])).map(({ id }) => id);
}

export async function appsOfUserOfAnyStatus(tx: Tx, orgId: OrgId, userId: string): Promise<readonly string[]> {
  const text = `select mine.app_id as id from (${APPS_OF_USER}) mine order by id limit ${MAXIMUM_APPS}`;
  return (await prepared<{ id: string }>(tx, 'apps_of_user_any_status', text, [orgId, userId])).map(({ id }) => id);
}

/** Queries for at most this many users share one prepared plan. */
const FEW_USERS = 16;

const foreseenPairs = (userIds: readonly string[]): string => `apps of ${userIds.join(' ')}`;

export const pairsOfUsers = (tx: Tx, orgId: OrgId, userIds: readonly string[]): Promise<Pair[]> =>
  foreseen(tx, foreseenPairs(userIds), () => findPairs(tx, orgId, userIds));

/** Reads the apps of a user early, for the next call of `pairsOfUsers` with this user alone in this transaction. */
export const foreseeAppsOfUser = (tx: Tx, orgId: OrgId, userId: string): void =>
  foresee(tx, foreseenPairs([userId]), async () => {
    const pairs = await together(tx, 'apps of users', userId, (all, userIds) => findPairs(all, orgId, userIds));
    return pairs.filter((pair) => pair.userId === userId);
  });

function findPairs(tx: Tx, orgId: OrgId, userIds: readonly string[]): Promise<Pair[]> {
  const text = `select d.app_id as "appId", d.user_id as "userId" from app_users d
      where d.org_id = $1 and d.user_id = any($2::text[]) and d.scope = 'USER'
    union select g.app_id, m.user_id ${FROM_MEMBERS} where m.org_id = $1 and m.user_id = any($2::text[])
    union select g.app_id, asked.id ${FROM_BUILT_IN} cross join unnest($2::text[]) as asked (id)
      where e.org_id = $1 and e.type = 'BUILT_IN'
    order by "userId", "appId"`;
  // For many users, the best index depends on their number, so PostgreSQL must know it when it plans the query.
  if (userIds.length > FEW_USERS) return run<Pair>(tx, text, [orgId, userIds]);
  return prepared<Pair>(tx, 'apps_of_users', text, [orgId, userIds]);
}

const FORESEEN_APPS_OF_EVERYONE = 'apps of everyone';

export const appsOfBuiltInGroup = (tx: Tx, orgId: OrgId): Promise<readonly string[]> =>
  foreseen(tx, FORESEEN_APPS_OF_EVERYONE, () => findAppsOfEveryone(tx, orgId));

/** Reads the apps of the built-in group early, for the next call of `appsOfBuiltInGroup` in this transaction. */
export const foreseeAppsOfEveryone = (tx: Tx, orgId: OrgId): void =>
  foresee(tx, FORESEEN_APPS_OF_EVERYONE, () =>
    together(tx, FORESEEN_APPS_OF_EVERYONE, orgId, (all) => findAppsOfEveryone(all, orgId)),
  );

async function findAppsOfEveryone(tx: Tx, orgId: OrgId): Promise<readonly string[]> {
  const text = `select g.app_id as id ${FROM_BUILT_IN} where e.org_id = $1 and e.type = 'BUILT_IN'
    order by id limit ${MAXIMUM_APPS}`;
  return (await prepared<{ id: string }>(tx, 'apps_of_everyone', text, [orgId])).map(({ id }) => id);
}

export async function appsOfGroup(db: Db, orgId: OrgId, groupId: string): Promise<readonly string[]> {
  const text = `select g.app_id as id from app_groups g where g.org_id = $1 and g.group_id = $2
    order by id limit ${MAXIMUM_APPS}`;
  return (await prepared<{ id: string }>(db, 'apps_of_group', text, [orgId, groupId])).map(({ id }) => id);
}

/** Returns an SQL condition for a user who has the app by their own assignment, or through a group other than `but`. */
const hasOtherwise = (appId: AppId, userId: string, but: string): string => `(
    exists (select from app_users d
      where d.org_id = $1 and d.app_id = ${appId} and d.user_id = ${userId} and d.scope = 'USER')
    or exists (select from app_groups o join group_members om on om.org_id = o.org_id and om.group_id = o.group_id
      where o.org_id = $1 and o.app_id = ${appId} and o.group_id <> ${but} and om.user_id = ${userId})
    or exists (select from app_groups o join groups oe on oe.org_id = o.org_id and oe.id = o.group_id
      where o.org_id = $1 and o.app_id = ${appId} and o.group_id <> ${but} and oe.type = 'BUILT_IN'))`;

export async function usersByGroupAlone(
  tx: Tx,
  orgId: OrgId,
  given: { readonly appId: AppId; readonly groupId: string; readonly isBuiltIn: boolean; readonly atMost: number },
): Promise<string[]> {
  const { appId, atMost, groupId, isBuiltIn } = given;
  const members = isBuiltIn ? '' : 'join group_members m on m.org_id = u.org_id and m.user_id = u.id';
  // Every user is in the built-in group, so the condition for a membership is always true.
  const isMember = isBuiltIn ? '$3::text is not null' : 'm.org_id = $1 and m.group_id = $3';
  const text = `select u.id from users u ${members}
    where u.org_id = $1 and u.status <> 'DEPROVISIONED' and ${isMember} and not ${hasOtherwise('$2', 'u.id', '$3')}
    order by u.id limit $4`;
  return (await run<{ id: string }>(tx, text, [orgId, appId, groupId, atMost])).map(({ id }) => id);
}

/** Deletes the rows of users who have the app only through this group. Call this when the group loses the app. */
export async function removeOwnOfGroupAlone(
  tx: Tx,
  orgId: OrgId,
  given: { readonly appId: AppId; readonly groupId: string },
): Promise<void> {
  const text = `delete from app_users own where own.org_id = $1 and own.app_id = $2 and own.scope = 'GROUP'
    and not ${hasOtherwise('$2', 'own.user_id', '$3')}`;
  await run(tx, text, [orgId, given.appId, given.groupId]);
}
