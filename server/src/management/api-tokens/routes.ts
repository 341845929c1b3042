import { type AnyRoute, noContent, paging, resourceRoutes, route } from '../../platform/http/index.ts';
import type { ApiTokens } from './api-tokens.ts';
import { revokeApiToken, revokeCurrentApiToken } from './changes/revoke-api-token.ts';
import { updateApiToken } from './changes/update-api-token.ts';
import { ApiTokenIdParams, ApiTokenListSchema, ApiTokenSchema, ApiTokenUpdateBody } from './contract.ts';
import { getApiToken, listApiTokens } from './get-api-tokens.ts';
import { apiTokenVersion, wireApiToken } from './wire.ts';

export interface ApiTokenRoutesPorts {
  readonly apiTokens: ApiTokens;
}

const tokens = resourceRoutes({
  tag: 'ApiToken',
  name: 'ApiToken',
  one: 'an API token',
  all: 'all API token metadata',
  scope: 'apiTokens',
  url: '/api/v1/api-tokens/:apiTokenId',
  params: ApiTokenIdParams,
  schema: ApiTokenSchema,
  wire: wireApiToken,
  version: apiTokenVersion,
});

/** This route needs no permission, because the holder of a token may revoke it. */
const revokeCurrentRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    tag: 'ApiToken',
    operationId: 'revokeCurrentApiToken',
    access: 'authenticated',
    scopes: [],
    bucket: 'management',
    cors: false,
    method: 'DELETE',
    url: '/api/v1/api-tokens/current',
    summary: 'Revoke the current API token',
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context }) => {
      await revokeCurrentApiToken(apiTokens, context);
      return noContent();
    },
  });

export const apiTokenRoutes = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute[] => [
  tokens.list({
    query: paging({ default: 200, maximum: 200 }),
    schema: ApiTokenListSchema,
    use: ({ context, query, rawQuery }) => listApiTokens(apiTokens, context, query, rawQuery),
  }),
  revokeCurrentRoute({ apiTokens }),
  tokens.get({
    summary: "Retrieve an API token's metadata",
    use: ({ context, params }) => getApiToken(apiTokens.db, context, params.apiTokenId),
  }),
  tokens.replace({
    operationId: 'upsertApiToken',
    summary: 'Update the name or network condition of an API token',
    body: ApiTokenUpdateBody,
    errors: ['E0000006'],
    use: ({ context, params, body }) => updateApiToken(apiTokens, context, params.apiTokenId, body),
  }),
  tokens.delete({
    operationId: 'revokeApiToken',
    summary: 'Revoke an API token',
    errors: ['E0000006'],
    use: ({ context, params }) => revokeApiToken(apiTokens, context, params.apiTokenId),
  }),
];
