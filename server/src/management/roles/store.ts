import type { RoleType } from '../../access/index.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export interface RoleAssignment {
  readonly id: string;
  readonly userId: string;
  readonly roleType: RoleType;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

/** Columns in the spelling of RoleAssignment, so that a row needs no mapping. */
const COLUMNS = `id, user_id as "userId", role_type as "roleType", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt"`;

/** Every assignment of a user; there is one per role type at most. */
export const readRoleAssignments = (db: Db, orgId: OrgId, userId: string): Promise<RoleAssignment[]> =>
  prepared<RoleAssignment>(
    db,
    'role_assignments_of_user',
    `select ${COLUMNS} from user_role_assignments where org_id = $1 and user_id = $2 order by id`,
    [orgId, userId],
  );

export async function insertRoleAssignment(tx: Tx, orgId: OrgId, assignment: RoleAssignment): Promise<void> {
  const text = `insert into user_role_assignments (org_id, user_id, id, role_type, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { userId, id, roleType, createdAt, lastUpdatedAt } = assignment;
  await prepared(tx, 'role_assignment_insert', text, [orgId, userId, id, roleType, createdAt, lastUpdatedAt]);
}

export async function removeRoleAssignment(tx: Tx, orgId: OrgId, userId: string, id: string): Promise<void> {
  const text = 'delete from user_role_assignments where org_id = $1 and user_id = $2 and id = $3';
  await prepared(tx, 'role_assignment_delete', text, [orgId, userId, id]);
}

/** Makes those wait who are about to take the role from, or stop, another holder of it. Ends with the transaction. */
export async function lockRoleHolders(tx: Tx, orgId: OrgId, roleType: RoleType): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'role_holders_lock', text, [`role:${orgId}:${roleType}`]);
}

/** Whether a user other than this one holds the role and can act: not staged, suspended or deprovisioned. */
export async function existsOtherHolder(tx: Tx, orgId: OrgId, userId: string, roleType: RoleType): Promise<boolean> {
  const text = `select 1 from user_role_assignments r join users u on u.org_id = r.org_id and u.id = r.user_id
    where r.org_id = $1 and r.role_type = $2 and r.user_id <> $3
      and u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED')
    limit 1`;
  return (await prepared(tx, 'role_other_holder', text, [orgId, roleType, userId])).length > 0;
}
