import type { Context } from '../../kernel/context.ts';
import { linkKept, linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import type { AppId } from '../../kernel/words/ids.ts';
import { changeTarget, type Json, type JsonObject, type Target } from '../../system-log/index.ts';
import { closedParts } from './conditions/access-limit-rules.ts';
import { policyLifecycle, policyRuleLifecycle } from './lifecycle.ts';
import type { PolicyRule } from './rules/rule-store.ts';
import type { Policy } from './store.ts';
import { policyNamesOf } from './types/policy-names.ts';
import {
  wirePolicyConditions,
  wirePolicyPriority,
  wirePolicySettings,
  wirePolicyType,
  wireRuleDocument,
  wireRulePriority,
} from './types/rules.ts';
import { POLICY_TYPE_ROWS, type PolicyType } from './types/type-rules.ts';

type Wire = Record<string, unknown>;

const link = (href: string, ...allow: readonly string[]): Wire => ({ href, hints: { allow } });

const POLICY = '/api/v1/policies/:policyId';

const policyAddress = (policyId: string, context: Context): string => `${context.baseUrl}/api/v1/policies/${policyId}`;

/** `none` means that policies of the type are not evaluated (ADR 0031). */
const evaluationHeaders = (type: PolicyType): Readonly<Record<string, string>> =>
  POLICY_TYPE_ROWS[type].isEvaluated ? {} : { 'x-policy-evaluation': 'none' };

const isClosed = (rule: PolicyRule): boolean => {
  if (rule.type !== 'ACCESS_POLICY' || rule.status !== 'ACTIVE') return false;
  const { actions, conditions } = closedParts(rule.conditions, rule.actions);
  return actions.length + conditions.length > 0;
};

/** `closed` means that an active rule gives nobody access because of parts that are not supported (ADR 0053). */
export const rulesEvaluationHeaders = (
  type: PolicyType,
  rules: readonly PolicyRule[],
): Readonly<Record<string, string>> =>
  rules.some(isClosed) ? { 'x-policy-evaluation': 'closed' } : evaluationHeaders(type);

export function wirePolicy(policy: Policy, context: Context, rules?: readonly PolicyRule[]): Wire {
  const address = policyAddress(policy.id, context);
  const words = policyNamesOf(context);
  const links: Wire = {
    self: linkKept(address, POLICY, policy.system),
    rules: linkTo(`${address}/rules`, `${POLICY}/rules`),
    mappings: linkTo(`${address}/mappings`, `${POLICY}/mappings`),
  };
  const actions = policy.system ? [] : policyLifecycle.linkedFrom(policy.status);
  for (const action of actions) links[action] = link(`${address}/lifecycle/${action}`, 'POST');
  const settings = wirePolicySettings(policy.type, policy.settings, words);
  return {
    id: policy.id,
    status: policy.status,
    name: policy.name,
    description: policy.description,
    priority: wirePolicyPriority(policy),
    system: policy.system,
    conditions: wirePolicyConditions(policy.type, policy.conditions, words),
    created: wireDate(policy.createdAt),
    lastUpdated: wireDate(policy.lastUpdatedAt),
    ...(settings === undefined ? {} : { settings }),
    ...(rules === undefined ? {} : { _embedded: { rules: rules.map((rule) => wirePolicyRule(rule, context)) } }),
    _links: links,
    type: wirePolicyType(policy.type, context.namespace.upper),
  };
}

export function wirePolicyRule(rule: PolicyRule, context: Context): Wire {
  const address = `${policyAddress(rule.policyId, context)}/rules/${rule.id}`;
  const isKept = rule.system || POLICY_TYPE_ROWS[rule.type].rules === 'closed';
  const links: Wire = { self: linkKept(address, `${POLICY}/rules/:ruleId`, isKept) };
  const actions = rule.system ? [] : policyRuleLifecycle.linkedFrom(rule.status);
  for (const action of actions) links[action] = link(`${address}/lifecycle/${action}`, 'POST');
  return {
    id: rule.id,
    status: rule.status,
    name: rule.name,
    priority: wireRulePriority(rule),
    created: wireDate(rule.createdAt),
    lastUpdated: wireDate(rule.lastUpdatedAt),
    system: rule.system,
    ...wireRuleDocument(rule, policyNamesOf(context)),
    _links: links,
    type: rule.type,
  };
}

export const policyVersion = ({ id, revision }: Policy): Version => ({ kind: 'policy', id, revision });
export const policyRuleVersion = ({ id, revision }: PolicyRule): Version => ({ kind: 'policyRule', id, revision });

export interface PolicyMapping {
  readonly policyId: string;
  readonly appId: AppId;
}

export function wirePolicyMapping({ appId, policyId }: PolicyMapping, context: Context): Wire {
  const address = policyAddress(policyId, context);
  return {
    id: appId,
    _links: {
      application: linkTo(`${context.baseUrl}/api/v1/apps/${appId}`, '/api/v1/apps/:appId'),
      self: linkTo(`${address}/mappings/${appId}`, `${POLICY}/mappings/:mappingId`),
      policy: linkTo(address, POLICY),
    },
  };
}

const targetOf = (type: string, { id, name }: { readonly id: string; readonly name: string }): Target => ({
  id,
  type,
  alternateId: 'unknown',
  displayName: name,
});

/** Events about a rule also list its policy (specification 2.5), as the first target. */
export const policyTarget = (policy: { readonly id: string; readonly name: string }): Target =>
  targetOf('Policy', policy);

export const policyRuleTarget = (rule: { readonly id: string; readonly name: string }): Target =>
  targetOf('Rule', rule);

const TOLD = ['name', 'description', 'priority', 'status', 'conditions', 'settings', 'actions'];

const toldOf = (wire: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(TOLD.filter((name) => name in wire).map((name) => [name, (wire[name] ?? null) as Json]));

export const policyChange = changeTarget(
  (policy: Policy, _context: Context) => policyTarget(policy),
  (policy, context) => toldOf(wirePolicy(policy, context)),
);

export const policyRuleChange = changeTarget(
  (rule: PolicyRule, _context: Context) => policyRuleTarget(rule),
  (rule, context) => toldOf(wirePolicyRule(rule, context)),
);
