import { notFound } from '../../kernel/errors.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { type App, findApp } from '../../management/apps/index.ts';
import type { Db } from '../../platform/postgres/index.ts';

/** 404 E0000007 for what is no OAuth client of the org. */
export async function assertClient(db: Db, orgId: OrgId, id: string): Promise<App> {
  const app = await findApp(db, orgId, id);
  if (app === undefined || app.applicationType === null) throw notFound(id, 'OAuth2AppInstance');
  return app;
}
