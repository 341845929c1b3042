export {
  type AuthorizingSession,
  findSessionForAuthorization,
  isSessionLive,
  lockSessionForAuthorization,
  lockUserOfSession,
} from './authorization-store.ts';
export { createSession } from './changes/create-session.ts';
export { endSession } from './changes/end-session.ts';
export { issueSessionToken } from './changes/issue-session-token.ts';
export { dropEndedSessions } from './cross-org-store.ts';
export { assertSender } from './redirect/redirect-with-cookie.ts';
export { createSessions, type EndingSessions, type Sessions } from './sessions.ts';
export { takeSessionToken } from './store.ts';
