import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import { dropSink, type Work } from '../../system-log/index.ts';
import { eventHookLifecycle } from './lifecycle.ts';
import { lockEventHook } from './lock-hook.ts';
import { removeEventHook } from './store.ts';
import { eventHookChange } from './wire.ts';

/** Deletes an INACTIVE hook with the state of its deliveries. 404 E0000007; 403 E0000038 while it is ACTIVE. */
export function deleteEventHook(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const hook = await lockEventHook(tx, context, id);
    if (!eventHookLifecycle.allows(hook.status, 'delete')) {
      const summary = "This operation is not allowed in the event hook's current status.";
      throw apiError('E0000038', { summary, causes: ['status: Only an INACTIVE event hook can be deleted.'] });
    }
    await dropSink(tx, context.orgId, id);
    await removeEventHook(tx, context.orgId, id);
    record({ eventType: 'event_hook.deleted', target: [eventHookChange([hook, null])] });
  });
}
