import { type AnyRoute, expansion, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { grantScope } from './create-grant.ts';
import { getGrant, listGrants } from './get-grant.ts';
import { GrantBody, GrantIdParams, GrantListSchema, GrantSchema } from './grant-contract.ts';
import { grantVersion, wireGrant } from './grant-wire.ts';
import { revokeGrant } from './revoke-grant.ts';

const common = {
  tag: 'ApplicationGrants',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['appGrants.read'], permission: 'appGrants.read' } as const;
const managing = { ...common, scopes: ['appGrants.manage'], permission: 'appGrants.manage' } as const;
const collection = '/api/v1/apps/:appId/grants';
const single = `${collection}/:grantId`;
const query = { expand: expansion('`scope` embeds the scope.', ['scope']) };

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
    handler: async ({ context, grant, params, query: { expand } }) => {
      const { app, grants } = await listGrants(db, context, grant, params.appId);
      return ok(grants.map((one) => wireGrant({ app, grant: one }, context, expand === 'scope')));
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
    handler: async ({ context, grant, params, body }) => {
      const given = await grantScope(work, context, grant, params.appId, body);
      return versioned(grantVersion(given.grant), wireGrant(given, context, true), 201);
    },
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
    handler: async ({ context, grant, params, query: { expand } }) => {
      const found = await getGrant(db, context, grant, params.appId, params.grantId);
      return versioned(grantVersion(found.grant), wireGrant(found, context, expand === 'scope'));
    },
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
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await revokeGrant(work, context, grant, params.appId, params.grantId);
      return noContent();
    },
  });

export const grantRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  grantRoute(ports),
  getRoute(ports),
  revokeRoute(ports),
];
