import type { Context } from '../../../kernel/context.ts';
import { invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { assertMayProveClient } from '../clients/client-guard.ts';
import { type CredentialAction, credentialLifecycle, statusAfter } from '../credentials/client-credential-lifecycle.ts';
import { appTarget } from '../target.ts';
import { findSecrets, updateSecretStatus } from './secret-store.ts';
import { type StoredSecret, secretChange, secretVersion } from './secret-stored.ts';

export function changeSecretStatus(
  work: Work,
  context: Context,
  grant: Grant,
  appId: AppId,
  secretId: string,
  action: CredentialAction,
): Promise<StoredSecret> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, grant);
    await assertMayProveClient(tx, context, app);
    const secrets = await findSecrets(tx, orgId, appId);
    const before = secrets.find(({ id }) => id === secretId);
    if (before === undefined) throw notFound(secretId, 'ClientSecret');
    assertVersion(context, secretVersion(before));
    if (!credentialLifecycle.allows(before.status, action)) return before;
    if (action === 'deactivate' && !secrets.some(({ id, status }) => id !== secretId && status === 'ACTIVE')) {
      throw invalidObject('OAuth2ClientSecretMediated', ["You can't deactivate the only active client secret."]);
    }
    const lastUpdatedAt = wholeSecond(context.now);
    const after = { ...before, status: statusAfter(action), lastUpdatedAt, revision: before.revision + 1 };
    await updateSecretStatus(tx, orgId, appId, after);
    record({
      eventType: credentialLifecycle.table[action].event,
      target: [appTarget(app), secretChange([before, after])],
    });
    return after;
  });
}
