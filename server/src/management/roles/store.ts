import { sql } from 'kysely';
import type { RoleType } from '../../access/index.ts';
import { STATUSES_IN_USE, sqlStatuses } from '../../kernel/user-statuses.ts';
import { FIRST_REVISION } from '../../kernel/version.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { AssigneeKind } from './assignments/assignee-store.ts';

interface CommonAssignment {
  readonly id: string;
  readonly kind: AssigneeKind;
  readonly assigneeId: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export interface StandardAssignment extends CommonAssignment {
  readonly roleType: RoleType;
  /** Whether the role reaches only its targets. */
  readonly isTargeted: boolean;
  readonly custom: null;
}

/** A custom role that the assignee holds on a resource set as a member of a binding. */
export interface CustomAssignment extends CommonAssignment {
  readonly roleType: 'CUSTOM';
  readonly isTargeted: false;
  readonly custom: {
    readonly roleId: string;
    readonly label: string;
    readonly resourceSetId: string;
  };
}

export type RoleAssignment = StandardAssignment | CustomAssignment;

type StandardRow = Omit<StandardAssignment, 'kind' | 'custom'>;

function assignmentsIn(table: `${Lowercase<AssigneeKind>}_role_assignments`, name: string) {
  const assignments = columns<StandardRow, Omit<StandardRow, 'revision'>>(table, {
    assigneeId: { is: 'key', name },
    id: 'key',
    roleType: 'fixed',
    isTargeted: 'changes',
    createdAt: 'fixed',
    lastUpdatedAt: 'changes',
    revision: 'revision',
  });
  const find = `select ${assignments.select()} from ${table} where org_id = $1 and ${name} = $2 order by id`;
  const remove = `delete from ${table} where ${assignments.isKey}`;
  return { find, remove, insert: assignments.insert(), update: assignments.update(), select: assignments.select };
}

const ASSIGNMENTS: Readonly<Record<AssigneeKind, ReturnType<typeof assignmentsIn>>> = {
  USER: assignmentsIn('user_role_assignments', 'user_id'),
  GROUP: assignmentsIn('group_role_assignments', 'group_id'),
  CLIENT: assignmentsIn('client_role_assignments', 'client_id'),
};

async function readStandard(db: Db, orgId: OrgId, kind: AssigneeKind, id: string): Promise<StandardAssignment[]> {
  const rows = await prepared<StandardRow>(db, `role_assignments_${kind}`, ASSIGNMENTS[kind].find, [orgId, id]);
  return rows.map((row) => ({ ...row, kind, custom: null }));
}

type CustomRow = Omit<CommonAssignment, 'revision'> & CustomAssignment['custom'];

const CUSTOM_COLUMNS = `b.id, b.member_type as kind, b.member_id as "assigneeId", b.role_id as "roleId", r.label,
  b.resource_set_id as "resourceSetId", b.created_at as "createdAt", b.last_updated_at as "lastUpdatedAt"`;
const CUSTOM_SOURCE = 'role_binding_members b join custom_roles r on r.org_id = b.org_id and r.id = b.role_id';

const customAssignment = ({ label, resourceSetId, roleId, ...row }: CustomRow): CustomAssignment => ({
  ...row,
  roleType: 'CUSTOM',
  isTargeted: false,
  // The revision is constant because a custom assignment never changes.
  revision: FIRST_REVISION,
  custom: { roleId, label, resourceSetId },
});

async function readCustom(db: Db, orgId: OrgId, id: string): Promise<CustomAssignment[]> {
  const text = `select ${CUSTOM_COLUMNS} from ${CUSTOM_SOURCE} where b.org_id = $1 and b.member_id = $2 order by b.id`;
  return (await prepared<CustomRow>(db, 'role_assignments_custom', text, [orgId, id])).map(customAssignment);
}

/** Reads the direct assignments of a user, group or client. */
export async function readAssignments(
  db: Db,
  orgId: OrgId,
  kind: AssigneeKind,
  id: string,
): Promise<readonly RoleAssignment[]> {
  const [standard, custom] = await Promise.all([readStandard(db, orgId, kind, id), readCustom(db, orgId, id)]);
  return [...standard, ...custom];
}

export async function readAssignmentsByGroups(
  db: Db,
  orgId: OrgId,
  userId: string,
): Promise<readonly RoleAssignment[]> {
  const standard = `select ${ASSIGNMENTS.GROUP.select('g')}
    from group_members m join group_role_assignments g on g.org_id = m.org_id and g.group_id = m.group_id
    where m.org_id = $1 and m.user_id = $2 order by g.id, g.group_id`;
  const custom = `select ${CUSTOM_COLUMNS} from group_members m
    join role_binding_members b on b.org_id = m.org_id and b.member_id = m.group_id
    join custom_roles r on r.org_id = b.org_id and r.id = b.role_id
    where m.org_id = $1 and m.user_id = $2 order by b.id`;
  const [standardRows, customRows] = await Promise.all([
    prepared<StandardRow>(db, 'role_assignments_by_groups', standard, [orgId, userId]),
    prepared<CustomRow>(db, 'role_assignments_custom_by_groups', custom, [orgId, userId]),
  ]);
  return [
    ...standardRows.map((row) => ({ ...row, kind: 'GROUP' as const, custom: null })),
    ...customRows.map(customAssignment),
  ];
}

export async function insertAssignment(
  tx: Tx,
  orgId: OrgId,
  assignment: Omit<StandardAssignment, 'revision'>,
): Promise<StandardAssignment> {
  const { insert } = ASSIGNMENTS[assignment.kind];
  const text = `${insert.text} returning revision`;
  const name = `role_assignment_insert_${assignment.kind}`;
  const values = insert.values(orgId, assignment);
  const [row] = await prepared<Pick<StandardAssignment, 'revision'>>(tx, name, text, values);
  return { ...assignment, revision: row?.revision ?? 0 };
}

export async function removeAssignment(tx: Tx, orgId: OrgId, assignment: StandardAssignment): Promise<void> {
  const { assigneeId, id, kind } = assignment;
  await prepared(tx, `role_assignment_delete_${kind}`, ASSIGNMENTS[kind].remove, [orgId, assigneeId, id]);
}

export async function noteTargeted(tx: Tx, orgId: OrgId, assignment: StandardAssignment): Promise<void> {
  const { update } = ASSIGNMENTS[assignment.kind];
  const name = `role_assignment_update_${assignment.kind}`;
  await prepared(tx, name, update.text, update.values(orgId, assignment));
}

/** Makes other transactions that would remove a super administrator wait until this transaction ends. */
export async function lockSuperAdmins(tx: Tx, orgId: OrgId): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'role_holders_lock', text, [`role:${orgId}:SUPER_ADMIN`]);
}

/** A null `butUserId` excludes no user. */
export async function existsSuperAdmin(tx: Tx, orgId: OrgId, butUserId: string | null): Promise<boolean> {
  const text = `select 1 as found from role_holders h join users u on u.org_id = h.org_id and u.id = h.holder_id
    where h.org_id = $1 and h.role_type = 'SUPER_ADMIN' and h.holder_id is distinct from $2
      and u.status in ${sqlStatuses(STATUSES_IN_USE)}
    limit 1`;
  return (await prepared(tx, 'role_other_super_admin', text, [orgId, butUserId])).length > 0;
}

export async function makesSuperAdmins(tx: Tx, orgId: OrgId, groupIds: readonly string[]): Promise<boolean> {
  const text = `select 1 as found from group_role_assignments
    where org_id = $1 and role_type = 'SUPER_ADMIN' and group_id = any($2::text[]) limit 1`;
  return (await run(tx, text, [orgId, groupIds])).length > 0;
}

/** Reads the ids of users who hold any role, directly or through groups. */
export async function readHolders(db: Db, orgId: OrgId, after: string | null, rows: number): Promise<string[]> {
  const beyond = (column: string) => (after === null ? sql`true` : sql`${sql.raw(column)} > ${after}`);
  const result = await sql<{ id: string }>`select h.id from (
      select user_id as id from user_role_assignments where org_id = ${orgId} and ${beyond('user_id')}
      union
      select m.user_id from group_members m join group_role_assignments g
        on g.org_id = m.org_id and g.group_id = m.group_id
        where m.org_id = ${orgId} and ${beyond('m.user_id')}
      union
      select b.member_user_id from role_binding_members b
        where b.org_id = ${orgId} and ${beyond('b.member_user_id')}
      union
      select m.user_id from group_members m join role_binding_members b
        on b.org_id = m.org_id and b.member_group_id = m.group_id
        where m.org_id = ${orgId} and ${beyond('m.user_id')}) h
    where h.id is not null order by h.id limit ${rows}`.execute(db);
  return result.rows.map(({ id }) => id);
}
