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
