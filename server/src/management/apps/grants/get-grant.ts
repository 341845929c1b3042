import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../lists/get-app.ts';
import type { App } from '../store.ts';
import { findGrants, type ScopeGrant } from './grant-store.ts';

export interface GrantsOfApp {
  readonly app: App;
  readonly grants: readonly ScopeGrant[];
}

export async function listGrants(db: Db, context: Context, within: Grant, appId: AppId): Promise<GrantsOfApp> {
  const [app, grants] = await Promise.all([getApp(db, context, within, appId), findGrants(db, context.orgId, appId)]);
  return { app, grants };
}

export async function getGrant(
  db: Db,
  context: Context,
  within: Grant,
  appId: AppId,
  grantId: string,
): Promise<{ readonly app: App; readonly grant: ScopeGrant }> {
  const { app, grants } = await listGrants(db, context, within, appId);
  const grant = grants.find(({ id }) => id === grantId);
  if (grant === undefined) throw notFound(grantId, 'OAuth2ScopeConsentGrant');
  return { app, grant };
}
