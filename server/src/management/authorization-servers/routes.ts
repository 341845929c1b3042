import type { Context } from '../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, page, route, text, versioned } from '../../platform/http/index.ts';
import { claimRoutes } from './claims/claim-routes.ts';
import { ServerBody, ServerListSchema, ServerParams, ServerSchema } from './contract.ts';
import { getServer } from './guards.ts';
import type { AuthorizationServerAction } from './lifecycle.ts';
import { serverPolicyRoutes } from './policies/policy-routes.ts';
import type { AuthorizationServersPorts } from './ports.ts';
import { managing, pageFields, pageOf, reading, serverCollection, serverSingle } from './route-declarations.ts';
import { serverRuleRoutes } from './rules/rule-routes.ts';
import { scopeRoutes } from './scopes/scope-routes.ts';
import { changeServerStatus } from './servers/change-status.ts';
import { createServer } from './servers/create-server.ts';
import { deleteServer } from './servers/delete-server.ts';
import { listServers } from './servers/list-servers.ts';
import { replaceServer } from './servers/replace-server.ts';
import type { AuthorizationServer } from './store.ts';
import { trustRoutes } from './trust/trust-routes.ts';
import { serverVersion, wireServer } from './wire.ts';

const tag = 'AuthorizationServer';

async function answer(
  { signingOf }: AuthorizationServersPorts,
  server: AuthorizationServer,
  context: Context,
  status: 200 | 201 = 200,
): Promise<Answer> {
  // A new server gets its key immediately; a job makes that of an org's default server.
  const signing = await signingOf(context, [server], { make: status === 201 });
  return versioned(serverVersion(server), wireServer(server, context, signing.get(server.id)), status);
}

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listAuthorizationServers',
    method: 'GET',
    url: serverCollection,
    summary: 'List all authorization servers',
    query: { q: text('Servers whose name or audience holds this, whatever its case.', 255), ...pageFields(200) },
    response: { status: 200, schema: ServerListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listServers(ports, context, query.q, pageOf(query, rawQuery));
      const signing = await ports.signingOf(context, rows);
      return page(
        rows.map((server) => wireServer(server, context, signing.get(server.id))),
        links,
      );
    },
  });

const createRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createAuthorizationServer',
    method: 'POST',
    url: serverCollection,
    summary: 'Create an authorization server',
    body: ServerBody,
    idempotent: true,
    response: { status: 201, schema: ServerSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(ports, await createServer(ports.work, context, body), context, 201),
  });

const getRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getAuthorizationServer',
    method: 'GET',
    url: serverSingle,
    summary: 'Retrieve an authorization server',
    params: ServerParams,
    response: { status: 200, schema: ServerSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      answer(ports, await getServer(ports.db, context, params.authServerId), context),
  });

const replaceRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceAuthorizationServer',
    method: 'PUT',
    url: serverSingle,
    summary: 'Replace an authorization server',
    params: ServerParams,
    body: ServerBody,
    response: { status: 200, schema: ServerSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(ports, await replaceServer(ports.work, context, params.authServerId, body), context),
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteAuthorizationServer',
    method: 'DELETE',
    url: serverSingle,
    summary: 'Delete an authorization server',
    params: ServerParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteServer(work, context, params.authServerId);
      return noContent();
    },
  });

const lifecycleRoute = (
  { work }: AuthorizationServersPorts,
  action: AuthorizationServerAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId,
    method: 'POST',
    url: `${serverSingle}/lifecycle/${action}`,
    summary,
    params: ServerParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changeServerStatus(work, context, params.authServerId, action);
      return noContent();
    },
  });

export const authorizationServerRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateAuthorizationServer', 'Activate an authorization server'),
  lifecycleRoute(ports, 'deactivate', 'deactivateAuthorizationServer', 'Deactivate an authorization server'),
  ...scopeRoutes(ports),
  ...claimRoutes(ports),
  ...serverPolicyRoutes(ports),
  ...serverRuleRoutes(ports),
  ...trustRoutes(ports),
];
