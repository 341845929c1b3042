import type { Context } from '../../../kernel/context.ts';
import { invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { credentialLifecycle } from '../credentials/client-credential-lifecycle.ts';
import { raiseRevision } from '../store.ts';
import { appTarget } from '../target.ts';
import { findInlineKeys, removeKey } from './jwk-store.ts';
import { jwkVersion, keyChange } from './jwk-stored.ts';

export function deleteKey(work: Work, context: Context, grant: Grant, appId: AppId, keyId: string): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const key = (await findInlineKeys(tx, context.orgId, appId)).find(({ id }) => id === keyId);
    if (key === undefined) throw notFound(keyId, 'JsonWebKey');
    assertVersion(context, jwkVersion(key));
    if (!credentialLifecycle.allows(key.status, 'delete')) {
      throw invalidObject('JsonWebKey', [
        "You can't delete an active JSON Web Key. Deactivate the key before deleting it.",
      ]);
    }
    await removeKey(tx, context.orgId, appId, keyId);
    await raiseRevision(tx, context.orgId, appId);
    record({ eventType: credentialLifecycle.table.delete.event, target: [appTarget(app), keyChange([key, null])] });
  });
}
