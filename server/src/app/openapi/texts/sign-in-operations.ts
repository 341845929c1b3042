/** Descriptions of the endpoints that both the org's own authorization server and custom ones serve. */
const SAME_AT_BOTH: Readonly<Record<string, string>> = {
  authorize:
    'A browser is sent here with an authorization request (RFC 6749 4.1.1). The user signs in and consents if ' +
    'they have to, and the browser returns to the redirect URI.',
  authorizeWithPost: 'The parameters of the authorization request arrive in a form instead of in the query.',
  bcAuthorize:
    'An app asks a user who is elsewhere to authorize it (OpenID Connect CIBA). It then polls the token endpoint ' +
    'until the user has answered.',
  deviceAuthorize:
    'A device without a browser gets a code that its user enters elsewhere (RFC 8628). It then asks the token ' +
    'endpoint until the user has answered.',
  introspect: 'The answer says whether the token is active and what it stands for (RFC 7662).',
  revoke: 'The token is void (RFC 7009). An unknown token gets the same answer.',
  par: 'The authorization request is sent ahead, and the answer is a short reference for the browser (RFC 9126).',
  token:
    'A code, a refresh token, a client’s own authentication or another grant is exchanged for tokens (RFC 6749 3.2).',
  logout: 'The session of the browser ends, and the browser goes to the address that the client has registered.',
  logoutWithPost: 'The parameters of the sign-out arrive in a form instead of in the query.',
  userinfo: 'The answer holds the claims about the user that the scopes of the access token allow.',
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

/** Descriptions of the operations of sign-in, sessions and OAuth. */
export const SIGN_IN_OPERATIONS: Readonly<Record<string, string>> = {
  ...SAME_AT_BOTH,
  ...Object.fromEntries(atCustomServers),
  userinfoPost: 'The access token arrives in a form instead of in the header.',
  userinfoCustomASPost: 'The access token arrives in a form instead of in the header.',
  resumeAuthorization: 'A browser returns here after signing in, and the authorization request goes on.',
  discoverIdentityProvider: 'The answer names who authenticates this login (WebFinger, RFC 7033).',
  authenticate:
    'A user signs in step by step without the sign-in page. The answer holds a session token, or says which ' +
    'step comes next.',
  authnCancel: 'The sign-in ends, and its state token is void.',
  authnChangePassword: 'The user of the sign-in gives the old password and chooses a new one.',
  authnResetPassword: 'The user of an activation or a recovery chooses a password.',
  authnIntrospect: 'The answer says at which step the sign-in is. Its time to live stays the same.',
  authnAnswerRecoveryQuestion: 'The user of a recovery answers their recovery question.',
  authnForgotPassword: 'A recovery link goes to the user by mail.',
  authnVerifyRecoveryToken: 'The recovery goes on with the token that was mailed.',
  authnUnlockAccount: 'An unlock link goes to the user by mail.',
  authnSkip: 'The user keeps a password that expires soon, and the sign-in goes on.',
  createSession: 'The session token of a finished sign-in opens a session. It can be used once.',
  closeCurrentSession: 'The session of the browser ends.',
  refreshCurrentSession: 'The idle time of the session starts again, within the lifetime that the policy allows.',
  refreshCurrentSessionLegacyPath:
    'The idle time of the session starts again, within the lifetime that the policy allows.',
  revokeSession: 'The session ends.',
  extendSession: 'The idle time of the session starts again, within the lifetime that the policy allows.',
  refreshSession: 'The idle time of the session starts again, within the lifetime that the policy allows.',
  refreshSessionLegacyPath: 'The idle time of the session starts again, within the lifetime that the policy allows.',
  redirectWithSessionCookie:
    'The browser gets the session that the session token opens, and goes on to an address that the org trusts.',
};

const NOT_YET = {
  saml: 'Signing in to SAML apps is not supported yet. The answer is a page that says so.',
  provider: 'Signing in through another identity provider is not supported yet. The answer is a page that says so.',
  link: 'The page of a mailed link asks to go on. Opening it uses nothing up, so that mail scanners do no harm.',
} as const;

/** Descriptions of the pages and their forms, which are made for browsers, not for API clients. */
export const PAGE_OPERATIONS: Readonly<Record<string, string>> = {
  getStartPage: 'A user who is signed in sees their apps; anybody else sees the start page of the org.',
  showConsentsPage: 'The page lists which apps the user has allowed to do something in their name.',
  sendConsentsPage: 'The user takes back what they have allowed an app.',
  showPasswordPage: 'The page asks for the old password and the new one.',
  sendPasswordPage: 'The password of the user changes, if the password policy allows the new one.',
  showProfilePage: 'The page shows the attributes that the user may read and change.',
  sendProfilePage: 'The attributes that the user may change take the values of the form.',
  showRequestsPage: 'The page lists the apps that wait for an answer of the user.',
  sendRequestsPage: 'The user opens one of the requests that wait.',
  showBackchannelQuestion: 'The page says what an app asks for, and the user allows or refuses it.',
  sendBackchannelQuestion: 'The app gets what it asked for, or learns that the user has refused.',
  showSessionsPage: 'The page lists where the user is signed in.',
  sendSessionsPage: 'Other sessions of the user end.',
  showDevicePage: 'The page asks for the code that a device shows.',
  sendDevicePage: 'The code of the form leads to the question of that device.',
  showDeviceQuestion: 'The page says what the app on the device asks for, and the user allows or refuses it.',
  sendDeviceQuestion: 'The app on the device gets what it asked for, or learns that the user has refused.',
  showConsentPage: 'The page says what an app asks for, and the user allows or refuses it.',
  answerConsentPage: 'The authorization request goes on with the answer of the user.',
  showMailsPage: 'On a development install, the page shows the mails that wait to be sent.',
  launchApplication: 'The browser goes to the app, signed in.',
  signInWithCertificate: 'Client certificates cannot be used to sign in yet. The answer is a page that says so.',
  showSignInPage: 'The page asks for the login and the password.',
  sendSignInPage: 'The sign-in begins with the login and the password of the form.',
  showSignInStepPage: 'The page shows the step that the sign-in waits for.',
  sendSignInStepPage: 'The sign-in takes the step of the form and goes on.',
  showForgotPasswordPage: 'The page asks whose password was forgotten.',
  sendForgotPasswordPage: 'A mail with a recovery link goes to the user, if there is one. The page does not tell.',
  showUnlockRequestPage: 'The page asks whose account is locked.',
  sendUnlockRequestPage: 'A mail with an unlock link goes to the user, if there is one. The page does not tell.',
  showMailSentPage: 'The page says that a mail is on its way.',
  sendMailedLinkPage: 'The sign-in goes on with the token of the mailed link, which can be used once.',
  showSignOutPage: 'The page asks whether to sign out, or says that the user is signed out.',
  sendSignOutPage: 'The session of the browser ends.',
  startAtIdentityProvider: NOT_YET.provider,
  returnFromProvider: NOT_YET.provider,
  sendFromProvider: NOT_YET.provider,
  showAssertionConsumer: NOT_YET.provider,
  sendAssertion: NOT_YET.provider,
  showConsumerOfProvider: NOT_YET.provider,
  sendAssertionOfProvider: NOT_YET.provider,
  showSamlInstructions: NOT_YET.saml,
  signOutOfSamlApp: NOT_YET.saml,
  sendSamlLogout: NOT_YET.saml,
  signOnToSamlApp: NOT_YET.saml,
  sendSamlRequest: NOT_YET.saml,
  showResetPasswordPage: NOT_YET.link,
  showAddressPage: NOT_YET.link,
  showOwnResetPasswordPage: NOT_YET.link,
  showUnlockPage: NOT_YET.link,
  showWelcomePage: NOT_YET.link,
  getOpenApiDocument: 'The answer is this document, with the address of the org that was asked as its server.',
  showApiReference: 'The page shows the document for reading. It runs apart from every session of the org.',
  getApiReferenceFile: 'The answer is a script or a style sheet of the reference page.',
};
