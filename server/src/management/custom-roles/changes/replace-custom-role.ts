import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ReplaceRoleInput } from '../contract.ts';
import { readDescription, readLabel } from '../name-rules.ts';
import { CUSTOM_ROLES, type CustomRole } from '../store.ts';
import { customRoleChange, customRoleVersion } from '../wire.ts';
import { lockCustomRole } from './lock-custom-role.ts';

export function replaceCustomRole(
  work: Work,
  context: Context,
  idOrLabel: string,
  input: ReplaceRoleInput,
): Promise<CustomRole> {
  return work(context, async (tx, record) => {
    const before = await lockCustomRole(tx, context, idOrLabel);
    assertVersion(context, customRoleVersion(before.role));
    const label = readLabel(input.label, before.role.label);
    const description = readDescription(input.description, before.role.description);
    if (before.role.label === label && before.role.description === description) return before.role;
    const changed = { label, description, lastUpdatedAt: wholeSecond(context.now) };
    const role = { ...before.role, ...changed, revision: before.role.revision + 1 };
    await CUSTOM_ROLES.update(tx, context.orgId, role);
    record({ eventType: 'iam.role.update', target: [customRoleChange([before, { ...before, role }], context)] });
    return role;
  });
}
