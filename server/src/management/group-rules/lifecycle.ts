import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

/**
 * A rule becomes INVALID when a group that it assigns, or something that its expression names, no longer exists. An
 * INVALID rule can only be read and deleted.
 */
export const GROUP_RULE_STATUSES = ['ACTIVE', 'INACTIVE', 'INVALID'] as const;
export type GroupRuleStatus = (typeof GROUP_RULE_STATUSES)[number];

/**
 * Activating an active rule and deactivating an inactive rule are not errors, because published clients deactivate new
 * rules. A deactivated rule keeps its members. A rule may be deleted in any status.
 */
// biome-ignore format: the columns are the documentation
export const groupRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'],           to: ['ACTIVE'],   event: 'group.user_membership.rule.trigger' },
  deactivate: { from: ['ACTIVE'],             to: ['INACTIVE'], event: 'group.user_membership.rule.deactivated' },
  update:     { from: ['INACTIVE'],           to: ['INACTIVE'], event: 'group.user_membership.rule.update' },
  invalidate: { from: ['ACTIVE', 'INACTIVE'], to: ['INVALID'],  event: 'group.user_membership.rule.invalidate' },
} as const satisfies Record<string, Transition<GroupRuleStatus>>);

/** The status changes that clients can request. */
export type GroupRuleAction = 'activate' | 'deactivate';
