import { nameKey } from '../../kernel/texts/text.ts';
import type { AttributeCondition } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';

export interface CustomRole {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Permissions have their own revisions. */
  readonly revision: number;
}

export interface RolePermission {
  /** The name without the namespace word. */
  readonly permission: string;
  readonly conditions: AttributeCondition | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<CustomRole>('custom_roles', {
  id: 'key',
  label: 'changes',
  description: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const CUSTOM_ROLES = resourceStore('custom_role', COLUMNS);

const BY_ID_OR_LABEL = `select ${COLUMNS.select()} from custom_roles
  where org_id = $1 and (id = $2 or normalize(label, nfc) = $3)`;

/** Composed and decomposed spellings of a label are equal. */
export async function findCustomRole(db: Db, orgId: OrgId, idOrLabel: string): Promise<CustomRole | undefined> {
  const values = [orgId, idOrLabel, nameKey(idOrLabel)];
  const [row] = await prepared<CustomRole>(db, 'custom_role', BY_ID_OR_LABEL, values);
  return row;
}

export async function findCustomRoleForUpdate(
  tx: Tx,
  orgId: OrgId,
  idOrLabel: string,
): Promise<CustomRole | undefined> {
  const values = [orgId, idOrLabel, nameKey(idOrLabel)];
  const [row] = await prepared<CustomRole>(tx, 'custom_role_for_update', `${BY_ID_OR_LABEL} for update`, values);
  return row;
}

const PERMISSION_COLUMNS = columns<RolePermission, Omit<RolePermission, 'revision'> & { readonly roleId: string }>(
  'custom_role_permissions',
  {
    roleId: { is: 'key', reads: null },
    permission: 'key',
    conditions: 'json',
    createdAt: 'fixed',
    lastUpdatedAt: 'changes',
    revision: 'revision',
  },
);
const UPSERT_PERMISSION = PERMISSION_COLUMNS.upsert();

export function findPermissions(db: Db, orgId: OrgId, roleId: string): Promise<RolePermission[]> {
  const text = `select ${PERMISSION_COLUMNS.select()} from custom_role_permissions
    where org_id = $1 and role_id = $2 order by permission`;
  return prepared<RolePermission>(db, 'custom_role_permissions', text, [orgId, roleId]);
}

/** Adds permissions without conditions. */
export async function insertPermissions(
  tx: Tx,
  orgId: OrgId,
  roleId: string,
  permissions: readonly string[],
  at: Date,
): Promise<void> {
  const text = `insert into custom_role_permissions (org_id, role_id, permission, created_at, last_updated_at)
    select $1, $2, p.permission, $4, $4 from unnest($3::text[]) as p (permission)`;
  await run(tx, text, [orgId, roleId, permissions, at]);
}

export async function putPermission(
  tx: Tx,
  orgId: OrgId,
  roleId: string,
  given: Omit<RolePermission, 'revision'>,
): Promise<RolePermission> {
  const { text, values } = UPSERT_PERMISSION;
  const [row] = await prepared<Pick<RolePermission, 'revision'>>(
    tx,
    'custom_role_permission_put',
    `${text} returning revision`,
    values(orgId, { ...given, roleId }),
  );
  return { ...given, revision: row?.revision ?? 0 };
}

export async function removePermission(tx: Tx, orgId: OrgId, roleId: string, permission: string): Promise<void> {
  const text = `delete from custom_role_permissions where ${PERMISSION_COLUMNS.isKey}`;
  await prepared(tx, 'custom_role_permission_delete', text, [orgId, roleId, permission]);
}
