export { dropOldSignInRows } from './authn/cross-org-store.ts';
export { signInWithPassword } from './authn/passwords/sign-in-with-password.ts';
export type { AuthnPorts } from './authn/ports.ts';
export { admitDeviceCode } from './authn/transactions/limits.ts';
export { createRoutingEvents, type RoutingEvents } from './discovery/routing-events.ts';
export { ACCOUNT_PAGES, accountPage, type OwnVisit, openOwnVisit, ownPurpose } from './pages/account/account-page.ts';
export { field, notice } from './pages/form-parts.ts';
export { MAILS_PAGE, mailsPageRoutes, mailsPageUrl } from './pages/mails-page.ts';
export { FormToken, SENT, SHOWN, UI_LOCALES_FIELD } from './pages/page-route.ts';
export type { AccountPorts } from './pages/ports.ts';
export { startPage } from './pages/start-page.ts';
export { signInAddress } from './pages/steps/lead-on.ts';
export {
  localeOf,
  openVisit,
  type PageRequest,
  refuseForeignForm,
  tokenField,
  type Visit,
  type Visitor,
  visitorOf,
} from './pages/visit.ts';
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
