export { appPolicies } from './app-policies.ts';
export type { AppNetwork, AppSignOnDecision, CompiledAppSignOn } from './app-sign-on-rules.ts';
export { checkStoredPolicy, checkStoredRule, expressionsIn, maximumRulesOfType } from './check-stored.ts';
export { createDefaultPolicies } from './create-default-policies.ts';
export type {
  RoutedProvider,
  RoutingDecision,
  SignOnDecision,
} from './evaluation-rules.ts';
export { findShutApps, type ShuttingRule } from './find-shut-apps.ts';
export { placeOf, shiftForInsert, shiftForMove, shiftForRemoval } from './order-rules.ts';
export { createPolicyEngine, type PolicyEngine } from './policy-engine.ts';
export { findRuleNaming } from './rule-store.ts';
export { MAXIMUM_EXPRESSIONS, MAXIMUM_POLICIES } from './rules.ts';
export { policyRuleTarget, policyTarget } from './wire.ts';
