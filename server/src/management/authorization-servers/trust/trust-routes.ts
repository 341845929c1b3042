import type { Context } from '../../../kernel/context.ts';
import { type AnyRoute, flag, noContent, ok, page, route, text } from '../../../platform/http/index.ts';
import { AssociatedServerParams, ServerListSchema, ServerParams, TrustBody } from '../contract.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { managing, pageFields, pageOf, reading, serverSingle } from '../route-declarations.ts';
import { listAssociatedServers } from '../servers/list-servers.ts';
import type { AuthorizationServer } from '../store.ts';
import { wireServer } from '../wire.ts';
import { distrustServer, trustServers } from './change-trust.ts';

const tag = 'AuthorizationServerAssoc';
const collection = `${serverSingle}/associatedServers`;

async function wireServers(
  { signingOf }: AuthorizationServersPorts,
  context: Context,
  servers: readonly AuthorizationServer[],
) {
  const signing = await signingOf(context, servers);
  return servers.map((server) => wireServer(server, context, signing.get(server.id)));
}

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listAssociatedServersByTrustedType',
    method: 'GET',
    url: collection,
    summary: 'List all associated authorization servers',
    params: ServerParams,
    query: {
      trusted: flag('The servers that this one trusts, or all others.', true),
      q: text('Servers whose name or audience holds this, whatever its case.', 255),
      ...pageFields(200),
    },
    response: { status: 200, schema: ServerListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links } = await listAssociatedServers(ports, context, params.authServerId, query, asked);
      return page(await wireServers(ports, context, rows), links);
    },
  });

const createRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createAssociatedServers',
    method: 'POST',
    url: collection,
    summary: 'Trust other authorization servers',
    params: ServerParams,
    body: TrustBody,
    response: { status: 200, schema: ServerListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, body }) => {
      const trusted = await trustServers(ports.work, context, params.authServerId, body);
      return ok(await wireServers(ports, context, trusted));
    },
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteAssociatedServer',
    method: 'DELETE',
    url: `${collection}/:associatedServerId`,
    summary: 'Trust another authorization server no longer',
    params: AssociatedServerParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await distrustServer(work, context, params.authServerId, params.associatedServerId);
      return noContent();
    },
  });

/** Routes for the servers whose tokens a server accepts in exchange for its own. */
export const trustRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  deleteRoute(ports),
];
