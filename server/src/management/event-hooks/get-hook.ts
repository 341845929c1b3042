import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Target } from '../../system-log/index.ts';
import { type EventHook, findEventHook } from './store.ts';
import { eventHookTarget } from './wire.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getEventHook(db: Db, context: Context, id: string): Promise<EventHook> {
  const hook = await findEventHook(db, context.orgId, id);
  if (hook === undefined) throw notFound(id, 'EventHook');
  return hook;
}

/** Finds the hook as an event target; null when there is none. */
export async function findEventHookTarget(db: Db, orgId: OrgId, id: string): Promise<Target | null> {
  const hook = await findEventHook(db, orgId, id);
  return hook === undefined ? null : eventHookTarget(hook);
}
