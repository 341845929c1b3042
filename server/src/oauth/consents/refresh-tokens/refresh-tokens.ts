import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { tokenRevokeEvent, tokensRevokeEvent } from '../events.ts';
import { type EmbeddedScope, findEmbeddedScopes } from '../grants/client-store.ts';
import type { ConsentsPorts, PageQuery } from '../ports.ts';
import { findToken, readTokens, removeTokens, type ShownToken } from './refresh-token-store.ts';
import type { Params, TokenFamily, TokensPlace } from './token-families.ts';

const missing = (id: string) => notFound(id, 'OAuth2RefreshToken');

function embeddedOf(
  { db }: ConsentsPorts,
  { orgId }: Context,
  tokens: readonly ShownToken[],
  isExpanded: boolean,
): Promise<readonly EmbeddedScope[]> | null {
  if (!isExpanded) return null;
  const serverIds = [...new Set(tokens.map(({ serverId }) => serverId))].filter((id) => id !== '');
  const names = [...new Set(tokens.flatMap(({ scopes }) => scopes))];
  return findEmbeddedScopes(db, orgId, serverIds, names);
}

export interface FoundTokens extends KeysetPage<ShownToken> {
  readonly place: TokensPlace;
  readonly embedded: readonly EmbeddedScope[] | null;
}

export async function listTokens(
  ports: ConsentsPorts,
  family: TokenFamily,
  context: Context,
  within: Grant,
  params: Params,
  isExpanded: boolean,
  { raw, ...page }: PageQuery,
): Promise<FoundTokens> {
  const { now, orgId } = context;
  const place = await family.find(ports, context, within, params);
  const found = await keysetPage(
    ports.cursors,
    { orgId, list: `${family.operations.list} ${place.collection}`, ...page, query: raw },
    (token: ShownToken) => token.id,
    (request) => readTokens(ports.db, orgId, place.of, now, request),
  );
  return { ...found, place, embedded: await embeddedOf(ports, context, found.rows, isExpanded) };
}

export async function getToken(
  ports: ConsentsPorts,
  family: TokenFamily,
  context: Context,
  within: Grant,
  { tokenId, ...params }: Params & { readonly tokenId: string },
  isExpanded: boolean,
): Promise<{ token: ShownToken; place: TokensPlace; embedded: readonly EmbeddedScope[] | null }> {
  const place = await family.find(ports, context, within, params);
  const token = await findToken(ports.db, context.orgId, place.of, tokenId, context.now);
  if (token === undefined) throw missing(tokenId);
  return { token, place, embedded: await embeddedOf(ports, context, [token], isExpanded) };
}

export async function revokeTokens(
  ports: ConsentsPorts,
  family: TokenFamily,
  context: Context,
  within: Grant,
  params: Params,
): Promise<void> {
  await ports.work(context, async (tx, record) => {
    const { client, of, others } = await family.lock(ports, tx, context, within, params);
    const count = await removeTokens(tx, context.orgId, of);
    if (count > 0) record(tokensRevokeEvent(client, others, count));
  });
}

export async function revokeToken(
  ports: ConsentsPorts,
  family: TokenFamily,
  context: Context,
  within: Grant,
  { tokenId, ...params }: Params & { readonly tokenId: string },
): Promise<void> {
  const { now, orgId } = context;
  await ports.work(context, async (tx, record) => {
    const { of } = await family.lock(ports, tx, context, within, params);
    const token = await findToken(tx, orgId, of, tokenId, now);
    if (token === undefined || (await removeTokens(tx, orgId, of, tokenId)) === 0) throw missing(tokenId);
    record(tokenRevokeEvent(token));
  });
}
