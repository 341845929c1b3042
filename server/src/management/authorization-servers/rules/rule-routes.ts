import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, page, route, versioned } from '../../../platform/http/index.ts';
import {
  ServerPolicyParams,
  ServerRuleBody,
  ServerRuleListSchema,
  ServerRuleParams,
  ServerRuleSchema,
} from '../contract.ts';
import { type Found, getPolicy, getRule } from '../guards.ts';
import type { AuthorizationServerAction } from '../lifecycle.ts';
import { serverRuleVersion, wireServerRule } from '../policies/policy-wire.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { managing, pageFields, pageOf, reading, serverSingle } from '../route-declarations.ts';
import { changeServerRuleStatus } from '../servers/change-status.ts';
import { listServerRules } from '../servers/list-servers.ts';
import { createServerRule, deleteServerRule, MAXIMUM_RULES, replaceServerRule } from './change-rule.ts';
import type { StoredRule } from './rule-store.ts';

const tag = 'AuthorizationServerRules';
const collection = `${serverSingle}/policies/:serverPolicyId/rules`;
const single = `${collection}/:serverRuleId`;

const policyOf = (params: { readonly authServerId: string; readonly serverPolicyId: string }) => ({
  authServerId: params.authServerId,
  policyId: params.serverPolicyId,
});

const placeOf = (params: Parameters<typeof policyOf>[0] & { readonly serverRuleId: string }) => ({
  ...policyOf(params),
  ruleId: params.serverRuleId,
});

const shown = (
  { part, server }: Found<StoredRule>,
  policyId: string,
  context: Context,
  status: 200 | 201 = 200,
): Answer => versioned(serverRuleVersion(part), wireServerRule(server, policyId, part, context), status);

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listAuthorizationServerPolicyRules',
    method: 'GET',
    url: collection,
    summary: 'List all rules of a policy',
    params: ServerPolicyParams,
    query: pageFields(MAXIMUM_RULES),
    response: { status: 200, schema: ServerRuleListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links, server } = await listServerRules(ports, context, policyOf(params), asked);
      return page(
        rows.map((rule) => wireServerRule(server, params.serverPolicyId, rule, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createAuthorizationServerPolicyRule',
    method: 'POST',
    url: collection,
    summary: 'Create a rule of a policy',
    params: ServerPolicyParams,
    body: ServerRuleBody,
    idempotent: true,
    response: { status: 201, schema: ServerRuleSchema },
    errors: ['E0000001', 'E0000007', 'E0000195'],
    handler: async ({ context, params, body }) =>
      shown(await createServerRule(work, context, policyOf(params), body), params.serverPolicyId, context, 201),
  });

const getRoute = ({ db }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getAuthorizationServerPolicyRule',
    method: 'GET',
    url: single,
    summary: 'Retrieve a rule of a policy',
    params: ServerRuleParams,
    response: { status: 200, schema: ServerRuleSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const { authServerId, policyId, ruleId } = placeOf(params);
      const { server } = await getPolicy(db, context, { authServerId, id: policyId });
      const part = await getRule(db, context, { serverId: server.id, policyId }, ruleId);
      return shown({ server, part }, policyId, context);
    },
  });

const replaceRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceAuthorizationServerPolicyRule',
    method: 'PUT',
    url: single,
    summary: 'Replace a rule of a policy',
    params: ServerRuleParams,
    body: ServerRuleBody,
    response: { status: 200, schema: ServerRuleSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      shown(await replaceServerRule(work, context, placeOf(params), body), params.serverPolicyId, context),
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteAuthorizationServerPolicyRule',
    method: 'DELETE',
    url: single,
    summary: 'Delete a rule of a policy',
    params: ServerRuleParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteServerRule(work, context, placeOf(params));
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
    params: ServerRuleParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await changeServerRuleStatus(work, context, placeOf(params), action);
      return noContent();
    },
  });

export const serverRuleRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateAuthorizationServerPolicyRule', 'Activate a rule of a policy'),
  lifecycleRoute(ports, 'deactivate', 'deactivateAuthorizationServerPolicyRule', 'Deactivate a rule of a policy'),
];
