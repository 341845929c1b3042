export { dropOldPendingAuthorizations } from './cross-org-store.ts';
export { INTERVAL_SECONDS, intervalAfter, type PollVerdict, pollVerdict } from './poll-rules.ts';
export {
  approvePendingAuthorization,
  countWaitingFor,
  denyPendingAuthorization,
  findByUserCode,
  findPendingAuthorization,
  findWaitingFor,
  insertPendingAuthorization,
  lockPendingAuthorization,
  notePoll,
  type PendingAuthorization,
  type PendingAuthorizationKind,
  takePendingAuthorization,
} from './store.ts';
