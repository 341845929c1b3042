import type { Context } from '../../../kernel/context.ts';
import { linkKept, linkTo } from '../../../kernel/errors/hints.ts';
import { wireGrantType } from '../../../kernel/grant-types.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { Version } from '../../../kernel/version.ts';
import { changeTarget } from '../../../system-log/index.ts';
import { policyRuleTarget, policyTarget } from '../../policies/index.ts';
import { serverPolicyLifecycle, serverRuleLifecycle } from '../lifecycle.ts';
import type { StoredRule } from '../rules/rule-store.ts';
import type { AuthorizationServer } from '../store.ts';
import { addressOf, link, SERVER } from '../wire.ts';
import type { StoredPolicy } from './policy-store.ts';

type Wire = Record<string, unknown>;
const POLICY = `${SERVER}/policies/:serverPolicyId` as const;

type Addressed = Pick<AuthorizationServer, 'id' | 'isDefault'>;

export function wireServerPolicy(server: Addressed, policy: StoredPolicy, context: Context): Wire {
  const address = `${addressOf(server, context)}/policies/${policy.id}`;
  const links: Wire = {
    self: linkKept(address, POLICY, policy.isSystem),
    rules: linkTo(`${address}/rules`, `${POLICY}/rules`),
  };
  for (const action of serverPolicyLifecycle.linkedFrom(policy.status)) {
    links[action] = link(`${address}/lifecycle/${action}`, 'POST');
  }
  return {
    id: policy.id,
    status: policy.status,
    name: policy.name,
    ...(policy.description === null ? {} : { description: policy.description }),
    priority: policy.priority,
    system: policy.isSystem,
    conditions: { clients: { include: policy.clients } },
    created: wireDate(policy.createdAt),
    lastUpdated: wireDate(policy.lastUpdatedAt),
    _links: links,
    type: 'OAUTH_AUTHORIZATION_POLICY',
  };
}

const wireConditions = ({ conditions }: StoredRule, { namespace }: Context) => ({
  people: conditions.people,
  grantTypes: { include: conditions.grantTypes.include.map((one) => wireGrantType(one, namespace)) },
  scopes: conditions.scopes,
});

const lifetimesOf = (rule: StoredRule) => ({
  accessTokenLifetimeMinutes: rule.accessTokenLifetimeMinutes,
  refreshTokenLifetimeMinutes: rule.refreshTokenLifetimeMinutes,
  refreshTokenWindowMinutes: rule.refreshTokenWindowMinutes,
});

export function wireServerRule(server: Addressed, policyId: string, rule: StoredRule, context: Context): Wire {
  const address = `${addressOf(server, context)}/policies/${policyId}/rules/${rule.id}`;
  const links: Wire = { self: linkKept(address, `${POLICY}/rules/:serverRuleId`, rule.isSystem) };
  for (const action of serverRuleLifecycle.linkedFrom(rule.status)) {
    links[action] = link(`${address}/lifecycle/${action}`, 'POST');
  }
  return {
    id: rule.id,
    status: rule.status,
    name: rule.name,
    priority: rule.priority,
    created: wireDate(rule.createdAt),
    lastUpdated: wireDate(rule.lastUpdatedAt),
    system: rule.isSystem,
    conditions: wireConditions(rule, context),
    actions: { token: lifetimesOf(rule) },
    _links: links,
    type: 'RESOURCE_ACCESS',
  };
}

export const serverPolicyVersion = ({ id, revision }: StoredPolicy): Version => ({
  kind: 'authorizationServerPolicy',
  id,
  revision,
});
export const serverRuleVersion = ({ id, revision }: StoredRule): Version => ({
  kind: 'authorizationServerRule',
  id,
  revision,
});

export const serverPolicyChange = changeTarget(
  (policy: StoredPolicy) => policyTarget(policy),
  ({ clients, description, name, priority, status }) => ({ name, description, priority, status, clients }),
);

export const serverRuleChange = changeTarget(
  (rule: StoredRule, _context: Context) => policyRuleTarget(rule),
  (rule, context) => {
    const { grantTypes, people, scopes } = wireConditions(rule, context);
    return {
      name: rule.name,
      priority: rule.priority,
      status: rule.status,
      users: { ...people.users },
      groups: { ...people.groups },
      grantTypes: grantTypes.include,
      scopes: scopes.include,
      ...lifetimesOf(rule),
    };
  },
);
