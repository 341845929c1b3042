import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../lists/get-app.ts';
import { isClientApp } from '../store.ts';
import { findApprovals } from './approval-store.ts';
import type { ShownApproval } from './approval-wire.ts';

export async function listApprovals(
  db: Db,
  context: Context,
  within: Grant,
  appId: AppId,
): Promise<readonly ShownApproval[]> {
  const app = await getApp(db, context, within, appId);
  if (!isClientApp(app)) throw notFound(appId, 'OAuth2AppInstance');
  return (await findApprovals(db, context.orgId, appId)).map((approval) => ({ app, approval }));
}

export async function getApproval(
  db: Db,
  context: Context,
  within: Grant,
  appId: AppId,
  approvalId: string,
): Promise<ShownApproval> {
  const shown = (await listApprovals(db, context, within, appId)).find(({ approval }) => approval.id === approvalId);
  if (shown === undefined) throw notFound(approvalId, 'AbsentUserApproval');
  return shown;
}
