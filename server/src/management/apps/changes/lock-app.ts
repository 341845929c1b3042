import { coversApp } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { type AppId, type ClientId, mayBeClientId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { assertMayActOnClient } from '../clients/client-guard.ts';
import { APPS, type App, type ClientApp, findAppOfClient, isClientApp } from '../store.ts';

export const ALL_APPS: Grant = { kind: 'all' };

export function assertCovered(grant: Grant, { id, document: { name } }: App): void {
  if (!coversApp(grant, { id, name })) throw apiError('E0000006');
}

/** Loads, locks and checks the app that is about to change. */
export async function lockApp(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<App> {
  const app = await APPS.findForUpdate(tx, context.orgId, id);
  if (app === undefined) throw notFound(id, 'AppInstance');
  assertCovered(grant, app);
  await assertMayActOnClient(tx, context, app.clientId);
  return app;
}

export async function appIdOfClient(db: Db, { orgId }: Context, clientId: ClientId): Promise<AppId> {
  const app = mayBeClientId(clientId) ? await findAppOfClient(db, orgId, clientId) : undefined;
  if (app === undefined) throw notFound(clientId, 'AppInstance');
  return app.id;
}

export async function lockClient(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<ClientApp> {
  const app = await lockApp(tx, context, id, grant);
  if (!isClientApp(app)) throw notFound(id, 'OAuth2AppInstance');
  return app;
}
