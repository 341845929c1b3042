import { notFound } from '../../../kernel/errors/errors.ts';
import type { ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { type App, findAppOfClient } from '../../../management/apps/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';

export async function assertClient(db: Db, orgId: OrgId, id: ClientId): Promise<App> {
  const app = await findAppOfClient(db, orgId, id);
  if (app === undefined || app.applicationType === null) throw notFound(id, 'OAuth2AppInstance');
  return app;
}
