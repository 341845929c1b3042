import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findTrustedOrigin, type TrustedOrigin } from './store.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getTrustedOrigin(db: Db, context: Context, id: string): Promise<TrustedOrigin> {
  const origin = await findTrustedOrigin(db, context.orgId, id);
  if (origin === undefined) throw notFound(id, 'TrustedOrigin');
  return origin;
}
