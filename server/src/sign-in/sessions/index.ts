export {
  type AuthorizingSession,
  findSessionForAuthorization,
  isSessionLive,
  lockSessionForAuthorization,
  lockUserOfSession,
} from './authorization-store.ts';
export { createSession } from './create-session.ts';
export { dropEndedSessions } from './cross-org-store.ts';
export { endSession } from './end-session.ts';
export { issueSessionToken } from './issue-session-token.ts';
export { assertSender } from './redirect-with-cookie.ts';
export { createSessions, type EndingSessions, type Sessions } from './sessions.ts';
export { takeSessionToken } from './store.ts';
