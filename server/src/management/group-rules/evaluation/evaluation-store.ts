import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { RuleMembership } from '../rules.ts';

export interface StoredActiveRule {
  readonly id: string;
  readonly name: string;
  readonly expression: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
}

/** Reads the active rules in order of id, so that they are evaluated in the same order each time. */
export function readActiveRules(db: Db, orgId: OrgId): Promise<StoredActiveRule[]> {
  const text = `select id, name, expression, target_group_ids as "targetGroupIds",
      excluded_group_ids as "excludedGroupIds"
    from group_rules where org_id = $1 and status = 'ACTIVE' order by id`;
  return run<StoredActiveRule>(db, text, [orgId]);
}

export interface EvaluatedUser {
  readonly id: string;
  readonly createdAt: Date;
  readonly profile: Readonly<Record<string, unknown>>;
}

const LIVE_USERS = `select id, created_at as "createdAt", profile from users
  where org_id = $1 and id = any($2::text[]) and status <> 'DEPROVISIONED' order by id`;

/** Locks users who are not deactivated, so that no profile changes until the memberships have been updated. */
export const lockUsers = (tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<EvaluatedUser[]> =>
  run<EvaluatedUser>(tx, `${LIVE_USERS} for no key update`, [orgId, ids]);

export function readUsersAfter(db: Db, orgId: OrgId, after: string | null, limit: number): Promise<EvaluatedUser[]> {
  const text = `select id, created_at as "createdAt", profile from users
    where org_id = $1 and id > $2 and status <> 'DEPROVISIONED' order by id limit $3`;
  return run<EvaluatedUser>(db, text, [orgId, after ?? '', limit]);
}

export async function existingUserIds(db: Db, orgId: OrgId, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const text = 'select id from users where org_id = $1 and id = any($2::text[])';
  return (await run<{ id: string }>(db, text, [orgId, ids])).map(({ id }) => id);
}

export interface DirectMembership {
  readonly groupId: string;
  readonly userId: string;
}

export interface UserMemberships {
  readonly direct: readonly DirectMembership[];
  readonly byRule: readonly RuleMembership[];
  readonly exclusions: readonly { readonly ruleId: string; readonly userId: string }[];
}

export async function readMemberships(db: Db, orgId: OrgId, userIds: readonly string[]): Promise<UserMemberships> {
  const direct = `select user_id as "userId", group_id as "groupId" from group_members
    where org_id = $1 and user_id = any($2::text[]) and is_direct`;
  const byRule = `select user_id as "userId", group_id as "groupId", rule_id as "ruleId" from group_rule_members
    where org_id = $1 and user_id = any($2::text[])`;
  const exclusions = `select user_id as "userId", rule_id as "ruleId" from group_rule_exclusions
    where org_id = $1 and user_id = any($2::text[])`;
  const values = [orgId, userIds];
  const [directRows, ruleRows, exclusionRows] = await Promise.all([
    run<DirectMembership>(db, direct, values),
    run<RuleMembership>(db, byRule, values),
    run<{ ruleId: string; userId: string }>(db, exclusions, values),
  ]);
  return { direct: directRows, byRule: ruleRows, exclusions: exclusionRows };
}

export interface NamedGroup {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly sourceId: string | null;
}

/** Reads the groups with these ids, and the group Everyone. */
export function readNamedGroups(db: Db, orgId: OrgId, ids: readonly string[]): Promise<NamedGroup[]> {
  const text = `select id, name, type, source_id as "sourceId" from groups
    where org_id = $1 and (id = any($2::text[]) or type = 'BUILT_IN') order by id`;
  return run<NamedGroup>(db, text, [orgId, ids]);
}

export async function readMembersByRule(
  db: Db,
  orgId: OrgId,
  ruleId: string,
  groupId: string,
  limit: number,
): Promise<string[]> {
  const text = `select user_id as "userId" from group_rule_members
    where org_id = $1 and group_id = $2 and rule_id = $3 order by user_id limit $4`;
  const rows = await run<{ userId: string }>(db, text, [orgId, groupId, ruleId, limit]);
  return rows.map(({ userId }) => userId);
}

/**
 * Deletes the rules' records of memberships that were ended by hand, and makes the rules exclude the users. A
 * membership that exists again does not count as ended. Returns the deleted records.
 */
export function excludeRemoved(tx: Tx, orgId: OrgId, removed: readonly DirectMembership[]): Promise<RuleMembership[]> {
  const text = `with ended as (
      delete from group_rule_members m
      using unnest($2::text[], $3::text[]) as gone (group_id, user_id)
      where m.org_id = $1 and m.group_id = gone.group_id and m.user_id = gone.user_id
        and not exists (select from group_members is_in where is_in.org_id = $1
          and is_in.group_id = m.group_id and is_in.user_id = m.user_id)
      returning m.rule_id, m.group_id, m.user_id),
    excluded as (
      insert into group_rule_exclusions (org_id, rule_id, user_id)
      select distinct r.org_id, r.id, e.user_id from ended e join group_rules r on r.id = e.rule_id
      where r.org_id = $1 on conflict do nothing)
    select rule_id as "ruleId", group_id as "groupId", user_id as "userId" from ended
    order by user_id, rule_id, group_id`;
  const groupIds = removed.map(({ groupId }) => groupId);
  return run<RuleMembership>(tx, text, [orgId, groupIds, removed.map(({ userId }) => userId)]);
}

export async function readRuleNames(
  db: Db,
  orgId: OrgId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const text = 'select id, name from group_rules where org_id = $1 and id = any($2::text[])';
  const rows = await run<{ id: string; name: string }>(db, text, [orgId, ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Call this after the new exclusions have been stored. */
export async function existsOverfullRule(
  db: Db,
  orgId: OrgId,
  ruleIds: readonly string[],
  maximum: number,
): Promise<boolean> {
  const text = `select 1 from unnest($2::text[]) as asked (id) where (
      select count(*) from (select 1 from group_rule_exclusions e where e.org_id = $1 and e.rule_id = asked.id
        limit $3::integer + 1) e) > $3 limit 1`;
  return (await prepared(db, 'group_rule_overfull', text, [orgId, ruleIds, maximum])).length > 0;
}
