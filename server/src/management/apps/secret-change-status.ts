import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import type { Work } from '../../system-log/index.ts';
import { type CredentialAction, credentialLifecycle, statusAfter } from './client-credential-lifecycle.ts';
import { assertMayProveClient } from './client-guard.ts';
import { lockApp } from './lock-app.ts';
import { findSecrets, updateSecretStatus } from './secret-store.ts';
import { type StoredSecret, secretChange } from './secret-stored.ts';
import { appTarget } from './target.ts';

/**
 * Activates or deactivates a secret; one that is so already stays as it is, without an event. 404 E0000007; 400
 * E0000001 for the only active one; 403 E0000006 for the app of a greater administrator.
 */
export function changeSecretStatus(
  work: Work,
  context: Context,
  appId: string,
  secretId: string,
  action: CredentialAction,
): Promise<StoredSecret> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId);
    await assertMayProveClient(tx, context, appId);
    const secrets = await findSecrets(tx, orgId, appId);
    const before = secrets.find(({ id }) => id === secretId);
    if (before === undefined) throw notFound(secretId, 'ClientSecret');
    if (!credentialLifecycle.allows(before.status, action)) return before;
    if (action === 'deactivate' && !secrets.some(({ id, status }) => id !== secretId && status === 'ACTIVE')) {
      throw invalid('OAuth2ClientSecretMediated', 'The only active secret of a client must stay active.');
    }
    const after = { ...before, status: statusAfter(action), lastUpdatedAt: wholeSecond(context.now) };
    await updateSecretStatus(tx, orgId, appId, after);
    record({
      eventType: credentialLifecycle.table[action].event,
      target: [appTarget(app), secretChange([before, after])],
    });
    return after;
  });
}
