import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { appLifecycle } from '../lifecycle.ts';
import { APPS } from '../store.ts';
import { appVersion } from '../wire.ts';
import { appChange } from './change-details.ts';
import { lockApp } from './lock-app.ts';

export function deleteApp(work: Work, context: Context, grant: Grant, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, id, grant);
    assertVersion(context, appVersion(app));
    if (!appLifecycle.allows(app.status, 'delete')) throw apiError('E0000056');
    await APPS.remove(tx, context.orgId, id);
    record({ eventType: appLifecycle.table.delete.event, target: [appChange([{ app }, null])] });
  });
}
