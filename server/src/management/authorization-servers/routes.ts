import type { Context } from '../../kernel/context.ts';
import { type AnyRoute, paging, resourceRoutes, text } from '../../platform/http/index.ts';
import { claimRoutes } from './claims/claim-routes.ts';
import { ServerBody, ServerListSchema, ServerParams, ServerSchema } from './contract.ts';
import { getServer } from './guards.ts';
import { serverPolicyRoutes } from './policies/policy-routes.ts';
import type { AuthorizationServersPorts } from './ports.ts';
import { pageOf, type ShownServer, serverUrl, showServers, wireShownServer } from './route-declarations.ts';
import { serverRuleRoutes } from './rules/rule-routes.ts';
import { scopeRoutes } from './scopes/scope-routes.ts';
import { changeServerStatus } from './servers/change-status.ts';
import { createServer } from './servers/create-server.ts';
import { deleteServer } from './servers/delete-server.ts';
import { listServers } from './servers/list-servers.ts';
import { replaceServer } from './servers/replace-server.ts';
import type { AuthorizationServer } from './store.ts';
import { trustRoutes } from './trust/trust-routes.ts';
import { serverVersion } from './wire.ts';

const servers = resourceRoutes({
  tag: 'AuthorizationServer',
  name: 'AuthorizationServer',
  one: 'an authorization server',
  all: 'all authorization servers',
  scope: 'authorizationServers',
  url: serverUrl,
  params: ServerParams,
  schema: ServerSchema,
  wire: wireShownServer,
  version: ({ server }) => serverVersion(server),
});

/** With `make`, creates the key of a new server, so that the response can show it. */
async function show(
  { signingOf }: AuthorizationServersPorts,
  context: Context,
  server: AuthorizationServer,
  make = false,
): Promise<ShownServer> {
  const signing = await signingOf(context, [server], { make });
  return { server, signing: signing.get(server.id) };
}

export const authorizationServerRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  servers.list({
    query: {
      q: text('Lists only servers whose name or audience contains this text, in upper or lower case.', 255),
      ...paging({ default: 200, maximum: 200 }),
    },
    schema: ServerListSchema,
    use: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listServers(ports, context, query.q, pageOf(query, rawQuery));
      return { rows: await showServers(ports, context, rows), links };
    },
  }),
  servers.create({
    body: ServerBody,
    status: 201,
    use: async ({ context, body }) => show(ports, context, await createServer(ports.work, context, body), true),
  }),
  servers.get({
    use: async ({ context, params }) => show(ports, context, await getServer(ports.db, context, params.authServerId)),
  }),
  servers.replace({
    body: ServerBody,
    use: async ({ context, params, body }) =>
      show(ports, context, await replaceServer(ports.work, context, params.authServerId, body)),
  }),
  servers.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteServer(ports.work, context, params.authServerId),
  }),
  ...servers.lifecycle({
    answers: 'nothing',
    use: ({ context, params }, action) => changeServerStatus(ports.work, context, params.authServerId, action),
  }),
  ...scopeRoutes(ports),
  ...claimRoutes(ports),
  ...serverPolicyRoutes(ports),
  ...serverRuleRoutes(ports),
  ...trustRoutes(ports),
];
