import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const POLICY_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** An action is a no-op, not an error, if the policy already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const policyLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.lifecycle.deactivate' },
} as const satisfies Record<string, Transition<PolicyStatus>>);

// biome-ignore format: the columns are the documentation
export const policyRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.rule.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.rule.deactivate' },
} as const satisfies Record<string, Transition<PolicyStatus>>);

export type PolicyAction = (typeof policyLifecycle.actions)[number];
