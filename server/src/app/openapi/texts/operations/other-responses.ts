/**
 * Operations that do not return the successful response that their routes declare, because their features are missing
 * (ADR 0059) or they only redirect.
 */
export const WITHOUT_DECLARED_SUCCESS: ReadonlySet<string> = new Set([
  'signOnToSamlApp',
  'sendSamlRequest',
  'signOutOfSamlApp',
  'sendSamlLogout',
  'showSamlInstructions',
  'startAtIdentityProvider',
  'showAssertionConsumer',
  'sendAssertion',
  'showConsumerOfProvider',
  'sendAssertionOfProvider',
  'returnFromProvider',
  'sendFromProvider',
  'signInWithCertificate',
  'launchApplication',
]);

type Responses = Readonly<Partial<Record<200 | 302 | 303, string>>>;

const NOT_SIGNED_IN: Responses = { 303: 'Nobody is signed in. The browser is redirected to the sign-in page.' };
const SIGNED_OUT = 'The browser is redirected to `post_logout_redirect_uri`.';
const AUTHORIZED: Responses = {
  200: 'A page passes the result on to the app, for example with `response_mode=form_post`.',
};

/** Successful responses that the routes do not declare. A response with the status 200 is a page. */
export const OTHER_RESPONSES: Readonly<Record<string, Responses>> = {
  logout: { 302: SIGNED_OUT },
  logoutWithPost: { 303: SIGNED_OUT },
  logoutCustomAS: { 302: SIGNED_OUT },
  logoutCustomASWithPost: { 303: SIGNED_OUT },

  authorize: AUTHORIZED,
  authorizeWithPost: AUTHORIZED,
  authorizeCustomAS: AUTHORIZED,
  authorizeCustomASWithPost: AUTHORIZED,
  resumeAuthorization: AUTHORIZED,
  showConsentPage: { 200: 'The page asks the user for consent.' },

  startAtIdentityProvider: { 303: 'The browser is redirected to the sign-in page.' },
  showSignInPage: { 303: 'The user is signed in already. The browser is sent on.' },
  showSignInStepPage: { 303: 'No sign-in is in progress. The browser is redirected to the sign-in page.' },
  launchApplication: { 303: 'The browser is redirected to the app or, to sign in first, to the sign-in page.' },
  showMailsPage: { 303: 'The browser gets a cookie for the page and loads it again.' },

  showConsentsPage: NOT_SIGNED_IN,
  showPasswordPage: NOT_SIGNED_IN,
  showProfilePage: NOT_SIGNED_IN,
  showRequestsPage: NOT_SIGNED_IN,
  showBackchannelQuestion: NOT_SIGNED_IN,
  showSessionsPage: NOT_SIGNED_IN,
  showDevicePage: NOT_SIGNED_IN,
  showDeviceQuestion: NOT_SIGNED_IN,
};
