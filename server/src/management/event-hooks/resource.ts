import { type Context, ownerIdOf } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { dropSink, startSink, stopSink, type Target, type Work } from '../../system-log/index.ts';
import { resource, statusChange } from '../resource/index.ts';
import { eventHookLifecycle, receivesEvents } from './lifecycle.ts';
import { EVENT_HOOKS, type EventHook } from './store.ts';
import { eventHookChange, eventHookTarget, eventHookVersion } from './wire.ts';

/** The limit in contract section 10. */
export const MAXIMUM_EVENT_HOOKS = 25;

export const eventHooks = resource<EventHook>({
  noun: 'EventHook',
  store: EVENT_HOOKS,
  version: eventHookVersion,
  target: eventHookChange,
  events: { create: 'event_hook.created', update: 'event_hook.updated', delete: 'event_hook.deleted' },
  limit: { maximum: MAXIMUM_EVENT_HOOKS, field: 'name', plural: 'event hooks' },
  // A hook receives the events that occur after it was verified and activated.
  follow: async (tx, { orgId }, [before, after]) => {
    if (after === null) {
      if (before !== null) await dropSink(tx, orgId, before.id);
    } else if (receivesEvents(after) !== (before !== null && receivesEvents(before))) {
      if (receivesEvents(after)) await startSink(tx, orgId, { id: after.id, kind: 'event_hook' });
      else await stopSink(tx, orgId, after.id);
    }
  },
});

export const getEventHook = eventHooks.get;

export const changeEventHookStatus = statusChange(eventHooks, eventHookLifecycle, ({ principal }, action) =>
  action === 'activate' ? { ownerId: ownerIdOf(principal) } : {},
);

export const deleteEventHook = (work: Work, context: Context, id: string): Promise<void> =>
  eventHooks.delete(work, context, id, ({ status }) => {
    if (eventHookLifecycle.allows(status, 'delete')) return;
    const summary = "This operation is not allowed in the event hook's current status.";
    throw apiError('E0000038', { summary, causes: ['status: Only an INACTIVE event hook can be deleted.'] });
  });

export async function findEventHookTarget(db: Db, orgId: OrgId, id: string): Promise<Target | null> {
  const hook = await EVENT_HOOKS.find(db, orgId, id);
  return hook === undefined ? null : eventHookTarget(hook);
}
