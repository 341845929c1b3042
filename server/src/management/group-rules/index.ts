export { groupRuleJobs } from './jobs.ts';
export {
  forgetGroup,
  judgeChangedUsers,
  judgeJoinedMembers,
  judgeKeptMember,
  judgeLeftMembers,
  judgeReturnedUsers,
  noteRenamedGroup,
  recheckExpressions,
} from './reactions.ts';
