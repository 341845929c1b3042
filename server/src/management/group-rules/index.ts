export { checkStoredGroupRule } from './check-stored.ts';
export { MAXIMUM_RULES as MAXIMUM_GROUP_RULES } from './create-rule.ts';
export { groupRuleJobs } from './jobs.ts';
export {
  forgetGroup,
  judgeChangedUsers,
  judgeJoinedMembers,
  judgeKeptMembers,
  judgeLeftMembers,
  judgeReturnedUsers,
  noteRenamedGroup,
  recheckExpressions,
} from './reactions.ts';
export { MAXIMUM_EXCLUDED as MAXIMUM_EXCLUDED_USERS } from './rules.ts';
