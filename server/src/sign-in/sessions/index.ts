export { dropEndedSessions } from './cross-org-store.ts';
export { issueSessionToken } from './issue-session-token.ts';
export { createSessions, type Sessions } from './sessions.ts';
