import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../lists/get-app.ts';
import { findInlineKeys } from './jwk-store.ts';
import type { StoredKey } from './jwk-stored.ts';

export async function listKeys(db: Db, context: Context, grant: Grant, appId: AppId): Promise<StoredKey[]> {
  const [keys] = await Promise.all([findInlineKeys(db, context.orgId, appId), getApp(db, context, grant, appId)]);
  return keys;
}

export async function getKey(db: Db, context: Context, grant: Grant, appId: AppId, keyId: string): Promise<StoredKey> {
  const key = (await listKeys(db, context, grant, appId)).find(({ id }) => id === keyId);
  if (key === undefined) throw notFound(keyId, 'JsonWebKey');
  return key;
}
