import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Record, Work } from '../../../system-log/index.ts';
import { assertMayMake, lockCustomRole } from '../changes/lock-custom-role.ts';
import type { PermissionInput } from '../contract.ts';
import type { PermissionOfRole } from '../get-custom-role.ts';
import { type CustomRole, findPermissions, putPermission, type RolePermission, removePermission } from '../store.ts';
import { customRoleChange, customRoleTarget, permissionChange, permissionVersion, type ToldRole } from '../wire.ts';
import { permissionNamed, readConditions } from './permission-names.ts';

function recordConditions(
  record: Record,
  context: Context,
  role: CustomRole,
  before: RolePermission | null,
  after: RolePermission,
): void {
  const bare = { ...after, conditions: null };
  const target = [customRoleTarget(role), permissionChange([before ?? bare, after], context)];
  if (after.conditions !== null) record({ eventType: 'iam.role.permission.conditions.add', target });
  else if (before !== null) record({ eventType: 'iam.role.permission.conditions.delete', target });
}

/** Only `create` adds a permission that the role lacks. */
export type PutMode = 'create' | 'replace';

/** Gives a role a permission with exactly these conditions. */
export function putRolePermission(
  work: Work,
  context: Context,
  idOrLabel: string,
  permissionType: string,
  input: PermissionInput | undefined,
  mode: PutMode,
): Promise<PermissionOfRole> {
  const name = permissionNamed(permissionType, context.namespace);
  const conditions = readConditions(input?.conditions, name, context.namespace);
  return work(context, async (tx, record) => {
    const told = await lockCustomRole(tx, context, idOrLabel);
    const { role } = told;
    const stored = await findPermissions(tx, context.orgId, role.id);
    const before = stored.find(({ permission }) => permission === name) ?? null;
    if (before === null && mode === 'replace') throw notFound(permissionType, 'Permission');
    assertVersion(context, before === null ? null : permissionVersion(role.id, before));
    if (before !== null && isDeepStrictEqual(before.conditions, conditions)) return { role, permission: before };
    assertMayMake(context, [{ permission: name }]);
    const now = wholeSecond(context.now);
    const wanted = { permission: name, conditions, createdAt: before?.createdAt ?? now, lastUpdatedAt: now };
    const after = await putPermission(tx, context.orgId, role.id, wanted);
    if (before === null) {
      const given: ToldRole = { role, permissions: [...told.permissions, after] };
      record({ eventType: 'iam.role.permissions.add', target: [customRoleChange([told, given], context)] });
    }
    recordConditions(record, context, role, before, after);
    return { role, permission: after };
  });
}

export function deleteRolePermission(
  work: Work,
  context: Context,
  idOrLabel: string,
  permissionType: string,
): Promise<void> {
  const name = permissionNamed(permissionType, context.namespace);
  return work(context, async (tx, record) => {
    const { permissions, role } = await lockCustomRole(tx, context, idOrLabel);
    const permission = permissions.find((one) => one.permission === name);
    if (permission === undefined) throw notFound(permissionType, 'Permission');
    assertVersion(context, permissionVersion(role.id, permission));
    await removePermission(tx, context.orgId, role.id, name);
    const told: ToldRole = { role, permissions };
    const after: ToldRole = { role, permissions: permissions.filter((one) => one !== permission) };
    record({ eventType: 'iam.role.permissions.delete', target: [customRoleChange([told, after], context)] });
  });
}
