import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { assertVersion } from '../../kernel/version.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { startSink, stopSink } from '../../system-log/index.ts';
import { receivesEvents } from './lifecycle.ts';
import { type EventHook, findEventHookForUpdate, updateEventHook } from './store.ts';
import { eventHookVersion } from './wire.ts';

/** 404 E0000007 when the org has none of this id; 412 E0000231 where the client has another version. */
export async function lockEventHook(tx: Tx, context: Context, id: string): Promise<EventHook> {
  const hook = await findEventHookForUpdate(tx, context.orgId, id);
  if (hook === undefined) throw notFound(id, 'EventHook');
  assertVersion(context, eventHookVersion(hook));
  return hook;
}

/** Stores a change. A hook that starts to receive events begins with those from now on. */
export async function storeEventHook(tx: Tx, context: Context, before: EventHook, after: EventHook): Promise<void> {
  await updateEventHook(tx, context.orgId, after);
  if (receivesEvents(before) === receivesEvents(after)) return;
  if (receivesEvents(after)) await startSink(tx, context.orgId, { id: after.id, kind: 'event_hook' });
  else await stopSink(tx, context.orgId, after.id);
}
