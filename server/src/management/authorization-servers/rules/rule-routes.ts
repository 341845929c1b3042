import { type AnyRoute, paging, resourceRoutes } from '../../../platform/http/index.ts';
import {
  ServerPolicyParams,
  ServerRuleBody,
  ServerRuleListSchema,
  ServerRuleParams,
  ServerRuleSchema,
} from '../contract.ts';
import { type Found, getPolicy, getRule } from '../guards.ts';
import { serverRuleVersion, wireServerRule } from '../policies/policy-wire.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { foundIn, pageOf, serverUrl } from '../route-declarations.ts';
import { changeServerRuleStatus } from '../servers/change-status.ts';
import { listServerRules } from '../servers/list-servers.ts';
import { createServerRule, deleteServerRule, MAXIMUM_RULES, replaceServerRule } from './change-rule.ts';
import type { StoredRule } from './rule-store.ts';

const rules = resourceRoutes({
  tag: 'AuthorizationServerRules',
  name: 'AuthorizationServerPolicyRule',
  one: 'a rule of a policy',
  all: 'all rules of a policy',
  scope: 'authorizationServers',
  url: `${serverUrl}/policies/:serverPolicyId/rules/:serverRuleId`,
  of: ServerPolicyParams,
  params: ServerRuleParams,
  schema: ServerRuleSchema,
  wire: ({ part, server }: Found<StoredRule>, context, { params }) =>
    wireServerRule(server, params.serverPolicyId, part, context),
  version: ({ part }) => serverRuleVersion(part),
});

const policyOf = (params: { readonly authServerId: string; readonly serverPolicyId: string }) => ({
  authServerId: params.authServerId,
  policyId: params.serverPolicyId,
});

const placeOf = (params: Parameters<typeof policyOf>[0] & { readonly serverRuleId: string }) => ({
  ...policyOf(params),
  ruleId: params.serverRuleId,
});

export const serverRuleRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  rules.list({
    query: paging({ default: MAXIMUM_RULES, maximum: MAXIMUM_RULES }),
    schema: ServerRuleListSchema,
    use: async ({ context, params, query, rawQuery }) =>
      foundIn(await listServerRules(ports, context, policyOf(params), pageOf(query, rawQuery))),
  }),
  rules.create({
    body: ServerRuleBody,
    status: 201,
    use: ({ context, params, body }) => createServerRule(ports.work, context, policyOf(params), body),
  }),
  rules.get({
    use: async ({ context, params }) => {
      const { authServerId, policyId, ruleId } = placeOf(params);
      const { server } = await getPolicy(ports.db, context, { authServerId, id: policyId });
      return { server, part: await getRule(ports.db, context, { serverId: server.id, policyId }, ruleId) };
    },
  }),
  rules.replace({
    body: ServerRuleBody,
    use: ({ context, params, body }) => replaceServerRule(ports.work, context, placeOf(params), body),
  }),
  rules.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteServerRule(ports.work, context, placeOf(params)),
  }),
  ...rules.lifecycle({
    answers: 'nothing',
    use: ({ context, params }, action) => changeServerRuleStatus(ports.work, context, placeOf(params), action),
  }),
];
