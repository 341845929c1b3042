import { type AnyRoute, paging, resourceRoutes } from '../../../platform/http/index.ts';
import { ClaimBody, ClaimListSchema, ClaimParams, ClaimSchema, ServerParams } from '../contract.ts';
import { type Found, getClaim } from '../guards.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { foundIn, pageOf, serverUrl } from '../route-declarations.ts';
import { listClaims } from '../servers/list-servers.ts';
import { claimVersion, wireClaim } from '../wire.ts';
import { createClaim, deleteClaim, MAXIMUM_CLAIMS, replaceClaim } from './change-claim.ts';
import type { ServerClaim } from './claim-store.ts';

const claims = resourceRoutes({
  tag: 'AuthorizationServerClaims',
  name: 'OAuth2Claim',
  one: 'a claim',
  all: 'all claims of an authorization server',
  scope: 'authorizationServers',
  url: `${serverUrl}/claims/:claimId`,
  of: ServerParams,
  params: ClaimParams,
  schema: ClaimSchema,
  wire: ({ part, server }: Found<ServerClaim>, context) => wireClaim(server, part, context),
  version: ({ part }) => claimVersion(part),
});

const placeOf = ({ authServerId, claimId }: { readonly authServerId: string; readonly claimId: string }) => ({
  authServerId,
  id: claimId,
});

export const claimRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  claims.list({
    query: paging({ default: MAXIMUM_CLAIMS, maximum: MAXIMUM_CLAIMS }),
    schema: ClaimListSchema,
    use: async ({ context, params, query, rawQuery }) =>
      foundIn(await listClaims(ports, context, params.authServerId, pageOf(query, rawQuery))),
  }),
  claims.create({
    body: ClaimBody,
    status: 201,
    use: ({ context, params, body }) => createClaim(ports.work, context, params.authServerId, body),
  }),
  claims.get({
    use: ({ context, params }) => getClaim(ports.db, context, placeOf(params)),
  }),
  claims.replace({
    body: ClaimBody,
    use: ({ context, params, body }) => replaceClaim(ports.work, context, placeOf(params), body),
  }),
  claims.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteClaim(ports.work, context, placeOf(params)),
  }),
];
