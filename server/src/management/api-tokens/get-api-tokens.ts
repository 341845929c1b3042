import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { oldestLivingUse } from './rules.ts';
import { type ApiToken, findApiToken, readApiTokens } from './store.ts';

export interface ListApiTokensQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Leaves out expired tokens. */
export function listApiTokens(
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  context: Context,
  query: ListApiTokensQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<ApiToken>> {
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listApiTokens', ...query, query: rawQuery },
    (token: ApiToken) => token.id,
    (request) => readApiTokens(ports.db, context.orgId, oldestLivingUse(context.now), request),
  );
}

export async function getApiToken(db: Db, context: Context, id: string): Promise<ApiToken> {
  const token = await findApiToken(db, context.orgId, id, oldestLivingUse(context.now));
  if (token === undefined) throw notFound(id, 'ApiToken');
  return token;
}
