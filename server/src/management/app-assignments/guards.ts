import { coversApp } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError, notFound } from '../../kernel/errors/errors.ts';
import type { AppId } from '../../kernel/words/ids.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type AssignableApp, findAssignableApp } from './links/app-store.ts';

export function grantedApp(app: AssignableApp | undefined, id: string, grant: Grant): AssignableApp {
  if (app === undefined) throw notFound(id, 'AppInstance');
  if (!coversApp(grant, app)) throw apiError('E0000006');
  return app;
}

export const readableApp = async (db: Db, context: Context, grant: Grant, appId: AppId): Promise<AssignableApp> =>
  grantedApp(await findAssignableApp(db, context.orgId, appId), appId, grant);
