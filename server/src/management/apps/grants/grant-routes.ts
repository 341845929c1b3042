import { type AnyRoute, expansion, resourceRoutes } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import type { App } from '../store.ts';
import { grantScope } from './create-grant.ts';
import { getGrant, listGrants } from './get-grant.ts';
import { GrantBody, GrantIdParams, GrantListSchema, GrantSchema } from './grant-contract.ts';
import type { ScopeGrant } from './grant-store.ts';
import { grantVersion, wireGrant } from './grant-wire.ts';
import { revokeGrant } from './revoke-grant.ts';

interface ShownGrant {
  readonly app: App;
  readonly grant: ScopeGrant;
  readonly isExpanded: boolean;
}

const grants = resourceRoutes({
  tag: 'ApplicationGrants',
  name: 'ScopeConsentGrant',
  one: 'an app grant',
  all: 'all app grants',
  scope: 'appGrants',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/grants/:grantId',
  of: AppIdParams,
  params: GrantIdParams,
  schema: GrantSchema,
  wire: ({ isExpanded, ...shown }: ShownGrant, context) => wireGrant(shown, context, isExpanded),
  version: ({ grant }) => grantVersion(grant),
});
const query = { expand: expansion('`scope` embeds the scope.', ['scope']) };

export const grantRoutes = ({ db, work }: AppRoutesPorts): AnyRoute[] => [
  grants.list({
    query,
    schema: GrantListSchema,
    use: async ({ context, grant: within, params, query: { expand } }) => {
      const found = await listGrants(db, context, within, params.appId);
      return found.grants.map((grant) => ({ app: found.app, grant, isExpanded: expand === 'scope' }));
    },
  }),
  grants.create({
    operationId: 'grantConsentToScope',
    summary: 'Grant consent to scope',
    body: GrantBody,
    status: 201,
    errors: ['E0000006'],
    idempotent: false,
    use: async ({ context, grant, params, body }) => ({
      ...(await grantScope(work, context, grant, params.appId, body)),
      isExpanded: true,
    }),
  }),
  grants.get({
    query,
    use: async ({ context, grant, params, query: { expand } }) => ({
      ...(await getGrant(db, context, grant, params.appId, params.grantId)),
      isExpanded: expand === 'scope',
    }),
  }),
  grants.delete({
    operationId: 'revokeScopeConsentGrant',
    summary: 'Revoke an app grant',
    errors: ['E0000006'],
    use: ({ context, grant, params }) => revokeGrant(work, context, grant, params.appId, params.grantId),
  }),
];
