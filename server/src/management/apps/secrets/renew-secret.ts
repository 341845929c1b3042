import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { assertMayProveClient } from '../clients/client-guard.ts';
import { takesSecret } from '../documents/document-rules.ts';
import { type ShownApp, showApp } from '../lists/show-apps.ts';
import type { AppPorts } from '../route-ports.ts';
import { appTarget } from '../target.ts';
import { makeClientSecret } from './make-secret.ts';
import { findSecrets, removeSecret } from './secret-store.ts';
import { secretChange } from './secret-stored.ts';

/** Replaces all secrets of a client with a new one. */
export function renewSecret(ports: AppPorts, context: Context, grant: Grant, appId: AppId): Promise<ShownApp> {
  const { masterKey, work } = ports;
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, grant);
    await assertMayProveClient(tx, context, app);
    if (!takesSecret(app.document)) {
      throw invalid('credentials.oauthClient.token_endpoint_auth_method', 'must be a method that uses a secret.');
    }
    for (const secret of await findSecrets(tx, context.orgId, appId)) {
      await removeSecret(tx, context.orgId, appId, secret.id);
      const eventType = 'app.oauth2.credentials.lifecycle.delete';
      record({ eventType, target: [appTarget(app), secretChange([secret, null])] });
    }
    const { secret, stored } = await makeClientSecret(tx, masterKey, context, appId);
    const eventType = 'app.oauth2.credentials.lifecycle.create';
    record({ eventType, target: [appTarget(app), secretChange([null, stored])] });
    return { ...(await showApp(ports, tx, context, app)), clientSecret: secret };
  });
}
