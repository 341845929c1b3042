import { coversApp, grantOf } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { AppsPorts } from '../changes/create-app.ts';
import { assertCovered } from '../changes/lock-app.ts';
import { mayActOnClient, mayProveClient } from '../clients/client-guard.ts';
import { type App, findApp } from '../store.ts';
import { appTarget } from '../target.ts';
import { findSecrets } from './secret-store.ts';
import { openSecret, type StoredSecret, secretTarget } from './secret-stored.ts';

export interface ReadSecret {
  readonly secret: StoredSecret;
  /** This is null when the response must not show the value. */
  readonly value: string | null;
}

function maySeeSecretsOf({ roles }: Context, { document: { name }, id }: App): boolean {
  const shown = grantOf(roles, 'apps.secrets.read');
  return shown !== null && coversApp(shown, { id, name });
}

/**
 * Reads the secrets of an app that pass `isWanted`. A secret lets its holder act as the client. Therefore, its value is
 * shown only to callers who may read secrets, have all of the client's rights and pass `mayProveClient`.
 */
function readSecrets(
  { work, masterKey }: AppsPorts,
  context: Context,
  grant: Grant,
  appId: AppId,
  isWanted: (secret: StoredSecret) => boolean,
): Promise<ReadSecret[]> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const [app, stored] = await Promise.all([findApp(tx, orgId, appId), findSecrets(tx, orgId, appId)]);
    if (app === undefined) throw notFound(appId, 'AppInstance');
    assertCovered(grant, app);
    const secrets = stored.filter(isWanted);
    const maySee =
      maySeeSecretsOf(context, app) &&
      (await mayActOnClient(tx, context, app.clientId)) &&
      (await mayProveClient(tx, context, app));
    if (!maySee || secrets.length === 0) return secrets.map((secret) => ({ secret, value: null }));
    record({
      eventType: 'app.oauth2.client.read_client_secret',
      target: [appTarget(app), ...secrets.map(secretTarget)],
    });
    return secrets.map((secret) => ({ secret, value: openSecret(masterKey, orgId, appId, secret) }));
  });
}

export const listSecrets = (ports: AppsPorts, context: Context, grant: Grant, appId: AppId): Promise<ReadSecret[]> =>
  readSecrets(ports, context, grant, appId, () => true);

export async function getSecret(
  ports: AppsPorts,
  context: Context,
  grant: Grant,
  appId: AppId,
  secretId: string,
): Promise<ReadSecret> {
  const [found] = await readSecrets(ports, context, grant, appId, ({ id }) => id === secretId);
  if (found === undefined) throw notFound(secretId, 'ClientSecret');
  return found;
}
