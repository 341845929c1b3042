import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { freeNumber } from '../changes/apply-changes.ts';
import type { SchemaOwner } from '../changes/followers-store.ts';
import { existsUserOfType, lockSchemaExclusively, lockUserTypes, removeUserType } from '../store.ts';
import { typeVersion } from '../versions.ts';
import { userTypeChange } from '../wire.ts';
import { getUserType } from './get-user-type.ts';

export function deleteUserType(work: Work, context: Context, typeId: string): Promise<void> {
  return work(context, async (tx, record) => {
    const found = await getUserType(tx, context, typeId);
    if (found.isDefault) throw invalid('type', 'The default user type cannot be deleted.');
    await lockSchemaExclusively(tx, context.orgId, found.id);
    const type = (await lockUserTypes(tx, context.orgId)).find(({ id }) => id === found.id);
    if (type === undefined) throw notFound(typeId, 'UserType');
    assertVersion(context, typeVersion(type));
    if (await existsUserOfType(tx, context.orgId, type.id)) {
      throw invalid('type', 'Users have this user type, so it cannot be deleted.');
    }
    // After the deletion, numbers of removed attributes can be assigned again, so their index rows are deleted first.
    const owner: SchemaOwner = { kind: 'USER', id: type.id };
    for (const attribute of type.leaving) {
      let isFree = false;
      while (!isFree) isFree = await freeNumber(tx, context.orgId, owner, attribute);
    }
    await removeUserType(tx, context.orgId, type.id);
    record({ eventType: 'directory.non_default_user_profile.delete', target: [userTypeChange([type, null])] });
  });
}
