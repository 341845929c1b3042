import { type AnyRoute, paging, resourceRoutes } from '../../../platform/http/index.ts';
import {
  ServerParams,
  ServerPolicyBody,
  ServerPolicyListSchema,
  ServerPolicyParams,
  ServerPolicySchema,
} from '../contract.ts';
import { type Found, getPolicy } from '../guards.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { foundIn, pageOf, serverUrl } from '../route-declarations.ts';
import { changeServerPolicyStatus } from '../servers/change-status.ts';
import { listServerPolicies } from '../servers/list-servers.ts';
import { createServerPolicy, deleteServerPolicy, MAXIMUM_POLICIES, replaceServerPolicy } from './change-policy.ts';
import type { StoredPolicy } from './policy-store.ts';
import { serverPolicyVersion, wireServerPolicy } from './policy-wire.ts';

const policies = resourceRoutes({
  tag: 'AuthorizationServerPolicies',
  name: 'AuthorizationServerPolicy',
  one: 'a policy of an authorization server',
  all: 'all policies of an authorization server',
  scope: 'authorizationServers',
  url: `${serverUrl}/policies/:serverPolicyId`,
  of: ServerParams,
  params: ServerPolicyParams,
  schema: ServerPolicySchema,
  wire: ({ part, server }: Found<StoredPolicy>, context) => wireServerPolicy(server, part, context),
  version: ({ part }) => serverPolicyVersion(part),
});

const placeOf = (params: { readonly authServerId: string; readonly serverPolicyId: string }) => ({
  authServerId: params.authServerId,
  id: params.serverPolicyId,
});

export const serverPolicyRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  policies.list({
    operationId: 'listAuthorizationServerPolicies',
    query: paging({ default: MAXIMUM_POLICIES, maximum: MAXIMUM_POLICIES }),
    schema: ServerPolicyListSchema,
    use: async ({ context, params, query, rawQuery }) =>
      foundIn(await listServerPolicies(ports, context, params.authServerId, pageOf(query, rawQuery))),
  }),
  policies.create({
    body: ServerPolicyBody,
    status: 201,
    use: ({ context, params, body }) => createServerPolicy(ports.work, context, params.authServerId, body),
  }),
  policies.get({
    use: ({ context, params }) => getPolicy(ports.db, context, placeOf(params)),
  }),
  policies.replace({
    body: ServerPolicyBody,
    use: ({ context, params, body }) => replaceServerPolicy(ports.work, context, placeOf(params), body),
  }),
  policies.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteServerPolicy(ports.work, context, placeOf(params)),
  }),
  ...policies.lifecycle({
    answers: 'nothing',
    use: ({ context, params }, action) => changeServerPolicyStatus(ports.work, context, placeOf(params), action),
  }),
];
