/** Texts for endpoints that both the org's own authorization server and custom ones serve. */
const SAME_AT_BOTH: Readonly<Record<string, string>> = {
  authorize:
    'An app sends the browser here with an authorization request (RFC 6749 4.1.1). The user signs in and consents if ' +
    'that is necessary, and the browser returns to the `redirect_uri` with the result.',
  authorizeWithPost:
    'The authorization request arrives as a form instead of in the query. Otherwise, the operation is the same ' +
    'as with `GET`.',
  bcAuthorize:
    'A client asks a user who is elsewhere for authorization (OpenID Connect CIBA). It then polls the token endpoint ' +
    'until the user has answered.',
  deviceAuthorize:
    'A device without a browser gets a code that its user enters elsewhere (RFC 8628). It then polls the token ' +
    'endpoint until the user has answered.',
  introspect:
    'The response says whether the token is active, and what it allows (RFC 7662). Tokens of other clients, and ' +
    'tokens that are unknown or no longer valid, get the same response: `active` is `false`.',
  revoke:
    'The token is void at once (RFC 7009). The response is the same for tokens of other clients and for unknown ' +
    'tokens, which stay as they are.',
  par:
    'The client sends its authorization request ahead (RFC 9126). The response contains a `request_uri`, with which ' +
    'the browser is sent to the authorization endpoint.',
  token:
    'Exchanges an authorization code, a refresh token or another grant for tokens (RFC 6749 3.2). The parameters ' +
    'of the form depend on `grant_type`.',
  logout:
    'An app sends the browser here to sign the user out. The user is asked first, unless `id_token_hint` is an ' +
    'ID token of their session. The browser then goes to `post_logout_redirect_uri`.',
  logoutWithPost:
    'The parameters arrive as a form instead of in the query. Otherwise, the operation is the same as with `GET`.',
  userinfo:
    'The response contains the claims about the user that the scopes of the access token allow (OpenID Connect Core ' +
    '5.3).',
};

const COUNTERPARTS: readonly (readonly [org: string, custom: string])[] = [
  ['authorize', 'authorizeCustomAS'],
  ['authorizeWithPost', 'authorizeCustomASWithPost'],
  ['bcAuthorize', 'bcAuthorizeCustomAS'],
  ['deviceAuthorize', 'deviceAuthorizeCustomAS'],
  ['introspect', 'introspectCustomAS'],
  ['revoke', 'revokeCustomAS'],
  ['par', 'parCustomAS'],
  ['token', 'tokenCustomAS'],
  ['logout', 'logoutCustomAS'],
  ['logoutWithPost', 'logoutCustomASWithPost'],
  ['userinfo', 'userinfoCustomAS'],
];

const atCustomServers = COUNTERPARTS.map(([org, custom]) => [custom, SAME_AT_BOTH[org] ?? ''] as const);

const REFRESHED =
  'Restarts the idle time of the session, but does not extend it beyond the lifetime that its policy sets. With ' +
  '`Prefer: return=minimal`, the response has no body.';
const USER_INFO_POST = 'The response is the same as with `GET`. The access token can also be sent as a form.';
const KEYS = 'The response contains the public keys with which clients and resource servers verify tokens (RFC 7517).';

export const SIGN_IN_OPERATIONS: Readonly<Record<string, string>> = {
  ...SAME_AT_BOTH,
  ...Object.fromEntries(atCustomServers),
  userinfoPost: USER_INFO_POST,
  userinfoCustomASPost: USER_INFO_POST,
  oauthKeys: KEYS,
  oauthKeysCustomAS: KEYS,
  getWellKnownOAuthConfigurationCustomASByPath:
    'The response is the same as below the issuer. RFC 8414 3.1 derives this address from the issuer.',
  resumeAuthorization: 'The browser returns here after the user has signed in or answered, and the request continues.',
  discoverIdentityProvider:
    'The response says who authenticates a login: this org or one of its identity providers (RFC 7033).',
  authenticate:
    'Signs a user in step by step, without the sign-in page. The response contains a session token, or names the ' +
    'next step. The body contains a username and password, an activation token, or the state token of a sign-in ' +
    'in progress.',
  authnCancel: 'The sign-in ends, and its state token is void.',
  authnChangePassword: 'The user gives their old password, chooses a new one, and is signed in.',
  authnResetPassword: 'At the end of an activation or a recovery, the user chooses a password and is signed in.',
  authnIntrospect: 'The response says which step comes next in the sign-in, and does not extend its time.',
  authnAnswerRecoveryQuestion:
    'With the right answer, the user can choose a new password, or their account is unlocked. After a few wrong ' +
    'answers, the recovery ends.',
  authnForgotPassword:
    'Without a credential, an email with a recovery link is sent to the user; the response is the same if there ' +
    'is no such user.',
  authnVerifyRecoveryToken: 'Continues a recovery with the token of the link in the email.',
  authnUnlockAccount:
    'Without a credential, an email with an unlock link is sent to the user; the response is the same if there is ' +
    'no such user.',
  authnSkip: 'The user keeps a password that will expire soon, and is signed in.',
  authnVerifyFactor:
    'A right code or answer signs the user in. Without one, the factor is only chosen, and the email factor sends a ' +
    'code to the user. A code is accepted once. After a few wrong ones, the sign-in ends.',
  authnResendFactor: 'Sends another code to the email address of the user, which replaces the one before.',
  authnEnrollFactor:
    'Gives a user who has no factor their first one. The response has the shared secret and its QR code. The factor ' +
    'is pending until its device has sent a right code.',
  authnActivateFactor: 'With the first right code of its device, the factor becomes active, and the user is signed in.',
  authnPrevious: 'Returns to the choice of a factor, or of the kind of factor to enroll.',
  createSession: 'Opens a session with the session token that a finished sign-in has returned.',
  closeCurrentSession: 'Ends the session of the cookie, and deletes the cookie in the browser.',
  refreshCurrentSession: REFRESHED,
  refreshCurrentSessionLegacyPath: REFRESHED,
  extendSession: REFRESHED,
  refreshSession: REFRESHED,
  refreshSessionLegacyPath: REFRESHED,
  revokeSession: 'The session ends at once.',
  redirectWithSessionCookie:
    'The browser gets the cookie of the session that the token opens, and is redirected to an address that the org ' +
    'trusts.',
};

const NOT_YET = 'The feature is not supported yet. The response is a page that says so.';
const LINK_PAGE = 'The page asks the user to continue. Opening the link, as mail scanners do, does not redeem it.';

export const PAGE_OPERATIONS: Readonly<Record<string, string>> = {
  getStartPage: 'Users who are signed in see their apps. Others see the start page of the org.',
  showConsentsPage: 'The page lists the apps to which the user has given their consent.',
  sendConsentsPage: 'Ends all consents of the user to the app.',
  showPasswordPage: 'The page asks for the old password and a new one.',
  sendPasswordPage: 'Changes the password, if the new one complies with the password policy.',
  showProfilePage: 'The page shows the attributes that the user may read, and those that they may change.',
  sendProfilePage: 'Stores the attributes that the user may change.',
  showRequestsPage: 'The page lists the requests of apps that wait for the user’s answer.',
  sendRequestsPage: 'Opens the page on which the user answers the request.',
  showBackchannelQuestion: 'The page says what the app asks for. The user allows or denies it.',
  sendBackchannelQuestion: 'Gives the app what it has asked for, or tells it that the user has denied it.',
  showSessionsPage: 'The page lists the sessions of the user.',
  sendSessionsPage: 'Ends one of the user’s other sessions, or all of them.',
  showDevicePage: 'The page asks for the code that the device shows.',
  sendDevicePage: 'Opens the page on which the user answers the request of the device.',
  showDeviceQuestion: 'The page says what the app on the device asks for. The user allows or denies it.',
  sendDeviceQuestion: 'Gives the app on the device what it has asked for, or tells it that the user has denied it.',
  showConsentPage: 'The page says which scopes the app asks for. The user allows or denies them.',
  answerConsentPage: 'The authorization request continues with the user’s answer.',
  showMailsPage:
    'While no mail server is configured, the page of a development installation shows the emails of the org.',
  launchApplication: 'Redirects the browser to the app, if the user has it and its sign-in policy allows it.',
  signInWithCertificate: NOT_YET,
  showSignInPage: 'The page asks for the username and the password.',
  sendSignInPage: 'Starts the sign-in with the username and the password in the form.',
  showSignInStepPage: 'The page shows the next step of the sign-in.',
  sendSignInStepPage: 'Takes the next step of the sign-in.',
  showForgotPasswordPage: 'The page asks for the username.',
  sendForgotPasswordPage:
    'Sends an email with a recovery link to the user. The next page is the same for a user who does not exist.',
  showUnlockRequestPage: 'The page asks for the username.',
  sendUnlockRequestPage:
    'Sends an email with an unlock link to the user. The next page is the same for a user who does not exist.',
  showMailSentPage: 'The page says that an email is on its way, whether or not the user exists.',
  sendMailedLinkPage: 'Continues with the token of the link in the email.',
  showSignOutPage: 'The page asks whether to sign out. A user who is not signed in learns that they are signed out.',
  sendSignOutPage: 'Ends the session of the browser.',
  startAtIdentityProvider:
    'For the org’s own entry, the browser is redirected to the sign-in page. Other identity providers are not ' +
    'supported yet: the response is a page with status 501 that says so.',
  returnFromProvider: NOT_YET,
  sendFromProvider: NOT_YET,
  showAssertionConsumer: NOT_YET,
  sendAssertion: NOT_YET,
  showConsumerOfProvider: NOT_YET,
  sendAssertionOfProvider: NOT_YET,
  showSamlInstructions: NOT_YET,
  signOutOfSamlApp: NOT_YET,
  sendSamlLogout: NOT_YET,
  signOnToSamlApp: NOT_YET,
  sendSamlRequest: NOT_YET,
  showResetPasswordPage: LINK_PAGE,
  showAddressPage: LINK_PAGE,
  showOwnResetPasswordPage: LINK_PAGE,
  showUnlockPage: LINK_PAGE,
  showWelcomePage: LINK_PAGE,
  getOpenApiDocument: 'The server of the document is the org that is asked.',
  showApiReference: 'The page shows the OpenAPI document. It cannot use the session of the browser.',
  getApiReferenceFile: 'The file is a script or a style sheet.',
  getApplicationLogoFile: 'The address changes with the image, so the response can be cached.',
  getThemeImageFile: 'The address changes with the image, so the response can be cached.',
};
