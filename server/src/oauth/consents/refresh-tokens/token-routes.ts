import { type TObject, type TString, Type } from '@sinclair/typebox';
import { type AnyRoute, expansion, noContent, ok, page, route } from '../../../platform/http/index.ts';
import { RefreshTokenListSchema, RefreshTokenSchema } from '../contract.ts';
import type { ConsentsPorts } from '../ports.ts';
import { pageFields, pageOf } from '../route-declarations.ts';
import { wireRefreshToken } from '../wire.ts';
import { getToken, listTokens, revokeToken, revokeTokens } from './refresh-tokens.ts';
import { TOKEN_FAMILIES, type TokenFamily } from './token-families.ts';

const expand = { expand: expansion('`scope` embeds the scopes.', ['scope']) };

const paramsOf = (names: readonly string[]): TObject<Record<string, TString>> =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));

function declarationsOf(family: TokenFamily) {
  const { appliesGrant, cors, params, resource, tag, url } = family;
  const bucket = resource === 'users' ? 'user' : 'management';
  const common = { tag, access: 'authenticated', bucket, cors, appliesGrant } as const;
  return {
    reading: { ...common, scopes: [`${resource}.read`], permission: `${resource}.read` },
    managing: { ...common, scopes: [`${resource}.manage`], permission: `${resource}.manage` },
    ends: { response: { status: 204, schema: null }, errors: ['E0000006', 'E0000007'] } as const,
    collection: { url, params: paramsOf(params) },
    single: { url: `${url}/:tokenId`, params: paramsOf([...params, 'tokenId']) },
  };
}

const tokenIdOf = (params: Readonly<Record<string, string>>) => ({ ...params, tokenId: params['tokenId'] ?? '' });

function readingRoutes(ports: ConsentsPorts, family: TokenFamily): AnyRoute[] {
  const { collection, reading, single } = declarationsOf(family);
  return [
    route({
      ...reading,
      ...collection,
      operationId: family.operations.list,
      method: 'GET',
      summary: 'List all refresh tokens',
      query: { ...expand, ...pageFields(family.defaultLimit) },
      response: { status: 200, schema: RefreshTokenListSchema },
      errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
      handler: async ({ context, grant, params, query, rawQuery }) => {
        const asked = pageOf(query, rawQuery);
        const found = await listTokens(ports, family, context, grant, params, query.expand === 'scope', asked);
        return page(
          found.rows.map((token) => wireRefreshToken(token, context, found.place.collection, found.embedded)),
          found.links,
        );
      },
    }),
    route({
      ...reading,
      ...single,
      operationId: family.operations.get,
      method: 'GET',
      summary: 'Retrieve a refresh token',
      query: expand,
      response: { status: 200, schema: RefreshTokenSchema },
      errors: ['E0000001', 'E0000006', 'E0000007'],
      handler: async ({ context, grant, params, query }) => {
        const isExpanded = query.expand === 'scope';
        const found = await getToken(ports, family, context, grant, tokenIdOf(params), isExpanded);
        return ok(wireRefreshToken(found.token, context, found.place.collection, found.embedded));
      },
    }),
  ];
}

function endingRoutes(ports: ConsentsPorts, family: TokenFamily): AnyRoute[] {
  const { collection, ends, managing, single } = declarationsOf(family);
  return [
    route({
      ...managing,
      ...collection,
      ...ends,
      operationId: family.operations.revokeAll,
      method: 'DELETE',
      summary: 'Revoke all refresh tokens',
      handler: async ({ context, grant, params }) => {
        await revokeTokens(ports, family, context, grant, params);
        return noContent();
      },
    }),
    route({
      ...managing,
      ...single,
      ...ends,
      operationId: family.operations.revoke,
      method: 'DELETE',
      summary: 'Revoke a refresh token',
      handler: async ({ context, grant, params }) => {
        await revokeToken(ports, family, context, grant, tokenIdOf(params));
        return noContent();
      },
    }),
  ];
}

export const tokenRoutes = (ports: ConsentsPorts): AnyRoute[] =>
  TOKEN_FAMILIES.flatMap((family) => [...readingRoutes(ports, family), ...endingRoutes(ports, family)]);
