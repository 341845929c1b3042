import type { Json } from '../../named-schemas.ts';

/**
 * The way in which callers of some public operations show who they are. The edge checks no credential for these
 * operations.
 */
interface PublicAccess {
  readonly text: string;
  /** The security requirements of OpenAPI: any one of them is enough, and `{}` means that none is needed. */
  readonly security: readonly Json[];
  readonly operations: readonly string[];
}

const BY_SECRET = { clientSecret: [] };
const BY_TOKEN = { accessToken: [] };
const BY_SESSION = { session: [] };
const BY_NOTHING = {};

const CLIENT =
  'The client authenticates as it is registered: with its secret in the `Authorization` header (`Basic`) or in the ' +
  'body, or with a signed assertion. A public client only sends its `client_id`.';
const ACCESS_TOKEN =
  'The request needs an access token of this authorization server with the scope `openid`. A token that is bound to ' +
  'a key comes with a DPoP proof.';
const FORM = 'The form must be one that a page of the org has shown to this browser.';
const SIGNED_IN =
  'The session cookie of the browser names the user. Without one, the browser is redirected to the sign-in page.';

const NOBODY: PublicAccess = {
  text: 'No credential is needed, and any that is sent is ignored.',
  security: [],
  operations: [
    'getWellKnownOAuthConfiguration',
    'getWellKnownOAuthConfigurationCustomAS',
    'getWellKnownOAuthConfigurationCustomASByPath',
    'getWellKnownOpenIDConfiguration',
    'getWellKnownOpenIDConfigurationCustomAS',
    'getWellknownOrgMetadata',
    'discoverIdentityProvider',
    'oauthKeys',
    'oauthKeysCustomAS',
    'getIdentityProviderMetadata',
    'getOpenApiDocument',
    'showApiReference',
    'getApiReferenceFile',
    'getApplicationLogoFile',
    'getDefaultApplicationLogoFile',
    'getThemeImageFile',
    'showForgotPasswordPage',
    'showUnlockRequestPage',
    'showMailSentPage',
    'showResetPasswordPage',
    'showOwnResetPasswordPage',
    'showUnlockPage',
    'showAddressPage',
    'showWelcomePage',
    'startAtIdentityProvider',
    'returnFromProvider',
    'sendFromProvider',
    'showAssertionConsumer',
    'sendAssertion',
    'showConsumerOfProvider',
    'sendAssertionOfProvider',
    'showSamlInstructions',
    'signOutOfSamlApp',
    'sendSamlLogout',
    'signOnToSamlApp',
    'sendSamlRequest',
    'signInWithCertificate',
  ],
};

const CLIENTS: readonly PublicAccess[] = [
  {
    text:
      `${CLIENT} A service app always authenticates with \`private_key_jwt\`, and so does every client that asks for ` +
      '`client_credentials`.',
    security: [BY_SECRET, BY_NOTHING],
    operations: ['token'],
  },
  {
    text: CLIENT,
    security: [BY_SECRET, BY_NOTHING],
    operations: [
      'tokenCustomAS',
      'introspect',
      'introspectCustomAS',
      'revoke',
      'revokeCustomAS',
      'par',
      'parCustomAS',
      'deviceAuthorize',
      'deviceAuthorizeCustomAS',
    ],
  },
  {
    text:
      'The client authenticates as it is registered: with its secret in the `Authorization` header (`Basic`) or ' +
      'in the body, or with a signed assertion. Public clients are refused.',
    security: [BY_SECRET, BY_NOTHING],
    operations: ['bcAuthorize', 'bcAuthorizeCustomAS'],
  },
  {
    text: `${ACCESS_TOKEN} It is sent in the \`Authorization\` header.`,
    security: [BY_TOKEN],
    operations: ['userinfo', 'userinfoCustomAS'],
  },
  {
    text: `${ACCESS_TOKEN} It is sent in the \`Authorization\` header or, as \`access_token\`, in the form.`,
    security: [BY_TOKEN, BY_NOTHING],
    operations: ['userinfoPost', 'userinfoCustomASPost'],
  },
];

const BROWSERS: readonly PublicAccess[] = [
  {
    text:
      'The session cookie of the browser says who is signed in. A browser without one is sent to the sign-in page, ' +
      'unless the request carries a session token or forbids it with `prompt=none`.',
    security: [BY_SESSION, BY_NOTHING],
    operations: ['authorize', 'authorizeWithPost', 'authorizeCustomAS', 'authorizeCustomASWithPost'],
  },
  {
    text: 'Only the browser that brought the authorization request can continue it: a cookie recognizes this browser.',
    security: [],
    operations: ['resumeAuthorization', 'showConsentPage'],
  },
  {
    text:
      'Only the browser that brought the authorization request can continue it, with the session of the user who was ' +
      `asked. ${FORM}`,
    security: [BY_SESSION],
    operations: ['answerConsentPage'],
  },
  {
    text: 'The session cookie of the browser names the session to end. Without one, no session ends.',
    security: [BY_SESSION, BY_NOTHING],
    operations: ['logout', 'logoutWithPost', 'logoutCustomAS', 'logoutCustomASWithPost'],
  },
  {
    text: `The session cookie of the browser names the session to end. Without one, no session ends. ${FORM}`,
    security: [BY_SESSION, BY_NOTHING],
    operations: ['sendSignOutPage'],
  },
  {
    text: 'The session cookie of the browser names the user. It is optional.',
    security: [BY_SESSION, BY_NOTHING],
    operations: ['getStartPage', 'showSignOutPage'],
  },
  {
    text: SIGNED_IN,
    security: [BY_SESSION],
    operations: [
      'showConsentsPage',
      'showPasswordPage',
      'showProfilePage',
      'showRequestsPage',
      'showBackchannelQuestion',
      'showSessionsPage',
      'showDevicePage',
      'showDeviceQuestion',
      'launchApplication',
    ],
  },
  {
    text: `${SIGNED_IN} ${FORM}`,
    security: [BY_SESSION],
    operations: [
      'sendConsentsPage',
      'sendPasswordPage',
      'sendProfilePage',
      'sendRequestsPage',
      'sendBackchannelQuestion',
      'sendSessionsPage',
      'sendDevicePage',
      'sendDeviceQuestion',
    ],
  },
  {
    text:
      'A cookie names the sign-in that this browser has begun. Without one, the browser is redirected to the sign-in ' +
      'page.',
    security: [],
    operations: ['showSignInStepPage'],
  },
  {
    text:
      'A cookie names the sign-in that this browser has begun. Without one, the browser is redirected to the sign-in ' +
      `page. ${FORM}`,
    security: [],
    operations: ['sendSignInStepPage'],
  },
];

/** Operations that need no credential, or whose request carries one, such as a password or a one-time token. */
const CARRIED: readonly PublicAccess[] = [
  {
    text: 'No credential is needed. A user who is signed in already is sent on, unless `reauthenticate` is set.',
    security: [BY_NOTHING, BY_SESSION],
    operations: ['showSignInPage'],
  },
  {
    text: `The credential is the password in the form. ${FORM}`,
    security: [],
    operations: ['sendSignInPage'],
  },
  {
    text: `No credential is needed. ${FORM}`,
    security: [],
    operations: ['sendForgotPasswordPage', 'sendUnlockRequestPage'],
  },
  {
    text: `The credential is the token of the link in the email, which can be used once. ${FORM}`,
    security: [],
    operations: ['sendMailedLinkPage'],
  },
  {
    text: 'The credential is the session token in the body, which can be used once.',
    security: [],
    operations: ['createSession'],
  },
  {
    text: 'The credential is the session token in `token`, which can be used once.',
    security: [],
    operations: ['redirectWithSessionCookie'],
  },
  {
    text:
      'The page opens only for a browser on the same machine as the service. It needs the key that `gatehouse ' +
      'mail key` prints, or the session of a super administrator.',
    security: [],
    operations: ['showMailsPage'],
  },
];

const ACCESS: ReadonlyMap<string, PublicAccess> = new Map(
  [NOBODY, ...CLIENTS, ...BROWSERS, ...CARRIED].flatMap((access) =>
    access.operations.map((operationId) => [operationId, access] as const),
  ),
);

export const DESCRIBED_PUBLIC_OPERATIONS: readonly string[] = [...ACCESS.keys()];

export const publicAccessOf = (operationId: string): Pick<PublicAccess, 'text' | 'security'> =>
  ACCESS.get(operationId) ?? NOBODY;

const IF_SENT = 'An `Authorization` header is not needed, but must be valid if it is sent.';
const STATE_TOKEN = `The credential is the state token in the body. ${IF_SENT}`;

function recoveryAccess(permission: string): string {
  return (
    `No credential is needed. With an API token whose user’s roles grant \`${permission}\`, the response contains ` +
    'the token instead, and no email is sent. An `Authorization` header must be valid if it is sent.'
  );
}

/** Authenticated operations that accept fewer kinds of credentials than the others. */
const NARROWER_ACCESS: Readonly<Record<string, Pick<PublicAccess, 'text' | 'security'>>> = {
  revokeCurrentApiToken: {
    text: 'The request needs an API token. Other credentials are refused.',
    security: [{ apiToken: [] }],
  },
};

export const narrowerAccessOf = (operationId: string): Pick<PublicAccess, 'text' | 'security'> | undefined =>
  NARROWER_ACCESS[operationId];

/**
 * The way in which callers of some operations with optional credentials show who they are. The other operations take a
 * state token.
 */
const OPTIONAL_ACCESS: Readonly<Record<string, string>> = {
  authenticate: `The credential is the password or the token in the body. ${IF_SENT}`,
  authnVerifyRecoveryToken: `The credential is the recovery token in the body, which can be used once. ${IF_SENT}`,
  authnForgotPassword: recoveryAccess('users.credentials.reset'),
  authnUnlockAccount: recoveryAccess('users.unlock'),
};

export const optionalAccessOf = (operationId: string): string => OPTIONAL_ACCESS[operationId] ?? STATE_TOKEN;
