import { coversApp } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { type AppId, type ClientId, mayBeClientId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { assertMayActOnClient } from '../clients/client-guard.ts';
import { type App, type ClientApp, findAppForUpdate, findAppOfClient, isClientApp } from '../store.ts';

/** For the service itself, whom nothing narrows. */
export const ALL_APPS: Grant = { kind: 'all' };

/** 403 E0000006 for an app that the caller's roles do not reach. */
export function assertCovered(grant: Grant, { id, document: { name } }: App): void {
  if (!coversApp(grant, { id, name })) throw apiError('E0000006');
}

/**
 * Loads and locks the app a change is about. 404 E0000007 for an id that the org does not have; 403 E0000006 outside
 * the grant, and where its client holds more as an administrator than the caller does, since whoever changes it could
 * act as it.
 */
export async function lockApp(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<App> {
  const app = await findAppForUpdate(tx, context.orgId, id);
  if (app === undefined) throw notFound(id, 'AppInstance');
  assertCovered(grant, app);
  await assertMayActOnClient(tx, context, app.clientId);
  return app;
}

/** The id of the app whose client is called so: it never becomes another's. 404 E0000007. */
export async function appIdOfClient(db: Db, { orgId }: Context, clientId: ClientId): Promise<AppId> {
  const app = mayBeClientId(clientId) ? await findAppOfClient(db, orgId, clientId) : undefined;
  if (app === undefined) throw notFound(clientId, 'AppInstance');
  return app.id;
}

/** The same for what only OAuth clients have. 404 E0000007 also for an app of another kind. */
export async function lockClient(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<ClientApp> {
  const app = await lockApp(tx, context, id, grant);
  if (!isClientApp(app)) throw notFound(id, 'OAuth2AppInstance');
  return app;
}
