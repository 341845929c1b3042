import type { GroupRuleStatus } from './lifecycle.ts';

/** A stored rule; excluded users have rows of their own. */
export interface GroupRule {
  readonly id: string;
  readonly name: string;
  readonly status: GroupRuleStatus;
  readonly expression: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
  readonly excludedUserIds: readonly string[];
  /** The pass over all users that applies the rule to everyone; null when it was never activated. */
  readonly evaluatedBy: number | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}
