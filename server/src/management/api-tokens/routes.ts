import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  route,
  versioned,
} from '../../platform/http/index.ts';
import type { ApiTokens } from './api-tokens.ts';
import { revokeApiToken, revokeCurrentApiToken } from './changes/revoke-api-token.ts';
import { updateApiToken } from './changes/update-api-token.ts';
import { ApiTokenIdParams, ApiTokenListSchema, ApiTokenSchema, ApiTokenUpdateBody } from './contract.ts';
import { getApiToken, listApiTokens } from './get-api-tokens.ts';
import type { ApiToken } from './store.ts';
import { apiTokenVersion, wireApiToken } from './wire.ts';

export interface ApiTokenRoutesPorts {
  readonly apiTokens: ApiTokens;
}

const common = { tag: 'ApiToken', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['apiTokens.read'], permission: 'apiTokens.read' } as const;
const managing = { ...common, scopes: ['apiTokens.manage'], permission: 'apiTokens.manage' } as const;
const collection = '/api/v1/api-tokens';
const single = `${collection}/:apiTokenId`;

const answer = (apiToken: ApiToken, context: Context): Answer =>
  versioned(apiTokenVersion(apiToken), wireApiToken(apiToken, context));

const listRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listApiTokens',
    method: 'GET',
    url: collection,
    summary: 'List all API token metadata',
    query: {
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: ApiTokenListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listApiTokens(apiTokens, context, query, rawQuery);
      return page(
        rows.map((token) => wireApiToken(token, context)),
        links,
      );
    },
  });

const getRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApiToken',
    method: 'GET',
    url: single,
    summary: "Retrieve an API token's metadata",
    params: ApiTokenIdParams,
    response: { status: 200, schema: ApiTokenSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      answer(await getApiToken(apiTokens.db, context, params.apiTokenId), context),
  });

const updateRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'upsertApiToken',
    method: 'PUT',
    url: single,
    summary: 'Update the name or network condition of an API token',
    params: ApiTokenIdParams,
    body: ApiTokenUpdateBody,
    response: { status: 200, schema: ApiTokenSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(await updateApiToken(apiTokens, context, params.apiTokenId, body), context),
  });

const revokeRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'revokeApiToken',
    method: 'DELETE',
    url: single,
    summary: 'Revoke an API token',
    params: ApiTokenIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await revokeApiToken(apiTokens, context, params.apiTokenId);
      return noContent();
    },
  });

const revokeCurrentRoute = ({ apiTokens }: ApiTokenRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'revokeCurrentApiToken',
    scopes: [],
    method: 'DELETE',
    url: `${collection}/current`,
    summary: 'Revoke the current API token',
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context }) => {
      await revokeCurrentApiToken(apiTokens, context);
      return noContent();
    },
  });

export const apiTokenRoutes = (ports: ApiTokenRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  revokeCurrentRoute(ports),
  getRoute(ports),
  updateRoute(ports),
  revokeRoute(ports),
];
