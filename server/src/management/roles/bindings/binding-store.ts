import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { AssigneeKind } from '../assignments/assignee-store.ts';

/** A custom role on a resource set. */
export interface BindingKey {
  readonly resourceSetId: string;
  readonly roleId: string;
}

/** Finds the binding's revision; undefined when the two are not bound. */
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

/** Reads the ids of the roles that are bound to a set, nearest to the key first. */
export async function readBoundRoles(
  db: Db,
  orgId: OrgId,
  resourceSetId: string,
  request: KeysetRequest<string>,
): Promise<{ readonly roleId: string }[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const key = request.key === null ? sql`true` : sql`role_id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<{ roleId: string }>`select role_id as "roleId" from role_bindings
    where org_id = ${orgId} and resource_set_id = ${resourceSetId} and ${key}
    order by role_id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

/** False when the two are bound already. */
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

/** Its members are deleted with it. */
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

/** Columns in the spelling of BindingMember, so that a row needs no mapping. */
const COLUMNS = `id, member_type as kind, member_id as "memberId", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt"`;

export async function findMember(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  id: string,
): Promise<BindingMember | undefined> {
  const text = `select ${COLUMNS} from role_binding_members
    where org_id = $1 and resource_set_id = $2 and role_id = $3 and id = $4`;
  const [row] = await prepared<BindingMember>(db, 'binding_member', text, [orgId, resourceSetId, roleId, id]);
  return row;
}

/** Finds the members of a binding, at most `maximum`, by id. */
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

/** Reads members by id, nearest to the key first. */
export async function readMembers(
  db: Db,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  request: KeysetRequest<string>,
): Promise<BindingMember[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const key = request.key === null ? sql`true` : sql`id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<BindingMember>`select ${sql.raw(COLUMNS)} from role_binding_members
    where org_id = ${orgId} and resource_set_id = ${resourceSetId} and role_id = ${roleId} and ${key}
    order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

export async function insertMember(
  tx: Tx,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  member: BindingMember,
): Promise<void> {
  const text = `insert into role_binding_members
      (org_id, resource_set_id, role_id, id, member_type, member_id, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { createdAt, id, kind, lastUpdatedAt, memberId } = member;
  const values = [orgId, resourceSetId, roleId, id, kind, memberId, createdAt, lastUpdatedAt];
  await prepared(tx, 'binding_member_insert', text, values);
}

export async function removeMember(
  tx: Tx,
  orgId: OrgId,
  { resourceSetId, roleId }: BindingKey,
  id: string,
): Promise<void> {
  const text = `delete from role_binding_members
    where org_id = $1 and resource_set_id = $2 and role_id = $3 and id = $4`;
  await prepared(tx, 'binding_member_delete', text, [orgId, resourceSetId, roleId, id]);
}
