import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, keysetRows, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { StandardAssignment } from '../store.ts';

type TargetType = 'GROUP' | 'APP' | 'APP_NAME';

/** A target of a narrowed role: a group, an app, or all apps that share a name. */
export interface RoleTarget {
  readonly type: TargetType;
  readonly key: string;
}

type Owner = Pick<StandardAssignment, 'assigneeId' | 'roleType'>;

export function readTargets(db: Db, orgId: OrgId, { assigneeId, roleType }: Owner): Promise<RoleTarget[]> {
  const text = `select target_type as type, target_key as key from role_targets
    where org_id = $1 and assignee_id = $2 and role_type = $3 order by target_key`;
  return prepared<RoleTarget>(db, 'role_targets', text, [orgId, assigneeId, roleType]);
}

export function readTargetPage(
  db: Db,
  orgId: OrgId,
  { assigneeId, roleType }: Owner,
  request: KeysetRequest<string>,
): Promise<RoleTarget[]> {
  const list = sql`select target_type as type, target_key as key from role_targets
    where org_id = ${orgId} and assignee_id = ${assigneeId} and role_type = ${roleType}`;
  return keysetRows<RoleTarget>(db, list, 'target_key', request);
}

export async function insertTarget(
  tx: Tx,
  orgId: OrgId,
  { assigneeId, kind, roleType }: StandardAssignment,
  { key, type }: RoleTarget,
  at: Date,
): Promise<void> {
  const text = `insert into role_targets
      (org_id, assignee_id, role_type, target_key, assignee_type, target_type, created_at)
    values ($1, $2, $3, $4, $5, $6, $7)`;
  await prepared(tx, 'role_target_insert', text, [orgId, assigneeId, roleType, key, kind, type, at]);
}

export async function removeTargets(
  tx: Tx,
  orgId: OrgId,
  { assigneeId, roleType }: Owner,
  keys: readonly string[],
): Promise<void> {
  const text = `delete from role_targets
    where org_id = $1 and assignee_id = $2 and role_type = $3 and target_key = any($4::text[])`;
  await run(tx, text, [orgId, assigneeId, roleType, keys]);
}
