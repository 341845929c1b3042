import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { assertRoom, createOnce } from '../../resource/index.ts';
import type { CreateRoleInput } from '../contract.ts';
import { readDescription, readLabel } from '../name-rules.ts';
import { readPermissionName } from '../permissions/permission-names.ts';
import { CUSTOM_ROLES, type CustomRole, findCustomRole, insertPermissions } from '../store.ts';
import { customRoleChange } from '../wire.ts';
import { assertMayMake } from './lock-custom-role.ts';

export const MAXIMUM_ROLES = 500;

export function createCustomRole(work: Work, context: Context, input: CreateRoleInput): Promise<CustomRole> {
  const { orgId } = context;
  const now = wholeSecond(context.now);
  const label = readLabel(input.label);
  const description = readDescription(input.description);
  const id = newId('customRole', orgSuffixOf(orgId));
  const role = { id, label, description, createdAt: now, lastUpdatedAt: now, revision: FIRST_REVISION };
  const names = [...new Set(input.permissions.map((text) => readPermissionName(text, context.namespace)))];
  if (names.length === 0) throw invalid('permissions', 'must have at least one entry.');
  const permissions = names.map((permission) => ({ permission, conditions: null }));
  assertMayMake(context, permissions);
  return work(context, (tx, record) =>
    createOnce(tx, context, role.id, findCustomRole, async () => {
      await assertRoom(tx, context, CUSTOM_ROLES, { maximum: MAXIMUM_ROLES, field: 'label', plural: 'custom roles' });
      await CUSTOM_ROLES.insert(tx, orgId, role);
      await insertPermissions(tx, orgId, role.id, names, now);
      record({ eventType: 'iam.role.create', target: [customRoleChange([null, { role, permissions }], context)] });
      return role;
    }),
  );
}
