export { dropOldPolledRequests } from './cross-org-store.ts';
export { INTERVAL_SECONDS, intervalAfter, pollVerdict } from './poll-rules.ts';
export {
  approvePolledRequest,
  denyPolledRequest,
  findByUserCode,
  findPolledRequest,
  insertPolledRequest,
  lockPolledRequest,
  notePoll,
  type PolledRequest,
  takePolledRequest,
} from './store.ts';
