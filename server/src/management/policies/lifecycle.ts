import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const POLICY_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** Actions on a policy that already has the status are no-ops, not errors. */
// biome-ignore format: the columns are the documentation
export const policyLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.lifecycle.deactivate' },
} as const satisfies Record<string, Transition<PolicyStatus>>);

/** Default policies and rules are always ACTIVE. */
// biome-ignore format: the columns are the documentation
export const policyRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.rule.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.rule.deactivate' },
} as const satisfies Record<string, Transition<PolicyStatus>>);

export type PolicyAction = (typeof policyLifecycle.actions)[number];
