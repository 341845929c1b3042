export { dropOldSignInRows } from './authn/cross-org-store.ts';
export { createSessions, dropEndedSessions, issueSessionToken, type Sessions } from './sessions/index.ts';
