import type { GroupRuleStatus } from './lifecycle.ts';

export interface GroupRule {
  readonly id: string;
  readonly name: string;
  readonly status: GroupRuleStatus;
  readonly expression: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
  readonly excludedUserIds: readonly string[];
  /** The number of the pass that applies the rule to all users. It is null if the rule was never activated. */
  readonly evaluatedBy: number | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}
