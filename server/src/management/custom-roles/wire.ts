import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import { wireConditions, wirePermissionName } from './permissions/permission-names.ts';
import type { CustomRole, RolePermission } from './store.ts';

export const roleAddress = (roleId: string, { baseUrl }: Context): string => `${baseUrl}/api/v1/iam/roles/${roleId}`;

export function wireCustomRole(role: CustomRole, context: Context): Record<string, unknown> {
  const address = roleAddress(role.id, context);
  return {
    id: role.id,
    label: role.label,
    description: role.description,
    isCloneable: false,
    created: wireDate(role.createdAt),
    lastUpdated: wireDate(role.lastUpdatedAt),
    _links: { permissions: { href: `${address}/permissions` }, self: { href: address } },
  };
}

export function wirePermission(roleId: string, given: RolePermission, context: Context): Record<string, unknown> {
  const address = roleAddress(roleId, context);
  const label = wirePermissionName(given.permission, context.namespace);
  return {
    label,
    conditions: wireConditions(given.conditions, context.namespace),
    created: wireDate(given.createdAt),
    lastUpdated: wireDate(given.lastUpdatedAt),
    _links: { role: { href: address }, self: { href: `${address}/permissions/${label}` } },
  };
}

export const customRoleVersion = ({ id, revision }: CustomRole): Version => ({ kind: 'customRole', id, revision });
export const permissionVersion = (roleId: string, { permission, revision }: RolePermission): Version => ({
  kind: 'customRolePermission',
  id: `${roleId}:${permission}`,
  revision,
});

export interface ToldRole {
  readonly role: CustomRole;
  readonly permissions: readonly Pick<RolePermission, 'permission' | 'conditions'>[];
}

export const customRoleTarget = ({ description, id, label }: CustomRole): Target => ({
  id,
  type: 'CustomRole',
  alternateId: label,
  displayName: description,
});

export const customRoleChange = changeTarget(
  ({ role }: ToldRole, _context: Context) => customRoleTarget(role),
  ({ permissions, role }, { namespace }) => ({
    label: role.label,
    description: role.description,
    permissions: permissions.map(({ permission }) => wirePermissionName(permission, namespace)),
  }),
);

export const permissionChange = changeTarget(
  ({ permission }: RolePermission, { namespace }: Context): Target => ({
    id: wirePermissionName(permission, namespace),
    type: 'Permission',
    alternateId: permission,
    displayName: wirePermissionName(permission, namespace),
  }),
  ({ conditions, permission }, { namespace }) => ({
    permission: wirePermissionName(permission, namespace),
    attributes: conditions === null ? null : { ...conditions },
  }),
);
