import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, page, route, versioned } from '../../../platform/http/index.ts';
import {
  ServerParams,
  ServerPolicyBody,
  ServerPolicyListSchema,
  ServerPolicyParams,
  ServerPolicySchema,
} from '../contract.ts';
import { type Found, getPolicy } from '../guards.ts';
import type { AuthorizationServerAction } from '../lifecycle.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { managing, pageFields, pageOf, reading, serverSingle } from '../route-declarations.ts';
import { changeServerPolicyStatus } from '../servers/change-status.ts';
import { listServerPolicies } from '../servers/list-servers.ts';
import { createServerPolicy, deleteServerPolicy, MAXIMUM_POLICIES, replaceServerPolicy } from './change-policy.ts';
import type { StoredPolicy } from './policy-store.ts';
import { serverPolicyVersion, wireServerPolicy } from './policy-wire.ts';

const tag = 'AuthorizationServerPolicies';
const collection = `${serverSingle}/policies`;
const single = `${collection}/:serverPolicyId`;

const placeOf = (params: { readonly authServerId: string; readonly serverPolicyId: string }) => ({
  authServerId: params.authServerId,
  id: params.serverPolicyId,
});

const shown = ({ part, server }: Found<StoredPolicy>, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(serverPolicyVersion(part), wireServerPolicy(server, part, context), status);

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listAuthorizationServerPolicies',
    method: 'GET',
    url: collection,
    summary: 'List all policies of an authorization server',
    params: ServerParams,
    query: pageFields(MAXIMUM_POLICIES),
    response: { status: 200, schema: ServerPolicyListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links, server } = await listServerPolicies(ports, context, params.authServerId, asked);
      return page(
        rows.map((policy) => wireServerPolicy(server, policy, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createAuthorizationServerPolicy',
    method: 'POST',
    url: collection,
    summary: 'Create a policy of an authorization server',
    params: ServerParams,
    body: ServerPolicyBody,
    idempotent: true,
    response: { status: 201, schema: ServerPolicySchema },
    errors: ['E0000001', 'E0000007', 'E0000195'],
    handler: async ({ context, params, body }) =>
      shown(await createServerPolicy(work, context, params.authServerId, body), context, 201),
  });

const getRoute = ({ db }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getAuthorizationServerPolicy',
    method: 'GET',
    url: single,
    summary: 'Retrieve a policy of an authorization server',
    params: ServerPolicyParams,
    response: { status: 200, schema: ServerPolicySchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => shown(await getPolicy(db, context, placeOf(params)), context),
  });

const replaceRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceAuthorizationServerPolicy',
    method: 'PUT',
    url: single,
    summary: 'Replace a policy of an authorization server',
    params: ServerPolicyParams,
    body: ServerPolicyBody,
    response: { status: 200, schema: ServerPolicySchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      shown(await replaceServerPolicy(work, context, placeOf(params), body), context),
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteAuthorizationServerPolicy',
    method: 'DELETE',
    url: single,
    summary: 'Delete a policy of an authorization server',
    params: ServerPolicyParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteServerPolicy(work, context, placeOf(params));
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
    url: `${single}/lifecycle/${action}`,
    summary,
    params: ServerPolicyParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changeServerPolicyStatus(work, context, placeOf(params), action);
      return noContent();
    },
  });

export const serverPolicyRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(
    ports,
    'activate',
    'activateAuthorizationServerPolicy',
    'Activate a policy of an authorization server',
  ),
  lifecycleRoute(
    ports,
    'deactivate',
    'deactivateAuthorizationServerPolicy',
    'Deactivate a policy of an authorization server',
  ),
];
