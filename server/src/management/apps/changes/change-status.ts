import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { type AppAction, appLifecycle, nextStatus } from '../lifecycle.ts';
import { type App, raiseValidAfter, updateApp } from '../store.ts';
import { appVersion } from '../wire.ts';
import { appChange } from './change-details.ts';
import { lockApp } from './lock-app.ts';

/**
 * Activates or deactivates; an app in that status already stays as it is, without an event. Deactivation voids every
 * token of the client for good. 404 E0000007; 412 E0000231; 403 E0000006 for an app with more rights than the caller.
 */
export function changeAppStatus(
  work: Work,
  context: Context,
  grant: Grant,
  id: string,
  action: AppAction,
): Promise<App> {
  return work(context, async (tx, record) => {
    const before = await lockApp(tx, context, id, grant);
    assertVersion(context, appVersion(before));
    if (!appLifecycle.allows(before.status, action)) return before;
    const changed = { ...before, status: nextStatus(action), lastUpdatedAt: wholeSecond(context.now) };
    const after = await updateApp(tx, context.orgId, changed);
    if (action === 'deactivate') await raiseValidAfter(tx, context.orgId, id);
    record({
      eventType: appLifecycle.transition(action).event,
      target: [appChange([{ app: before }, { app: after }])],
    });
    return after;
  });
}
