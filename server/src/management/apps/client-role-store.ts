import type { RoleType } from '../../access/index.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export interface ClientRoleAssignment {
  readonly id: string;
  readonly clientId: string;
  readonly roleType: RoleType;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

/** Columns in the spelling of ClientRoleAssignment, so that a row needs no mapping. */
const COLUMNS = `id, client_id as "clientId", role_type as "roleType", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt"`;

/** Every assignment of a client; there is one per role type at most. */
export const findClientRoles = (db: Db, orgId: OrgId, clientId: string): Promise<ClientRoleAssignment[]> =>
  prepared<ClientRoleAssignment>(
    db,
    'client_roles',
    `select ${COLUMNS} from client_role_assignments where org_id = $1 and client_id = $2 order by id`,
    [orgId, clientId],
  );

/** Types of the roles that a client holds now. */
export async function findClientRoleTypes(db: Db, orgId: OrgId, clientId: string): Promise<string[]> {
  return (await findClientRoles(db, orgId, clientId)).map(({ roleType }) => roleType);
}

export async function insertClientRole(tx: Tx, orgId: OrgId, assignment: ClientRoleAssignment): Promise<void> {
  const text = `insert into client_role_assignments (org_id, client_id, id, role_type, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { clientId, id, roleType, createdAt, lastUpdatedAt } = assignment;
  await prepared(tx, 'client_role_insert', text, [orgId, clientId, id, roleType, createdAt, lastUpdatedAt]);
}

export async function removeClientRole(tx: Tx, orgId: OrgId, clientId: string, id: string): Promise<void> {
  const text = 'delete from client_role_assignments where org_id = $1 and client_id = $2 and id = $3';
  await prepared(tx, 'client_role_delete', text, [orgId, clientId, id]);
}
