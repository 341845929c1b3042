import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findInlineKeys } from './jwk-store.ts';
import { findApp } from './store.ts';
import type { AppWithKeys } from './wire.ts';

/** An app and its keys. 404 E0000007 when the org has none of this id. */
export async function getApp(db: Db, context: Context, id: string): Promise<AppWithKeys> {
  const [app, keys] = await Promise.all([findApp(db, context.orgId, id), findInlineKeys(db, context.orgId, id)]);
  if (app === undefined) throw notFound(id, 'AppInstance');
  return { app, keys };
}
