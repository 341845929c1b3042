import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, page, route, versioned } from '../../../platform/http/index.ts';
import { ClaimBody, ClaimListSchema, ClaimParams, ClaimSchema, ServerParams } from '../contract.ts';
import { type Found, getClaim } from '../guards.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { managing, pageFields, pageOf, reading, serverSingle } from '../route-declarations.ts';
import { listClaims } from '../servers/list-servers.ts';
import { claimVersion, wireClaim } from '../wire.ts';
import { createClaim, deleteClaim, MAXIMUM_CLAIMS, replaceClaim } from './change-claim.ts';
import type { ServerClaim } from './claim-store.ts';

const tag = 'AuthorizationServerClaims';
const collection = `${serverSingle}/claims`;
const single = `${collection}/:claimId`;

const placeOf = ({ authServerId, claimId }: { readonly authServerId: string; readonly claimId: string }) => ({
  authServerId,
  id: claimId,
});

const shown = ({ part, server }: Found<ServerClaim>, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(claimVersion(part), wireClaim(server, part, context), status);

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listOAuth2Claims',
    method: 'GET',
    url: collection,
    summary: 'List all claims of an authorization server',
    params: ServerParams,
    query: pageFields(MAXIMUM_CLAIMS),
    response: { status: 200, schema: ClaimListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links, server } = await listClaims(ports, context, params.authServerId, asked);
      return page(
        rows.map((claim) => wireClaim(server, claim, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createOAuth2Claim',
    method: 'POST',
    url: collection,
    summary: 'Create a claim',
    params: ServerParams,
    body: ClaimBody,
    idempotent: true,
    response: { status: 201, schema: ClaimSchema },
    errors: ['E0000001', 'E0000007', 'E0000195'],
    handler: async ({ context, params, body }) =>
      shown(await createClaim(work, context, params.authServerId, body), context, 201),
  });

const getRoute = ({ db }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getOAuth2Claim',
    method: 'GET',
    url: single,
    summary: 'Retrieve a claim',
    params: ClaimParams,
    response: { status: 200, schema: ClaimSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => shown(await getClaim(db, context, placeOf(params)), context),
  });

const replaceRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceOAuth2Claim',
    method: 'PUT',
    url: single,
    summary: 'Replace a claim',
    params: ClaimParams,
    body: ClaimBody,
    response: { status: 200, schema: ClaimSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      shown(await replaceClaim(work, context, placeOf(params), body), context),
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteOAuth2Claim',
    method: 'DELETE',
    url: single,
    summary: 'Delete a claim',
    params: ClaimParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteClaim(work, context, placeOf(params));
      return noContent();
    },
  });

export const claimRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
