import {
  defaultPolicyPath,
  newPolicy,
  newRoutingRule,
  newSignOnRule,
  POLICIES,
  SIGN_ON_TYPE,
} from '../support/policies.ts';
import { newProfile } from '../support/service.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

async function useLifecycle(ask: Ask, path: string): Promise<void> {
  for (const operation of ['deactivate', 'activate']) await ask('POST', `${path}/lifecycle/${operation}`);
}

const rulesFor = (
  { org }: Use,
  zone: Body,
  app: Body,
): Record<'signOn' | 'routing', Readonly<Record<string, unknown>>> => {
  const network = { connection: 'ZONE', include: [zone.id] };
  return {
    signOn: newSignOnRule({ conditions: { network, people: { users: { exclude: [org.adminUserId] } } } }),
    routing: newRoutingRule({
      conditions: {
        network,
        app: { include: [{ type: 'APP', id: app.id }] },
        userIdentifier: { type: 'IDENTIFIER', patterns: [{ matchType: 'SUFFIX', value: 'routed.example' }] },
      },
    }),
  };
};

export async function usePolicyRoutes(use: Use, app: Body): Promise<void> {
  const { ask, org } = use;
  const zone = await ask('POST', '/api/v1/zones', { type: 'IP', name: 'of a rule', gateways: [] });
  const { routing, signOn } = rulesFor(use, zone, app);
  const made = newPolicy();
  const policy = `${POLICIES}/${(await ask('POST', POLICIES, made)).id}`;
  await ask('GET', policy);
  await ask('PUT', policy, { ...made, priority: 1, description: 'used' });
  await useLifecycle(ask, policy);
  await ask('POST', `${policy}/rules`, newSignOnRule());
  const discovery = await defaultPolicyPath(org, 'IDP_DISCOVERY');
  for (const [place, rule] of [
    [policy, signOn],
    [discovery, routing],
  ] as const) {
    const path = `${place}/rules/${(await ask('POST', `${place}/rules`, rule)).id}`;
    await ask('GET', path);
    await ask('PUT', path, { ...rule, priority: 1 });
    await useLifecycle(ask, path);
    await ask('GET', `${place}/rules`);
    await useSecondPages(use, [`${place}/rules?limit=1`]);
    await ask('GET', '/.well-known/webfinger?resource=svc:acct:ada@routed.example');
    await ask('DELETE', path);
  }
  await useSecondPages(use, [`${POLICIES}?type=${SIGN_ON_TYPE}&limit=1`]);
  await ask('GET', `${POLICIES}?type=${SIGN_ON_TYPE}&expand=rules&status=ACTIVE&q=P&sortBy=name`);
  await ask('POST', `${POLICIES}/simulate`, [
    { appInstance: app.id, policyContext: { user: { id: org.adminUserId } } },
  ]);
  await ask('DELETE', policy);
  await usePasswordPolicies(use);
  await useMappings(use, app);
  await useBehaviors(use);
}

async function usePasswordPolicies({ ask, org }: Use): Promise<void> {
  const group = await ask('POST', '/api/v1/groups', { profile: { name: 'under a password policy' } });
  const user = await org.createUser();
  const conditions = { people: { groups: { include: [group.id] } } };
  const made = newPolicy({ type: 'PASSWORD', conditions, settings: { password: { complexity: { minLength: 9 } } } });
  const policy = `${POLICIES}/${(await ask('POST', POLICIES, made)).id}`;
  await ask('POST', `${policy}/rules`, { name: 'everyone', actions: {} });
  await ask('PUT', `/api/v1/groups/${group.id}/users/${user.id}`);
  await ask('POST', `/api/v1/users/${user.id}`, { credentials: { password: { value: 'Under-1-Policy' } } });
  await ask('POST', '/api/v1/users', {
    profile: newProfile(),
    credentials: { password: { value: 'Under-1-Policy' } },
  });
  await ask('PUT', `${policy}?preset=NIST_SP_800_63B`, { type: 'PASSWORD', name: made['name'], conditions });
  await ask('DELETE', policy);
}

async function useMappings(use: Use, app: Body): Promise<void> {
  const { ask } = use;
  const policy = `${POLICIES}/${(await ask('POST', POLICIES, newPolicy({ type: 'ACCESS_POLICY' }))).id}`;
  const mapping = await ask('POST', `${policy}/mappings`, { resourceId: app.id, resourceType: 'APP' });
  await ask('GET', `${policy}/mappings`);
  await ask('GET', `${policy}/mappings/${mapping.id}`);
  await ask('GET', `${policy}/app`);
  const clone = await ask('POST', `${policy}/clone`);
  await ask('DELETE', `${policy}/mappings/${mapping.id}`);
  await ask('DELETE', `${POLICIES}/${clone.id}`);
  await ask('POST', POLICIES, newPolicy({ type: 'DEVICE_SIGNAL_COLLECTION' }));
}

async function useBehaviors(use: Use): Promise<void> {
  const { ask } = use;
  const made = { name: 'too fast', type: 'VELOCITY' };
  const behavior = `/api/v1/behaviors/${(await ask('POST', '/api/v1/behaviors', made)).id}`;
  await ask('POST', '/api/v1/behaviors', { name: 'other device', type: 'ANOMALOUS_DEVICE' });
  await ask('GET', behavior);
  await ask('PUT', behavior, { ...made, settings: { velocityKph: 900 } });
  await useLifecycle(ask, behavior);
  await useSecondPages(use, ['/api/v1/behaviors?limit=1']);
  await ask('DELETE', behavior);
}
