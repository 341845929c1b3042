import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors.ts';
import type { AppId } from '../../../kernel/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../get-app.ts';
import type { SigningKey } from './signing-key.ts';
import { findSigningKey, findSigningKeys } from './signing-key-store.ts';

/** Keys that sign, or can sign, for an app, oldest first. 404 E0000007; 403 E0000006 outside the grant. */
export async function listSigningKeys(db: Db, context: Context, grant: Grant, appId: AppId): Promise<SigningKey[]> {
  await getApp(db, context, grant, appId);
  return findSigningKeys(db, context.orgId, appId);
}

/** 404 E0000007; 403 E0000006 outside the grant. */
export async function getSigningKey(
  db: Db,
  context: Context,
  grant: Grant,
  appId: AppId,
  kid: string,
): Promise<SigningKey> {
  await getApp(db, context, grant, appId);
  const key = await findSigningKey(db, context.orgId, appId, kid);
  if (key === undefined) throw notFound(kid, 'JsonWebKey');
  return key;
}
