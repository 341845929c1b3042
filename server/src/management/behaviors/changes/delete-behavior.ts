import type { Context } from '../../../kernel/context.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockBehavior } from '../get-behavior.ts';
import { removeBehavior } from '../store.ts';
import { behaviorChange } from '../wire.ts';

/** 404 E0000007 when the org has none of this id; any status may be deleted. */
export function deleteBehavior(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const behavior = await lockBehavior(tx, context, id);
    await removeBehavior(tx, context.orgId, id);
    record({ eventType: 'security.behavior.settings.delete', target: [behaviorChange([behavior, null])] });
  });
}
