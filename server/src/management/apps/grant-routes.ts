import { type AnyRoute, choice, created, noContent, ok, route } from '../../platform/http/index.ts';
import { AppIdParams } from './contract.ts';
import { GrantBody, GrantIdParams, GrantListSchema, GrantSchema } from './grant-contract.ts';
import { grantScope } from './grant-create.ts';
import { getGrant, listGrants } from './grant-get.ts';
import { revokeGrant } from './grant-revoke.ts';
import { wireGrant } from './grant-wire.ts';
import type { AppRoutesPorts } from './route-ports.ts';

const common = { tag: 'ApplicationGrants', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['appGrants.read'], permission: 'appGrants.read' } as const;
const managing = { ...common, scopes: ['appGrants.manage'], permission: 'appGrants.manage' } as const;
const collection = '/api/v1/apps/:appId/grants';
const single = `${collection}/:grantId`;
const query = { expand: choice('`scope` embeds the scope.', ['scope']) };

const listRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listScopeConsentGrants',
    method: 'GET',
    url: collection,
    summary: 'List all app grants',
    params: AppIdParams,
    query,
    response: { status: 200, schema: GrantListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query: { expand } }) => {
      const { app, grants } = await listGrants(db, context, params.appId);
      return ok(grants.map((grant) => wireGrant({ app, grant }, context, expand === 'scope')));
    },
  });

const grantRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'grantConsentToScope',
    method: 'POST',
    url: collection,
    summary: 'Grant consent to scope',
    params: AppIdParams,
    body: GrantBody,
    response: { status: 201, schema: GrantSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, params, body }) =>
      created(wireGrant(await grantScope(work, context, params.appId, body), context, true)),
  });

const getRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getScopeConsentGrant',
    method: 'GET',
    url: single,
    summary: 'Retrieve an app grant',
    params: GrantIdParams,
    query,
    response: { status: 200, schema: GrantSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query: { expand } }) =>
      ok(wireGrant(await getGrant(db, context, params.appId, params.grantId), context, expand === 'scope')),
  });

const revokeRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'revokeScopeConsentGrant',
    method: 'DELETE',
    url: single,
    summary: 'Revoke an app grant',
    params: GrantIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, params }) => {
      await revokeGrant(work, context, params.appId, params.grantId);
      return noContent();
    },
  });

export const grantRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  grantRoute(ports),
  getRoute(ports),
  revokeRoute(ports),
];
