import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockUserTypes, updateUserType as storeUserType, type UserType } from '../store.ts';
import { typeVersion } from '../versions.ts';
import { userTypeChange } from '../wire.ts';
import { getUserType } from './get-user-type.ts';
import { readDescription, readDisplayName } from './type-rules.ts';

export interface UserTypeChanges {
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly description?: string | null | undefined;
}

export function updateUserType(
  work: Work,
  context: Context,
  typeId: string,
  changes: UserTypeChanges,
): Promise<UserType> {
  return work(context, async (tx, record) => {
    const found = await getUserType(tx, context, typeId);
    const before = (await lockUserTypes(tx, context.orgId)).find(({ id }) => id === found.id);
    if (before === undefined) throw notFound(typeId, 'UserType');
    assertVersion(context, typeVersion(before));
    if (changes.name !== undefined && changes.name !== before.name) {
      throw invalid('name', 'cannot be changed.');
    }
    const { description, displayName } = changes;
    const named = {
      displayName: displayName === undefined ? before.displayName : readDisplayName(displayName, before.displayName),
      description: description === undefined ? before.description : readDescription(description, before.description),
    };
    if (named.displayName === before.displayName && named.description === before.description) return before;
    const lastUpdatedAt = wholeSecond(context.now);
    const revision = before.revision + 1;
    const after = { ...before, ...named, revision, lastUpdatedAt, lastUpdatedBy: context.actor.id };
    await storeUserType(tx, context.orgId, after);
    record({ eventType: 'directory.non_default_user_profile.update', target: [userTypeChange([before, after])] });
    return after;
  });
}
