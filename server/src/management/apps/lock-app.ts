import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { assertMayActOnClient } from './client-guard.ts';
import { type App, findAppForUpdate } from './store.ts';

/**
 * Loads and locks the app a change is about. 404 E0000007 for an id that the org does not have; 403 E0000006 where its
 * client holds more as an administrator than the caller does, since whoever changes it could act as it.
 */
export async function lockApp(tx: Tx, context: Context, id: string): Promise<App> {
  const app = await findAppForUpdate(tx, context.orgId, id);
  if (app === undefined) throw notFound(id, 'AppInstance');
  await assertMayActOnClient(tx, context, id);
  return app;
}
