import type { Context } from '../../../kernel/context.ts';
import { invalidObject } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { AppsPorts } from '../changes/create-app.ts';
import { lockClient } from '../changes/lock-app.ts';
import { assertMayProveClient } from '../clients/client-guard.ts';
import type { AppStatus } from '../lifecycle.ts';
import { appTarget } from '../target.ts';
import { makeClientSecret } from './make-secret.ts';
import { MAXIMUM_SECRETS, readGivenSecret } from './secret-rules.ts';
import { findSecrets } from './secret-store.ts';
import { type StoredSecret, secretChange } from './secret-stored.ts';

export interface NewSecret {
  readonly client_secret?: string;
  readonly status?: AppStatus;
}

const refuse = (cause: string) => invalidObject('OAuth2ClientSecretMediated', [cause]);

export function createSecret(
  { work, masterKey }: AppsPorts,
  context: Context,
  grant: Grant,
  appId: AppId,
  { client_secret: given, status = 'ACTIVE' }: NewSecret,
): Promise<{ readonly secret: StoredSecret; readonly value: string }> {
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, grant);
    await assertMayProveClient(tx, context, app);
    const method = app.document.credentials.oauthClient.token_endpoint_auth_method;
    const brought = given === undefined ? undefined : readGivenSecret(given, method);
    const secrets = await findSecrets(tx, context.orgId, appId);
    if (secrets.length >= MAXIMUM_SECRETS) {
      throw refuse("You've reached the maximum number of client secrets per client.");
    }
    if (status === 'INACTIVE' && !secrets.some((secret) => secret.status === 'ACTIVE')) {
      throw refuse('A client needs an active secret, so its first one cannot be INACTIVE.');
    }
    const { secret, stored } = await makeClientSecret(tx, masterKey, context, appId, brought, status);
    record({
      eventType: 'app.oauth2.credentials.lifecycle.create',
      target: [appTarget(app), secretChange([null, stored])],
    });
    return { secret: stored, value: secret };
  });
}
