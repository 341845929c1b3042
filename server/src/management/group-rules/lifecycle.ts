import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

/** INVALID: a group that the rule assigns is gone, or its expression names what is; it can only be read and deleted. */
export const GROUP_RULE_STATUSES = ['ACTIVE', 'INACTIVE', 'INVALID'] as const;
export type GroupRuleStatus = (typeof GROUP_RULE_STATUSES)[number];

/**
 * Activating what is active, or deactivating what is inactive, changes nothing and is no error: published clients
 * deactivate what they have just made. A deactivated rule keeps the members it gave. Any status may be deleted.
 */
// biome-ignore format: the columns are the documentation
export const groupRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'],           to: ['ACTIVE'],   event: 'group.user_membership.rule.trigger' },
  deactivate: { from: ['ACTIVE'],             to: ['INACTIVE'], event: 'group.user_membership.rule.deactivated' },
  update:     { from: ['INACTIVE'],           to: ['INACTIVE'], event: 'group.user_membership.rule.update' },
  invalidate: { from: ['ACTIVE', 'INACTIVE'], to: ['INVALID'],  event: 'group.user_membership.rule.invalidate' },
} as const satisfies Record<string, Transition<GroupRuleStatus>>);

/** What clients may ask for by name. */
export type GroupRuleAction = 'activate' | 'deactivate';
