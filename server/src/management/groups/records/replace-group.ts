import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { changedRows } from '../../../search/index.ts';
import { lockGroupSchemaForWrite } from '../../schemas/index.ts';
import type { GroupInput } from '../contract.ts';
import type { GroupsPorts } from '../ports.ts';
import { findGroupForUpdate, updateGroupProfile } from '../store.ts';
import { groupChange, groupVersion } from '../wire.ts';
import { groupAttributeRows } from './attribute-values.ts';
import type { GroupRow } from './group-row.ts';
import { assertCovered, assertOurs } from './guards.ts';
import { readProfile } from './read-profile.ts';

export async function replaceGroup(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  input: GroupInput,
): Promise<GroupRow> {
  assertCovered(grant, groupId);
  return ports.work(context, async (tx, record) => {
    const schema = await lockGroupSchemaForWrite(tx, context.orgId);
    const before = await findGroupForUpdate(tx, context.orgId, groupId);
    if (before === undefined) throw notFound(groupId, 'UserGroup');
    assertOurs(before);
    assertVersion(context, groupVersion(before));
    const profile = readProfile(input.profile, schema, before.profile);
    if (isDeepStrictEqual(profile, before.profile)) return before;
    const after = { ...before, profile, lastUpdatedAt: wholeSecond(context.now) };
    const index = changedRows(groupAttributeRows(before, schema), groupAttributeRows(after, schema));
    const stored = await updateGroupProfile(tx, context.orgId, after, index);
    record({ eventType: 'group.profile.update', target: [groupChange([before, stored])] });
    return stored;
  });
}
