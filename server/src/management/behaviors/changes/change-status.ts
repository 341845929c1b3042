import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockBehavior } from '../get-behavior.ts';
import { type BehaviorAction, behaviorLifecycle } from '../lifecycle.ts';
import { type Behavior, updateBehavior } from '../store.ts';
import { behaviorChange } from '../wire.ts';

/** Activates or deactivates; a behavior in that status already stays as it is, without an event. 404 E0000007. */
export function changeBehaviorStatus(
  work: Work,
  context: Context,
  id: string,
  action: BehaviorAction,
): Promise<Behavior> {
  return work(context, async (tx, record) => {
    const before = await lockBehavior(tx, context, id);
    if (!behaviorLifecycle.allows(before.status, action)) return before;
    const { to, event } = behaviorLifecycle.transition(action);
    const after = { ...before, status: to[0], lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updateBehavior(tx, context.orgId, after);
    record({ eventType: event, target: [behaviorChange([before, after])] });
    return after;
  });
}
