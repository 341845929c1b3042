import {
  defaultPolicyPath,
  newPolicy,
  newRoutingRule,
  newSignOnRule,
  POLICIES,
  SIGN_ON_TYPE,
} from '../support/policies.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

async function useLifecycle(ask: Ask, path: string): Promise<void> {
  for (const operation of ['deactivate', 'activate']) await ask('POST', `${path}/lifecycle/${operation}`);
}

/** A rule of each type that names all it can name. */
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

/** Policies of sign-on and of routing, with rules that refer to a zone, a user and an app. */
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
  await ask('GET', `${POLICIES}?type=${SIGN_ON_TYPE}`);
  await ask('DELETE', policy);
}
