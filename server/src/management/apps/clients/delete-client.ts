import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { appChange } from '../changes/change-details.ts';
import { lockClient } from '../changes/lock-app.ts';
import { appLifecycle } from '../lifecycle.ts';
import { APPS } from '../store.ts';
import { appVersion } from '../wire.ts';

/** Deletes a client through the registration endpoint (RFC 7592 2.3), even if the client is active. */
export function deleteClient(work: Work, context: Context, grant: Grant, id: AppId): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, id, grant);
    assertVersion(context, appVersion(app));
    const stopped = { ...app, status: 'INACTIVE' } as const;
    if (app.status === 'ACTIVE') {
      record({ eventType: appLifecycle.table.deactivate.event, target: [appChange([{ app }, { app: stopped }])] });
    }
    await APPS.remove(tx, context.orgId, id);
    record({ eventType: appLifecycle.table.delete.event, target: [appChange([{ app: stopped }, null])] });
  });
}
