import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery, resource, statusChange } from '../resource/index.ts';
import { readProviderType } from './documents/type-rules.ts';
import { providerLifecycle } from './lifecycle.ts';
import { MAXIMUM_PROVIDERS, PROVIDERS, type Provider, type ProviderQuery, readProviders } from './store.ts';
import { providerChange, providerVersion } from './wire.ts';

export const providers = resource<Provider>({
  noun: 'IdentityProvider',
  store: PROVIDERS,
  version: providerVersion,
  target: providerChange,
  events: {
    create: 'system.idp.lifecycle.create',
    update: 'system.idp.lifecycle.update',
    delete: 'system.idp.lifecycle.delete',
  },
  limit: { maximum: MAXIMUM_PROVIDERS, field: 'name', plural: 'identity providers' },
});

export const getProvider = providers.get;
export const changeProviderStatus = statusChange(providers, providerLifecycle);

export interface ListProvidersQuery extends PageQuery {
  readonly q: string | undefined;
  readonly type: string | undefined;
}

export async function listProviders(
  ports: ListPorts,
  context: Context,
  query: ListProvidersQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<Provider>> {
  const { q, type } = query;
  const wanted: ProviderQuery = {
    q: q ?? null,
    type: type === undefined ? null : readProviderType(type, context.namespace.upper),
  };
  return pageById(ports, context, 'listIdentityProviders', query, rawQuery, (request) =>
    readProviders(ports.db, context.orgId, wanted, request),
  );
}
