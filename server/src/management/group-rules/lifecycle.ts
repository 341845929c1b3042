import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

/** A rule becomes INVALID when an assigned group is deleted, or when the rule's expression no longer compiles. */
export const GROUP_RULE_STATUSES = ['ACTIVE', 'INACTIVE', 'INVALID'] as const;
export type GroupRuleStatus = (typeof GROUP_RULE_STATUSES)[number];

/**
 * Activating or deactivating a rule that already has the resulting status is a no-op, not an error. Published clients
 * deactivate new rules, which are already INACTIVE.
 */
// biome-ignore format: the columns are the documentation
export const groupRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'],           to: ['ACTIVE'],   event: 'group.user_membership.rule.trigger' },
  deactivate: { from: ['ACTIVE'],             to: ['INACTIVE'], event: 'group.user_membership.rule.deactivated' },
  update:     { from: ['INACTIVE'],           to: ['INACTIVE'], event: 'group.user_membership.rule.update' },
  invalidate: { from: ['ACTIVE', 'INACTIVE'], to: ['INVALID'],  event: 'group.user_membership.rule.invalidate' },
} as const satisfies Record<string, Transition<GroupRuleStatus>>);

export type GroupRuleAction = 'activate' | 'deactivate';
