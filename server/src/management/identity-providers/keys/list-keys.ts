import type { Context } from '../../../kernel/context.ts';
import { type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { ListPorts, PageQuery, RawQuery } from '../../resource/index.ts';
import { PROVIDER_KEYS, type ProviderKey } from './key-store.ts';

export const listKeys = (
  { cursors, db }: ListPorts,
  { orgId }: Context,
  { after, before, limit }: PageQuery,
  query: RawQuery,
): Promise<KeysetPage<ProviderKey>> =>
  keysetPage(
    cursors,
    { orgId, list: 'listIdentityProviderKeys', limit, after, before, query },
    (key: ProviderKey) => key.kid,
    (request) => PROVIDER_KEYS.readPage(db, orgId, [], request, 'kid'),
  );
