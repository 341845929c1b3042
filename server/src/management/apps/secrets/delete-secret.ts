import type { Context } from '../../../kernel/context.ts';
import { invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { credentialLifecycle } from '../credentials/client-credential-lifecycle.ts';
import { appTarget } from '../target.ts';
import { findSecrets, removeSecret } from './secret-store.ts';
import { secretChange, secretVersion } from './secret-stored.ts';

export function deleteSecret(
  work: Work,
  context: Context,
  grant: Grant,
  appId: AppId,
  secretId: string,
): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const secret = (await findSecrets(tx, context.orgId, appId)).find(({ id }) => id === secretId);
    if (secret === undefined) throw notFound(secretId, 'ClientSecret');
    assertVersion(context, secretVersion(secret));
    if (!credentialLifecycle.allows(secret.status, 'delete')) {
      throw invalidObject('OAuth2ClientSecretMediated', [
        "You can't delete an active client secret. Deactivate the secret before deleting it.",
      ]);
    }
    await removeSecret(tx, context.orgId, appId, secretId);
    record({
      eventType: credentialLifecycle.table.delete.event,
      target: [appTarget(app), secretChange([secret, null])],
    });
  });
}
