import { sql } from 'kysely';
import { valueKey } from '../../kernel/texts/text.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { GroupRule } from './group-rule.ts';
import type { GroupRuleStatus } from './lifecycle.ts';

const COLUMNS = columns<GroupRule>('group_rules', {
  id: 'key',
  name: 'changes',
  status: 'changes',
  expression: 'changes',
  targetGroupIds: 'fixed',
  excludedGroupIds: 'changes',
  excludedUserIds: {
    is: 'read',
    reads: `array(select e.user_id from group_rule_exclusions e where e.org_id = $1
      and e.rule_id = group_rules.id
      order by e.user_id)`,
  },
  evaluatedBy: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const SELECT = `select ${COLUMNS.select()} from group_rules`;

/** Adds the key in which searches look for a part of a name. */
const nameKeyOf = ({ free }: { readonly free: (index: number) => string }) => ({ name_key: free(0) });
const INSERT = COLUMNS.insert(nameKeyOf);
const UPDATE = COLUMNS.update(nameKeyOf);

export const GROUP_RULES = resourceStore('group_rule', COLUMNS);

/** Ids that belong to no user of the org are ignored. */
async function writeExclusions(tx: Tx, orgId: OrgId, ruleId: string, userIds: readonly string[]): Promise<void> {
  const drop = 'delete from group_rule_exclusions where org_id = $1 and rule_id = $2 and user_id <> all($3::text[])';
  const insert = `insert into group_rule_exclusions (org_id, rule_id, user_id)
    select u.org_id, $2, u.id from users u where u.org_id = $1 and u.id = any($3::text[])
    order by u.id on conflict do nothing`;
  const values = [orgId, ruleId, userIds];
  await Promise.all([run(tx, drop, values), run(tx, insert, values)]);
}

export async function insertGroupRule(tx: Tx, orgId: OrgId, rule: GroupRule): Promise<void> {
  const values = [...INSERT.values(orgId, rule), valueKey(rule.name)];
  await prepared(tx, 'group_rule_insert', INSERT.text, values);
  if (rule.excludedUserIds.length > 0) await writeExclusions(tx, orgId, rule.id, rule.excludedUserIds);
}

export async function updateGroupRule(tx: Tx, orgId: OrgId, rule: GroupRule): Promise<void> {
  const values = [...UPDATE.values(orgId, rule), valueKey(rule.name)];
  await prepared(tx, 'group_rule_update', UPDATE.text, values);
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

/** Reads one page of the rules whose names contain `search`, ignoring case. */
export const readGroupRules = (
  db: Db,
  orgId: OrgId,
  search: string | null,
  request: KeysetRequest<string>,
): Promise<GroupRule[]> => {
  const conditions = search === null ? [] : [sql`position(${valueKey(search)} in name_key) > 0`];
  return GROUP_RULES.readPage(db, orgId, conditions, request);
};

export function lockRulesNaming(tx: Tx, orgId: OrgId, groupId: string): Promise<GroupRule[]> {
  const text = `${SELECT}
    where org_id = $1 and ($2 = any(target_group_ids) or $2 = any(excluded_group_ids))
    order by id for update`;
  return run<GroupRule>(tx, text, [orgId, groupId]);
}

export function lockValidRules(tx: Tx, orgId: OrgId): Promise<GroupRule[]> {
  const text = `${SELECT} where org_id = $1 and status <> 'INVALID'
    order by id for update`;
  return run<GroupRule>(tx, text, [orgId]);
}

/** Afterwards, entity tags that clients read earlier no longer match. */
export async function raiseRevisions(tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<void> {
  const text = `with locked as (
      select r.id from group_rules r where r.org_id = $1 and r.id = any($2::text[]) order by r.id for no key update)
    update group_rules r set revision = revision + 1 from locked where r.org_id = $1 and r.id = locked.id`;
  await run(tx, text, [orgId, ids]);
}

export async function dropExcludedGroup(tx: Tx, orgId: OrgId, ruleId: string, groupId: string): Promise<void> {
  const text = `update group_rules set excluded_group_ids = array_remove(excluded_group_ids, $3),
      revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'group_rule_drop_excluded_group', text, [orgId, ruleId, groupId]);
}
