import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { groupsOfEveryone } from '../members/member-store.ts';
import { EVERYONE } from '../rules.ts';
import { insertGroup } from '../store.ts';
import { groupAttributeRows } from './attribute-values.ts';
import type { GroupRow } from './group-row.ts';

/** The group that every org has, and that all its users are in without a row saying so (ADR 0026). */
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
  // No org has custom attributes before it is made.
  await insertGroup(tx, context.orgId, group, groupAttributeRows(group, new Map()));
}
