import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { assertCovered } from '../changes/lock-app.ts';
import { type App, findApp } from '../store.ts';

export async function getApp(db: Db, context: Context, grant: Grant, id: AppId): Promise<App> {
  const app = await findApp(db, context.orgId, id);
  if (app === undefined) throw notFound(id, 'AppInstance');
  assertCovered(grant, app);
  return app;
}
