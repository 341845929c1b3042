import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import { dateKey } from '../../../search/index.ts';
import { GROUP_ATTRIBUTE_IDS } from '../records/attribute-values.ts';
import type { GroupRow } from '../records/group-row.ts';
import { GROUP_COLUMNS } from '../store.ts';

export interface NamedMember {
  readonly id: string;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

const NAMED = `u.id, u.login, u.first_name as "firstName", u.last_name as "lastName"`;

/**
 * Makes users members of a group and returns the new members. The locks on the users prevent their deletion. The upsert
 * also locks existing memberships, so a rule that releases one waits and then sees its new origin.
 */
export async function insertMembers(
  tx: Tx,
  orgId: OrgId,
  groupId: string,
  sortedUserIds: readonly string[],
  isDirect: boolean,
  now: Date,
): Promise<NamedMember[]> {
  const wanted = `from users u join unnest($2::text[]) as wanted (id) on wanted.id = u.id
    where u.org_id = $1 order by u.id`;
  const insert = `insert into group_members (org_id, group_id, user_id, is_direct, added_at)
    select $1, $3, u.id, $4, $5 ${wanted}
    on conflict (org_id, group_id, user_id) do update set is_direct = true
      where not group_members.is_direct and excluded.is_direct
    returning user_id as id, xmax = 0 as "isNew"`;
  const [known, given] = await Promise.all([
    run<NamedMember>(tx, `select ${NAMED} ${wanted} for key share of u`, [orgId, sortedUserIds]),
    run<{ id: string; isNew: boolean }>(tx, insert, [orgId, sortedUserIds, groupId, isDirect, now]),
  ]);
  const added = new Set(given.flatMap(({ id, isNew }) => (isNew ? [id] : [])));
  return known.filter(({ id }) => added.has(id));
}

/** Records that a rule gives these memberships. Needs the locks on their rows. */
export async function insertRuleMembers(
  tx: Tx,
  orgId: OrgId,
  groupId: string,
  userIds: readonly string[],
  ruleId: string,
): Promise<void> {
  const text = `insert into group_rule_members (org_id, rule_id, group_id, user_id)
    select m.org_id, $4, m.group_id, m.user_id from group_members m join unnest($3::text[]) as wanted (id)
      on wanted.id = m.user_id
    where m.org_id = $1 and m.group_id = $2 on conflict do nothing`;
  await run(tx, text, [orgId, groupId, userIds, ruleId]);
}

export function deleteMembers(
  tx: Tx,
  orgId: OrgId,
  groupId: string,
  userIds: readonly string[],
): Promise<NamedMember[]> {
  const text = `with removed as (
      delete from group_members m using unnest($3::text[]) as wanted (id)
      where m.org_id = $1 and m.group_id = $2 and m.user_id = wanted.id returning m.user_id)
    select ${NAMED} from removed r join users u on u.org_id = $1 and u.id = r.user_id order by u.id`;
  return run<NamedMember>(tx, text, [orgId, groupId, userIds]);
}

/**
 * Withdraws a rule from memberships and returns the users whose membership ended. If two rules release the same user,
 * the second one waits for the lock on the membership, so that it no longer finds the first rule there.
 */
export async function releaseMembers(
  tx: Tx,
  orgId: OrgId,
  groupId: string,
  userIds: readonly string[],
  ruleId: string,
): Promise<NamedMember[]> {
  const lock = `select m.user_id from group_members m join unnest($3::text[]) as wanted (id) on wanted.id = m.user_id
    where m.org_id = $1 and m.group_id = $2 order by m.user_id for update of m`;
  await run(tx, lock, [orgId, groupId, userIds]);
  const text = `with released as (
      delete from group_rule_members r using unnest($3::text[]) as wanted (id)
      where r.org_id = $1 and r.group_id = $2 and r.user_id = wanted.id and r.rule_id = $4),
    removed as (
      delete from group_members m using unnest($3::text[]) as wanted (id)
      where m.org_id = $1 and m.group_id = $2 and m.user_id = wanted.id and not m.is_direct
        and not exists (select from group_rule_members o where o.org_id = $1 and o.group_id = $2
          and o.user_id = m.user_id and o.rule_id <> $4)
      returning m.user_id)
    select ${NAMED} from removed r join users u on u.org_id = $1 and u.id = r.user_id order by u.id`;
  return run<NamedMember>(tx, text, [orgId, groupId, userIds, ruleId]);
}

/**
 * Sets the time of the latest change of membership, but at most once a second for each group. Users who join one group
 * concurrently therefore hardly wait for each other.
 */
export async function touchMemberships(tx: Tx, orgId: OrgId, groupIds: readonly string[], now: Date): Promise<void> {
  const text = `with due as (
      select g.id from groups g where g.org_id = $1 and g.id = any($2::text[]) and g.last_membership_updated_at < $3
      order by g.id for no key update),
    touched as (
      update groups g set last_membership_updated_at = $3 from due
      where g.org_id = $1 and g.id = due.id returning g.id)
    update group_attribute_values v set value_key = $4 from touched
    where v.org_id = $1 and v.group_id = touched.id
      and v.attribute_id = ${GROUP_ATTRIBUTE_IDS.lastMembershipUpdated}`;
  await prepared(tx, 'groups_touch_memberships', text, [orgId, groupIds, now, dateKey(now)]);
}

/** Finds the groups in which a user has a membership row, and locks them against deletion. */
export function lockGroupsOf(tx: Tx, orgId: OrgId, userId: string): Promise<GroupRow[]> {
  const text = `select ${GROUP_COLUMNS} from group_members m join groups g on g.org_id = m.org_id and g.id = m.group_id
    where m.org_id = $1 and m.user_id = $2 order by g.id for key share of g`;
  return prepared<GroupRow>(tx, 'groups_of_user_for_key_share', text, [orgId, userId]);
}

export async function deleteMembershipsOf(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from group_members where org_id = $1 and user_id = $2';
  await prepared(tx, 'group_members_delete_of_user', text, [orgId, userId]);
}

/** Finds the ids of a user's groups, including Everyone. */
export async function groupsOfUser(db: Db, orgId: OrgId, userId: string): Promise<readonly string[]> {
  const text = `select m.group_id as id from group_members m where m.org_id = $1 and m.user_id = $2
    union all
    select g.id from groups g join users u on u.org_id = g.org_id
    where g.org_id = $1 and g.type = 'BUILT_IN' and u.id = $2 order by id`;
  return (await prepared<{ id: string }>(db, 'groups_of_user', text, [orgId, userId])).map(({ id }) => id);
}

export async function groupsOfEveryone(db: Db, orgId: OrgId): Promise<readonly string[]> {
  const text = "select id from groups where org_id = $1 and type = 'BUILT_IN'";
  return (await prepared<{ id: string }>(db, 'groups_of_everyone', text, [orgId])).map(({ id }) => id);
}
