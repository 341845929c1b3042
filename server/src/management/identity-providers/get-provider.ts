import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { readProviderType } from './documents/type-rules.ts';
import { findProvider, type Provider, type ProviderQuery, readProviders } from './store.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getProvider(db: Db, context: Context, id: string): Promise<Provider> {
  const provider = await findProvider(db, context.orgId, id);
  if (provider === undefined) throw notFound(id, 'IdentityProvider');
  return provider;
}

export interface ListProvidersQuery {
  readonly q: string | undefined;
  readonly type: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's identity providers, by id. 400 E0000001 for a cursor or an unknown type. */
export async function listProviders(
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  context: Context,
  query: ListProvidersQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<Provider>> {
  const { limit, after, before, q, type } = query;
  const wanted: ProviderQuery = {
    q: q ?? null,
    type: type === undefined ? null : readProviderType(type, context.namespace.upper),
  };
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listIdentityProviders', limit, after, before, query: rawQuery },
    (provider: Provider) => provider.id,
    (request) => readProviders(ports.db, context.orgId, wanted, request),
  );
}
