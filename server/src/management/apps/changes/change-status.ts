import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { activated } from '../../resource/index.ts';
import { type AppAction, appLifecycle } from '../lifecycle.ts';
import { APPS, type App, raiseValidAfter } from '../store.ts';
import { appVersion } from '../wire.ts';
import { appChange } from './change-details.ts';
import { lockApp } from './lock-app.ts';

/** Deactivation voids the client's tokens. */
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
    const change = activated(context, before, appLifecycle, action);
    if (change === null) return before;
    const { after, event } = change;
    await APPS.update(tx, context.orgId, after);
    if (action === 'deactivate') await raiseValidAfter(tx, context.orgId, id);
    record({ eventType: event, target: [appChange([{ app: before }, { app: after }])] });
    return after;
  });
}
