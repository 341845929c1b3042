import { type AnyRoute, flag, ok, paging, resourceRoutes, route, text } from '../../../platform/http/index.ts';
import { AssociatedServerParams, ServerListSchema, ServerParams, ServerSchema, TrustBody } from '../contract.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { pageOf, serverUrl, showServers, wireShownServer } from '../route-declarations.ts';
import { listAssociatedServers } from '../servers/list-servers.ts';
import { distrustServer, trustServers } from './change-trust.ts';

const associated = resourceRoutes({
  tag: 'AuthorizationServerAssoc',
  name: 'AssociatedServer',
  one: 'an associated authorization server',
  all: 'all associated authorization servers',
  scope: 'authorizationServers',
  url: `${serverUrl}/associatedServers/:associatedServerId`,
  of: ServerParams,
  params: AssociatedServerParams,
  schema: ServerSchema,
  wire: wireShownServer,
});

const trustRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...associated.managing,
    operationId: 'createAssociatedServers',
    method: 'POST',
    url: `${serverUrl}/associatedServers`,
    summary: 'Trust other authorization servers',
    params: ServerParams,
    body: TrustBody,
    response: { status: 200, schema: ServerListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, body }) => {
      const trusted = await trustServers(ports.work, context, params.authServerId, body);
      const shown = await showServers(ports, context, trusted);
      return ok(shown.map((server) => wireShownServer(server, context)));
    },
  });

export const trustRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  associated.list({
    operationId: 'listAssociatedServersByTrustedType',
    query: {
      trusted: flag('`true` lists the servers that this one trusts, and `false` lists all others.', true),
      q: text('Lists only servers whose name or audience contains this text, in upper or lower case.', 255),
      ...paging({ default: 200, maximum: 200 }),
    },
    schema: ServerListSchema,
    use: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links } = await listAssociatedServers(ports, context, params.authServerId, query, asked);
      return { rows: await showServers(ports, context, rows), links };
    },
  }),
  trustRoute(ports),
  associated.delete({
    summary: 'Stop trusting another authorization server',
    conditional: false,
    use: ({ context, params }) => distrustServer(ports.work, context, params.authServerId, params.associatedServerId),
  }),
];
