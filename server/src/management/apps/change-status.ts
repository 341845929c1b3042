import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import type { Work } from '../../system-log/index.ts';
import { appChange } from './change-details.ts';
import { type AppAction, appLifecycle, nextStatus } from './lifecycle.ts';
import { lockApp } from './lock-app.ts';
import { type App, raiseValidAfter, updateApp } from './store.ts';

/**
 * Activates or deactivates; an app that is so already stays as it is, without an event. Deactivation voids every token
 * the client has, for good. 404 E0000007; 403 E0000006 for the app of a greater administrator.
 */
export function changeAppStatus(work: Work, context: Context, id: string, action: AppAction): Promise<App> {
  return work(context, async (tx, record) => {
    const before = await lockApp(tx, context, id);
    if (!appLifecycle.allows(before.status, action)) return before;
    const after = { ...before, status: nextStatus(action), lastUpdatedAt: wholeSecond(context.now) };
    await updateApp(tx, context.orgId, after);
    if (action === 'deactivate') await raiseValidAfter(tx, context.orgId, id);
    record({
      eventType: appLifecycle.transition(action).event,
      target: [appChange([{ app: before }, { app: after }])],
    });
    return after;
  });
}
