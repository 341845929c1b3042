import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../lists/get-app.ts';
import type { Csr } from './csr.ts';
import { findCsrs } from './csr-store.ts';

export async function listCsrs(db: Db, context: Context, grant: Grant, appId: AppId): Promise<Csr[]> {
  await getApp(db, context, grant, appId);
  return findCsrs(db, context.orgId, appId);
}

export async function getCsr(db: Db, context: Context, grant: Grant, appId: AppId, csrId: string): Promise<Csr> {
  const csr = (await listCsrs(db, context, grant, appId)).find(({ id }) => id === csrId);
  if (csr === undefined) throw notFound(csrId, 'Csr');
  return csr;
}
