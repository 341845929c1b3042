import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { groupsOfEveryone } from '../members/member-store.ts';
import { EVERYONE } from '../rules.ts';
import { insertGroup } from '../store.ts';
import { groupAttributeRows } from './attribute-values.ts';
import type { GroupRow } from './group-row.ts';

/** Creates the built-in group of an org (ADR 0026), unless the group exists already. */
export async function createEveryone(tx: Tx, context: Context): Promise<void> {
  if ((await groupsOfEveryone(tx, context.orgId)).length > 0) return;
  const now = wholeSecond(context.now);
  const group: GroupRow = {
    id: newId('group', orgSuffixOf(context.orgId)),
    type: 'BUILT_IN',
    profile: EVERYONE,
    sourceId: null,
    createdAt: now,
    lastUpdatedAt: now,
    lastMembershipUpdatedAt: now,
    revision: 1,
  };
  // The profile of this group has no custom attributes, so the schema is not needed.
  await insertGroup(tx, context.orgId, group, groupAttributeRows(group, new Map()));
}
