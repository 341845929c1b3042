import { coversApp } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { type AppId, type ClientId, mayBeClientId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { assertMayActOnClient } from '../clients/client-guard.ts';
import { APPS, type App, type ClientApp, findAppOfClient, isClientApp } from '../store.ts';

/** The grant of the service itself, which has no limits. */
export const ALL_APPS: Grant = { kind: 'all' };

/** Throws 403 E0000006 for an app that the caller's roles do not cover. */
export function assertCovered(grant: Grant, { id, document: { name } }: App): void {
  if (!coversApp(grant, { id, name })) throw apiError('E0000006');
}

/**
 * Loads and locks the app that is about to change. Throws 404 E0000007 if the org has no such app, and 403 E0000006 if
 * the app is outside the grant or the app's client has rights that the caller lacks.
 */
export async function lockApp(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<App> {
  const app = await APPS.findForUpdate(tx, context.orgId, id);
  if (app === undefined) throw notFound(id, 'AppInstance');
  assertCovered(grant, app);
  await assertMayActOnClient(tx, context, app.clientId);
  return app;
}

/** Finds an app's id by client id. Throws 404 E0000007 if there is no such app. */
export async function appIdOfClient(db: Db, { orgId }: Context, clientId: ClientId): Promise<AppId> {
  const app = mayBeClientId(clientId) ? await findAppOfClient(db, orgId, clientId) : undefined;
  if (app === undefined) throw notFound(clientId, 'AppInstance');
  return app.id;
}

/** Loads and locks an app like `lockApp`. Also throws 404 E0000007 if the app is not an OAuth client. */
export async function lockClient(tx: Tx, context: Context, id: AppId, grant: Grant = ALL_APPS): Promise<ClientApp> {
  const app = await lockApp(tx, context, id, grant);
  if (!isClientApp(app)) throw notFound(id, 'OAuth2AppInstance');
  return app;
}
