import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import { getUserSchema } from './get-user-type.ts';
import { NULLABLE_ATTRIBUTES, type NullableAttribute, readSchemaUpdate, type SchemaUpdate } from './rules.ts';
import { existsUserLacking, findUserType, lockSchemaExclusively, type UserType, updateUserType } from './store.ts';
import { baseDefinitions, schemaTarget } from './wire.ts';

const isRequired = (definitions: ReturnType<typeof baseDefinitions>, name: NullableAttribute): boolean =>
  definitions[name]?.['required'] === true;

async function assertNobodyLacks(tx: Tx, context: Context, type: UserType, name: NullableAttribute): Promise<void> {
  if (!(await existsUserLacking(tx, context.orgId, type.id, name))) return;
  throw invalid('definitions', `${name}: Users without it exist, so it cannot be required.`);
}

/**
 * Changes whether firstName and lastName are required (see `readSchemaUpdate`); saying what is so already changes
 * nothing and records nothing. 404 E0000007; 400 E0000001, also where a stored profile lacks what would be required.
 */
export function updateUserSchema(
  work: Work,
  context: Context,
  schemaId: string,
  update: SchemaUpdate,
): Promise<UserType> {
  return work(context, async (tx, record) => {
    const found = await getUserSchema(tx, context, schemaId);
    await lockSchemaExclusively(tx, context.orgId, found.id);
    const before = await findUserType(tx, context.orgId, found.id);
    if (before === undefined) throw notFound(schemaId, 'UserSchema');
    const current = baseDefinitions(before.overrides);
    const overrides = readSchemaUpdate(update, current);
    const wanted = baseDefinitions(overrides);
    const changed = NULLABLE_ATTRIBUTES.filter((name) => isRequired(current, name) !== isRequired(wanted, name));
    if (changed.length === 0) return before;
    for (const name of changed) if (isRequired(wanted, name)) await assertNobodyLacks(tx, context, before, name);
    const after: UserType = {
      ...before,
      overrides,
      schemaVersion: before.schemaVersion + 1,
      lastUpdatedAt: wholeSecond(context.now),
      lastUpdatedBy: context.actor.id,
    };
    await updateUserType(tx, context.orgId, after);
    record({ eventType: 'directory.user_profile.update', target: [schemaTarget(before, after)] });
    return after;
  });
}
