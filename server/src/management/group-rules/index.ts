export { MAXIMUM_RULES as MAXIMUM_GROUP_RULES } from './changes/create-rule.ts';
export { checkStoredGroupRule } from './check-stored.ts';
export { foreseeRulesForNewUser } from './evaluation/evaluate-users.ts';
export { groupRuleJobs } from './evaluation/jobs.ts';
export {
  evaluateRulesForChangedUsers,
  evaluateRulesForJoinedMembers,
  evaluateRulesForLeftMembers,
  evaluateRulesForPinnedMembers,
  evaluateRulesForReturnedUsers,
  forgetGroup,
  noteRenamedGroup,
  recheckExpressions,
} from './evaluation/reactions.ts';
export { foreseeRules } from './evaluation/state-store.ts';
export { MAXIMUM_EXCLUDED as MAXIMUM_EXCLUDED_USERS } from './rules.ts';
