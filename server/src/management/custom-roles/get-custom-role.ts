import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type ListPorts, pageById, type RawQuery } from '../resource/index.ts';
import { permissionNamed } from './permissions/permission-names.ts';
import { CUSTOM_ROLES, type CustomRole, findCustomRole, findPermissions, type RolePermission } from './store.ts';

export async function getCustomRole(db: Db, context: Context, idOrLabel: string): Promise<CustomRole> {
  const role = await findCustomRole(db, context.orgId, idOrLabel);
  if (role === undefined) throw notFound(idOrLabel, 'CustomRole');
  return role;
}

const PAGE_SIZE = 100;

export const listCustomRoles = (
  ports: ListPorts,
  context: Context,
  after: string | undefined,
  query: RawQuery,
): Promise<KeysetPage<CustomRole>> =>
  pageById(ports, context, 'listRoles', { limit: PAGE_SIZE, after, before: undefined }, query, (request) =>
    CUSTOM_ROLES.readPage(ports.db, context.orgId, [], request),
  );

export interface PermissionsOfRole {
  readonly role: CustomRole;
  readonly permissions: readonly RolePermission[];
}

export async function listPermissions(db: Db, context: Context, idOrLabel: string): Promise<PermissionsOfRole> {
  const role = await getCustomRole(db, context, idOrLabel);
  return { role, permissions: await findPermissions(db, context.orgId, role.id) };
}

export interface PermissionOfRole {
  readonly role: CustomRole;
  readonly permission: RolePermission;
}

export async function getPermission(
  db: Db,
  context: Context,
  idOrLabel: string,
  permissionType: string,
): Promise<PermissionOfRole> {
  const { role, permissions } = await listPermissions(db, context, idOrLabel);
  const name = permissionNamed(permissionType, context.namespace);
  const permission = permissions.find((one) => one.permission === name);
  if (permission === undefined) throw notFound(permissionType, 'Permission');
  return { role, permission };
}
