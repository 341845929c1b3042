import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, keysetRows, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { AssigneeKind } from '../assignments/assignee-store.ts';

export interface BindingKey {
  readonly resourceSetId: string;
  readonly roleId: string;
}

/** Returns the binding's revision. */
export async function findBinding(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
): Promise<number | undefined> {
  const text = `select revision from role_bindings where org_id = $1 and resource_set_id = $2 and role_id = $3`;
  const values = [orgId, resourceSetId, roleId];
  const [row] = await prepared<{ revision: number }>(db, 'role_binding', text, values);
  return row?.revision;
}

export function readBoundRoles(
  db: Db,
  orgId: OrgId,
  resourceSetId: string,
  request: KeysetRequest<string>,
): Promise<{ readonly roleId: string }[]> {
  const list = sql`select role_id as "roleId" from role_bindings
    where org_id = ${orgId} and resource_set_id = ${resourceSetId}`;
  return keysetRows<{ roleId: string }>(db, list, 'role_id', request);
}

/** Returns false when the role is bound already. */
export async function insertBinding(
  tx: Tx,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  at: Date,
): Promise<boolean> {
  const text = `insert into role_bindings (org_id, resource_set_id, role_id, created_at) values ($1, $2, $3, $4)
    on conflict do nothing returning role_id`;
  return (await prepared(tx, 'role_binding_insert', text, [orgId, resourceSetId, roleId, at])).length > 0;
}

/** Removes a binding with its members. */
export async function removeBinding(tx: Tx, orgId: OrgId, { resourceSetId, roleId }: BindingKey): Promise<void> {
  const text = 'delete from role_bindings where org_id = $1 and resource_set_id = $2 and role_id = $3';
  await prepared(tx, 'role_binding_delete', text, [orgId, resourceSetId, roleId]);
}

export interface BindingMember {
  readonly id: string;
  readonly kind: AssigneeKind;
  readonly memberId: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

const MEMBERS = columns<BindingMember, BindingMember & BindingKey>('role_binding_members', {
  resourceSetId: { is: 'key', reads: null },
  roleId: { is: 'key', reads: null },
  id: 'key',
  kind: { is: 'fixed', name: 'member_type' },
  memberId: 'fixed',
  createdAt: 'fixed',
  lastUpdatedAt: 'fixed',
});
const COLUMNS = MEMBERS.select();
const INSERT = MEMBERS.insert();

export async function findMember(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  id: string,
): Promise<BindingMember | undefined> {
  const text = `select ${COLUMNS} from role_binding_members where ${MEMBERS.isKey}`;
  const [row] = await prepared<BindingMember>(db, 'binding_member', text, [orgId, resourceSetId, roleId, id]);
  return row;
}

export function findMembers(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  maximum: number,
): Promise<BindingMember[]> {
  const text = `select ${COLUMNS} from role_binding_members
    where org_id = $1 and resource_set_id = $2 and role_id = $3 order by id limit $4`;
  return run<BindingMember>(db, text, [orgId, resourceSetId, roleId, maximum]);
}

export function readMembers(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  request: KeysetRequest<string>,
): Promise<BindingMember[]> {
  const list = sql`select ${sql.raw(COLUMNS)} from role_binding_members
    where org_id = ${orgId} and resource_set_id = ${resourceSetId} and role_id = ${roleId}`;
  return keysetRows<BindingMember>(db, list, 'id', request);
}

export async function insertMember(tx: Tx, orgId: OrgId, binding: BindingKey, member: BindingMember): Promise<void> {
  await prepared(tx, 'binding_member_insert', INSERT.text, INSERT.values(orgId, { ...binding, ...member }));
}

export async function removeMember(
  tx: Tx,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  id: string,
): Promise<void> {
  const text = `delete from role_binding_members where ${MEMBERS.isKey}`;
  await prepared(tx, 'binding_member_delete', text, [orgId, resourceSetId, roleId, id]);
}
