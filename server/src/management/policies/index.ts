export { appPolicies } from './apps/app-policies.ts';
export { findShutApps, type ShuttingRule } from './apps/find-shut-apps.ts';
export { checkStoredPolicy, checkStoredRule, expressionsIn, maximumRulesOfType } from './changes/check-stored.ts';
export type {
  RoutedProvider,
  RoutingDecision,
  SignOnDecision,
} from './evaluation/evaluation-rules.ts';
export { createPolicyEngine, type PolicyEngine } from './evaluation/policy-engine.ts';
export { findRuleNaming } from './rules/rule-store.ts';
export type { AppNetwork, AppSignOnDecision, CompiledAppSignOn } from './types/app-sign-on-rules.ts';
export { createDefaultPolicies } from './types/create-default-policies.ts';
export { MAXIMUM_EXPRESSIONS, MAXIMUM_POLICIES } from './types/rules.ts';
export { policyRuleTarget, policyTarget } from './wire.ts';
