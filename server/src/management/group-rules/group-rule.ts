import type { GroupRuleStatus } from './lifecycle.ts';

/** A rule as stored; whom it leaves out stands in rows of their own. */
export interface GroupRule {
  readonly id: string;
  readonly name: string;
  readonly status: GroupRuleStatus;
  readonly expression: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
  readonly excludedUserIds: readonly string[];
  /** The pass over all users by which it holds for everyone; null: never activated. */
  readonly evaluatedBy: number | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}
