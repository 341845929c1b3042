export { dropOldSignInRows } from './authn/cross-org-store.ts';
export { signInWithPassword } from './authn/passwords/sign-in-with-password.ts';
export type { AuthnPorts } from './authn/ports.ts';
export { admitDeviceCode } from './authn/transactions/limits.ts';
export { createRoutingEvents, type RoutingEvents } from './discovery/routing-events.ts';
export {
  ACCOUNT_PAGES,
  type AccountSession,
  accountPage,
  formPurpose,
  openAccountSession,
} from './pages/account/account-page.ts';
export { field, notice } from './pages/form-parts.ts';
export { MAILS_PAGE, mailsPageRoutes, mailsPageUrl } from './pages/mails-page.ts';
export { FormToken, SENT, SHOWN, UI_LOCALES_FIELD } from './pages/page-route.ts';
export {
  findSignedInUser,
  localeOf,
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  type SignedInUser,
  tokenField,
} from './pages/page-session.ts';
export type { AccountPorts } from './pages/ports.ts';
export { startPage } from './pages/start-page.ts';
export { signInAddress } from './pages/steps/continue-sign-in.ts';
export {
  type AuthorizingSession,
  assertSender,
  createSession,
  createSessions,
  dropEndedSessions,
  type EndingSessions,
  endSession,
  findSessionForAuthorization,
  isSessionLive,
  issueSessionToken,
  lockSessionForAuthorization,
  lockUserOfSession,
  type Sessions,
  takeSessionToken,
} from './sessions/index.ts';
