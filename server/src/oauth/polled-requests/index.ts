export { dropOldPolledRequests } from './cross-org-store.ts';
export { INTERVAL_SECONDS, intervalAfter, type PollVerdict, pollVerdict } from './poll-rules.ts';
export {
  approvePolledRequest,
  countWaitingFor,
  denyPolledRequest,
  findByUserCode,
  findPolledRequest,
  findWaitingFor,
  insertPolledRequest,
  lockPolledRequest,
  notePoll,
  type PolledKind,
  type PolledRequest,
  takePolledRequest,
} from './store.ts';
