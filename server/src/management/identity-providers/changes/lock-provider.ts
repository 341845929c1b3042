import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { findProviderForUpdate, type Provider } from '../store.ts';
import { providerVersion } from '../wire.ts';

/** 404 E0000007 when the org has none of this id; 412 E0000231 where the client has another version. */
export async function lockProvider(tx: Tx, context: Context, id: string): Promise<Provider> {
  const provider = await findProviderForUpdate(tx, context.orgId, id);
  if (provider === undefined) throw notFound(id, 'IdentityProvider');
  assertVersion(context, providerVersion(provider));
  return provider;
}
