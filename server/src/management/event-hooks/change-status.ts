import { type Context, ownerIdOf } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import type { Work } from '../../system-log/index.ts';
import { type EventHookAction, eventHookLifecycle, nextStatus } from './lifecycle.ts';
import { lockEventHook, storeEventHook } from './lock-hook.ts';
import type { EventHook } from './store.ts';
import { eventHookChange } from './wire.ts';

/**
 * Activates or deactivates; a hook in that status already stays as it is, without an event. An activated hook receives
 * events from then on. 404 E0000007.
 */
export function changeEventHookStatus(
  work: Work,
  context: Context,
  id: string,
  action: EventHookAction,
): Promise<EventHook> {
  return work(context, async (tx, record) => {
    const before = await lockEventHook(tx, context, id);
    if (!eventHookLifecycle.allows(before.status, action)) return before;
    const lastUpdatedAt = wholeSecond(context.now);
    const ownerId = action === 'activate' ? ownerIdOf(context.principal) : before.ownerId;
    const after = { ...before, ownerId, status: nextStatus(action), lastUpdatedAt, revision: before.revision + 1 };
    await storeEventHook(tx, context, before, after);
    record({ eventType: eventHookLifecycle.transition(action).event, target: [eventHookChange([before, after])] });
    return after;
  });
}
