import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findInlineKeys } from './jwk-store.ts';
import type { StoredKey } from './jwk-stored.ts';
import { findApp } from './store.ts';

/** Keys that are registered with an app, oldest first. 404 E0000007. */
export async function listKeys(db: Db, context: Context, appId: string): Promise<StoredKey[]> {
  const [app, keys] = await Promise.all([findApp(db, context.orgId, appId), findInlineKeys(db, context.orgId, appId)]);
  if (app === undefined) throw notFound(appId, 'AppInstance');
  return keys;
}

/** One key of an app. 404 E0000007. */
export async function getKey(db: Db, context: Context, appId: string, keyId: string): Promise<StoredKey> {
  const key = (await listKeys(db, context, appId)).find(({ id }) => id === keyId);
  if (key === undefined) throw notFound(keyId, 'JsonWebKey');
  return key;
}
