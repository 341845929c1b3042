import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { createOnce } from '../../resource/index.ts';
import { lockGroupSchemaForWrite } from '../../schemas/index.ts';
import type { GroupInput } from '../contract.ts';
import type { GroupsPorts } from '../ports.ts';
import { findGroup, insertGroup } from '../store.ts';
import { groupChange } from '../wire.ts';
import { groupAttributeRows } from './attribute-values.ts';
import type { GroupRow } from './group-row.ts';
import { readProfile } from './read-profile.ts';

export function createGroup(ports: Pick<GroupsPorts, 'work'>, context: Context, input: GroupInput): Promise<GroupRow> {
  return ports.work(context, async (tx, record) => {
    const schema = await lockGroupSchemaForWrite(tx, context.orgId);
    const now = wholeSecond(context.now);
    const group: GroupRow = {
      id: newId('group', orgSuffixOf(context.orgId)),
      type: 'NATIVE_GROUP',
      profile: readProfile(input.profile, schema, null),
      sourceId: null,
      createdAt: now,
      lastUpdatedAt: now,
      lastMembershipUpdatedAt: now,
      revision: 1,
    };
    return createOnce(tx, context, group.id, findGroup, async () => {
      await insertGroup(tx, context.orgId, group, groupAttributeRows(group, schema));
      record({ eventType: 'group.lifecycle.create', target: [groupChange([null, group])] });
      return group;
    });
  });
}
