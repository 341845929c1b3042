import { holdersAmong } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors/errors.ts';
import { evaluateRulesForPinnedMembers } from '../../management/group-rules/index.ts';
import { addMembers, createGroup, findGroupIdsByName, type GroupsPorts } from '../../management/groups/index.ts';
import type { ImportGroups } from '../ports.ts';

/** The id that a trial uses for a group that an import would create. */
const TO_BE_MADE = '';

/** Returns null if the API refuses to create the group. */
async function make(groups: Pick<GroupsPorts, 'work'>, context: Context, name: string): Promise<string | null> {
  try {
    return (await createGroup(groups, context, { profile: { name } })).id;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

export const importGroups = (groups: Pick<GroupsPorts, 'db' | 'work'>): ImportGroups => ({
  async named(context, names, { administrators, writes }) {
    const found = new Map(await findGroupIdsByName(groups.db, context.orgId, names));
    const missing = names.filter((name) => !found.has(name));
    for (const name of missing) {
      const id = writes ? await make(groups, context, name) : TO_BE_MADE;
      if (id !== null) found.set(name, id);
    }
    // This query finds groups that another process has just created, or that the loop created under another spelling of
    // the name.
    const again = missing.filter((name) => !found.has(name));
    const late = again.length === 0 ? [] : await findGroupIdsByName(groups.db, context.orgId, again);
    const all = new Map([...found, ...late]);
    if (administrators) return all;
    const giving = await holdersAmong(groups.db, context.orgId, [...all.values()]);
    return new Map([...all].filter(([, id]) => !giving.has(id)));
  },
  async add(tx, context, record, groupId, userIds) {
    const added = new Set(await addMembers(tx, context, record, groupId, userIds, { kind: 'direct' }));
    // Members whom a group rule had added are now pinned, as if they had been added by hand.
    const kept = userIds.filter((id) => !added.has(id));
    await evaluateRulesForPinnedMembers(tx, context, record, kept);
    return added.size;
  },
});
