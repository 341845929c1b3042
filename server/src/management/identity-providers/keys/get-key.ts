import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findKey, type ProviderKey, readKeys } from './key-store.ts';

/** 404 E0000007 when the org has none of this kid. */
export async function getKey(db: Db, context: Context, kid: string): Promise<ProviderKey> {
  const key = await findKey(db, context.orgId, kid);
  if (key === undefined) throw notFound(kid, 'IdpKeyCredential');
  return key;
}

export interface ListKeysQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's keys of identity providers, by kid. 400 E0000001 for a cursor. */
export const listKeys = (
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  context: Context,
  { limit, after, before }: ListKeysQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<ProviderKey>> =>
  keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listIdentityProviderKeys', limit, after, before, query: rawQuery },
    (key: ProviderKey) => key.kid,
    (request) => readKeys(ports.db, context.orgId, request),
  );
