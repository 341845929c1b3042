import { type Approval, heldRoles, holders } from '../../../access/index.ts';
import type { HeldRole } from '../../../kernel/words/held-role.ts';
import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';

/** An approval, joined with the current state of the user or service app that gave it. */
export interface StoredApproval extends Approval {
  readonly id: string;
  readonly approverId: string;
  readonly approverType: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** An SQL expression for the approver's current status, application type and roles. */
const APPROVER = `(select jsonb_build_object('status', n.status, 'applicationType', n.application_type,
      'roles', ${heldRoles('p.approver_id')})
    from ${holders('p.approver_id')} n)`;

const COLUMNS = columns<StoredApproval, NewApproval & OfApp>('absent_user_approvals', {
  appId: { is: 'key', reads: null },
  id: 'key',
  approverId: 'fixed',
  approverType: 'fixed',
  heldRoles: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
  approver: { is: 'read', reads: APPROVER },
});
const INSERT = COLUMNS.insert();

export function findApprovals(db: Db, orgId: OrgId, appId: AppId): Promise<StoredApproval[]> {
  const text = `select ${COLUMNS.select('p')} from absent_user_approvals p
    where p.org_id = $1 and p.app_id = $2 order by p.created_at, p.id`;
  return prepared<StoredApproval>(db, 'absent_user_approvals', text, [orgId, appId]);
}

export type NewApproval = Omit<StoredApproval, 'approver' | 'revision'>;

export async function insertApproval(tx: Tx, orgId: OrgId, appId: AppId, approval: NewApproval): Promise<void> {
  const values = INSERT.values(orgId, { ...approval, appId });
  await prepared(tx, 'absent_user_approval_insert', INSERT.text, values);
}

export async function renewApproval(
  tx: Tx,
  orgId: OrgId,
  appId: AppId,
  { id, lastUpdatedAt, ...approval }: Pick<StoredApproval, 'id' | 'heldRoles' | 'lastUpdatedAt'>,
): Promise<void> {
  const text = `update absent_user_approvals set held_roles = $4, last_updated_at = $5, revision = revision + 1
    where org_id = $1 and app_id = $2 and id = $3`;
  const values = [orgId, appId, id, JSON.stringify(approval.heldRoles), lastUpdatedAt];
  await prepared(tx, 'absent_user_approval_renew', text, values);
}

export async function removeApproval(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  const text = `delete from absent_user_approvals where ${COLUMNS.isKey}`;
  await prepared(tx, 'absent_user_approval_delete', text, [orgId, appId, id]);
}

export interface AbsenceFacts {
  readonly roles: readonly HeldRole[];
  /** This is null when the org does not have the client. */
  readonly app: { readonly id: string; readonly name: string } | null;
  /** This is empty when the user holds no roles, because no approval is needed then. */
  readonly approvals: readonly Approval[];
}

/** Finds the facts in a single statement, so that all of them come from the same snapshot of the database. */
export async function findAbsenceFacts(
  db: Db,
  orgId: OrgId,
  clientId: ClientId,
  userId: string,
): Promise<AbsenceFacts> {
  const text = `select s.roles, case when a.id is null then null
      else jsonb_build_object('id', a.id, 'name', a.document ->> 'name') end as app,
      case when jsonb_array_length(s.roles) = 0 then '[]' else coalesce((
        select jsonb_agg(jsonb_build_object('heldRoles', p.held_roles, 'approver', ${APPROVER}))
        from absent_user_approvals p where p.org_id = $1 and p.app_id = a.id), '[]') end as approvals
    from (select ${heldRoles('$3')} as roles) s
    left join apps a on a.org_id = $1 and a.client_id = $2 and a.sign_on_mode = 'OPENID_CONNECT'`;
  const [row] = await prepared<AbsenceFacts>(db, 'absence_facts', text, [orgId, clientId, userId]);
  if (row === undefined) throw new Error('a statement without a condition had no row');
  return row;
}
