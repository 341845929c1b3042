import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { findProviderForUpdate, type Provider } from './store.ts';

/** 404 E0000007 when the org has none of this id. */
export async function lockProvider(tx: Tx, context: Context, id: string): Promise<Provider> {
  const provider = await findProviderForUpdate(tx, context.orgId, id);
  if (provider === undefined) throw notFound(id, 'IdentityProvider');
  return provider;
}
