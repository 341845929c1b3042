import { assertHolds, EVERY_RESOURCE } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { PermissionsOfRole } from '../get-custom-role.ts';
import { findCustomRoleForUpdate, findPermissions, type RolePermission } from '../store.ts';

/** The caller must hold these permissions for all resources, because a role can be bound to any of them. */
export function assertMayMake(context: Context, permissions: readonly Pick<RolePermission, 'permission'>[]): void {
  const held = permissions.map(({ permission }) => ({ name: permission, conditions: null }));
  assertHolds(context, [{ type: 'CUSTOM', targets: null, custom: { permissions: held, resources: EVERY_RESOURCE } }]);
}

export async function lockCustomRole(tx: Tx, context: Context, idOrLabel: string): Promise<PermissionsOfRole> {
  const role = await findCustomRoleForUpdate(tx, context.orgId, idOrLabel);
  if (role === undefined) throw notFound(idOrLabel, 'CustomRole');
  const permissions = await findPermissions(tx, context.orgId, role.id);
  assertMayMake(context, permissions);
  return { role, permissions };
}
