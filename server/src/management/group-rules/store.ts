import { type RawBuilder, sql } from 'kysely';
import { valueKey } from '../../kernel/texts/text.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { GroupRule } from './group-rule.ts';
import type { GroupRuleStatus } from './lifecycle.ts';

/** Columns in the spelling of GroupRule, so that a row needs no mapping. */
const COLUMNS = `r.id, r.name, r.status, r.expression, r.target_group_ids as "targetGroupIds",
  r.excluded_group_ids as "excludedGroupIds", r.evaluated_by as "evaluatedBy", r.created_at as "createdAt",
  r.last_updated_at as "lastUpdatedAt", r.revision,
  array(select e.user_id from group_rule_exclusions e where e.org_id = r.org_id and e.rule_id = r.id
    order by e.user_id) as "excludedUserIds"`;

const BY_ID = `select ${COLUMNS} from group_rules r where r.org_id = $1 and r.id = $2`;

export async function findGroupRule(db: Db, orgId: OrgId, id: string): Promise<GroupRule | undefined> {
  const [row] = await prepared<GroupRule>(db, 'group_rule_by_id', BY_ID, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findGroupRuleForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<GroupRule | undefined> {
  const [row] = await prepared<GroupRule>(tx, 'group_rule_for_update', `${BY_ID} for update of r`, [orgId, id]);
  return row;
}

/** Counts up to `maximum`. */
export async function countGroupRules(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = `select count(*) as count from (select 1 from group_rules where org_id = $1 limit $2) r`;
  const [row] = await prepared<{ count: number }>(tx, 'group_rule_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

/** Replaces the users whom a rule excludes. Those whom the org does not have are ignored. */
async function writeExclusions(tx: Tx, orgId: OrgId, ruleId: string, userIds: readonly string[]): Promise<void> {
  const text = `with dropped as (
      delete from group_rule_exclusions where org_id = $1 and rule_id = $2 and user_id <> all($3::text[]))
    insert into group_rule_exclusions (org_id, rule_id, user_id)
      select u.org_id, $2, u.id from users u where u.org_id = $1 and u.id = any($3::text[])
      order by u.id on conflict do nothing`;
  await run(tx, text, [orgId, ruleId, userIds]);
}

export async function insertGroupRule(tx: Tx, orgId: OrgId, rule: GroupRule): Promise<void> {
  const text = `insert into group_rules (org_id, id, name, name_key, status, expression, target_group_ids,
      excluded_group_ids, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await prepared(tx, 'group_rule_insert', text, [
    orgId,
    rule.id,
    rule.name,
    valueKey(rule.name),
    rule.status,
    rule.expression,
    rule.targetGroupIds,
    rule.excludedGroupIds,
    rule.createdAt,
    rule.lastUpdatedAt,
  ]);
  if (rule.excludedUserIds.length > 0) await writeExclusions(tx, orgId, rule.id, rule.excludedUserIds);
}

/** Updates everything that a client may change, including the excluded users. */
export async function updateGroupRule(tx: Tx, orgId: OrgId, rule: GroupRule): Promise<void> {
  const text = `update group_rules set name = $3, name_key = $4, expression = $5, excluded_group_ids = $6,
      last_updated_at = $7, revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'group_rule_update', text, [
    orgId,
    rule.id,
    rule.name,
    valueKey(rule.name),
    rule.expression,
    rule.excludedGroupIds,
    rule.lastUpdatedAt,
  ]);
  await writeExclusions(tx, orgId, rule.id, rule.excludedUserIds);
}

export interface StatusChange {
  readonly status: GroupRuleStatus;
  readonly evaluatedBy: number | null;
  readonly lastUpdatedAt: Date;
}

export async function updateGroupRuleStatus(tx: Tx, orgId: OrgId, id: string, to: StatusChange): Promise<void> {
  const text = `update group_rules set status = $3, evaluated_by = $4, last_updated_at = $5, revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'group_rule_status', text, [orgId, id, to.status, to.evaluatedBy, to.lastUpdatedAt]);
}

export async function removeGroupRule(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'group_rule_delete', 'delete from group_rules where org_id = $1 and id = $2', [orgId, id]);
}

/** Reads rules by id, nearest to the key first; `search` is part of the name, ignoring case. */
export async function readGroupRules(
  db: Db,
  orgId: OrgId,
  search: string | null,
  request: KeysetRequest<string>,
): Promise<GroupRule[]> {
  const conditions: RawBuilder<unknown>[] = [sql`r.org_id = ${orgId}`];
  if (search !== null) conditions.push(sql`position(${valueKey(search)} in r.name_key) > 0`);
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`r.id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<GroupRule>`select ${sql.raw(COLUMNS)} from group_rules r
    where ${sql.join(conditions, sql` and `)} order by r.id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

/** Locks the rules that assign or exclude a group, by id. */
export function lockRulesNaming(tx: Tx, orgId: OrgId, groupId: string): Promise<GroupRule[]> {
  const text = `select ${COLUMNS} from group_rules r
    where r.org_id = $1 and ($2 = any(r.target_group_ids) or $2 = any(r.excluded_group_ids))
    order by r.id for update of r`;
  return run<GroupRule>(tx, text, [orgId, groupId]);
}

/** Locks the rules that are not INVALID, by id. */
export function lockValidRules(tx: Tx, orgId: OrgId): Promise<GroupRule[]> {
  const text = `select ${COLUMNS} from group_rules r where r.org_id = $1 and r.status <> 'INVALID'
    order by r.id for update of r`;
  return run<GroupRule>(tx, text, [orgId]);
}

/** Raises the revisions of rules, so that entity tags read before no longer match. */
export async function raiseRevisions(tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<void> {
  const text = `with locked as (
      select r.id from group_rules r where r.org_id = $1 and r.id = any($2::text[]) order by r.id for no key update)
    update group_rules r set revision = revision + 1 from locked where r.org_id = $1 and r.id = locked.id`;
  await run(tx, text, [orgId, ids]);
}

/** Drops a deleted group from the exclusions of a rule. */
export async function dropExcludedGroup(tx: Tx, orgId: OrgId, ruleId: string, groupId: string): Promise<void> {
  const text = `update group_rules set excluded_group_ids = array_remove(excluded_group_ids, $3),
      revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'group_rule_drop_excluded_group', text, [orgId, ruleId, groupId]);
}
