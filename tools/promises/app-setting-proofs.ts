import { all, ruled, type Settings, shown } from './proof.ts';

const NOBODY = 'No page shows it to users, and no decision depends on it.';
const NO_HOOKS = 'There are no inline hooks or identity stores that it could name.';

// biome-ignore format: each setting is one line
export const APPS: Settings = {
  signOnMode: shown('apps-modes', 'its name says the mode, which may be left out where no other has it'),
  name: shown('apps-modes', 'its name says the mode, which may be left out where no other has it'),
  label: shown('consent-page', 'names app, org and user, and links to what the app says of itself'),
  'visibility.hide.web': shown('app-links', 'marks what hides itself, and where a password is kept'),
  'visibility.appLinks': shown('app-links', 'has a link for each that its visibility shows, and its own where it shows none'),
  'settings.implicitAssignment': shown('app-users-scopes', 'an app that is assigned implicitly is of everyone, without being listed'),
  'credentials.signing.kid': shown('apps-signing-keys', 'another one signs from when the app names it; both kids stand in the event'),
  ...all('credentials.userNameTemplate.template credentials.userNameTemplate.type', ruled('management/app-assignments/names/user-names', '%s makes %s')),
  'credentials.userNameTemplate.userSuffix': ruled('management/app-assignments/names/user-names', 'a suffix stands behind the name, and not behind nothing'),
  'credentials.scheme': shown('app-users', '400 E0000041 for a password of a scheme that leaves the user none'),
  ...all('credentials.userName credentials.password', shown('apps-shared-passwords', 'is sealed, said to be there, and shown nowhere')),

  ...all('accessibility.selfService accessibility.errorRedirectUrl accessibility.loginRedirectUrl', 'Users cannot request apps, and refusals are shown on our pages.'),
  ...all('visibility.autoLaunch visibility.autoSubmitToolbar visibility.hide.iOS', 'There is no toolbar and no mobile app, and signing in starts no app.'),
  features: 'The features of the connection decide what provisioning does.',
  'licensing.seatCount': 'Nothing counts seats. It is a note for administrators.',
  ...all('profile settings.manualProvisioning', NOBODY),
  ...all('settings.notes.admin settings.notes.enduser', NOBODY),
  ...all('settings.notifications.vpn.network.connection settings.notifications.vpn.message settings.notifications.vpn.helpUrl', NOBODY),
  ...all('settings.inlineHookId settings.identityStoreId', NO_HOOKS),
  'credentials.userNameTemplate.pushStatus': 'Nothing is pushed to apps.',
  'credentials.revealPassword': 'No page shows the stored password of an app.',
};

const STARTED = shown('app-links', 'a link of %s leads somewhere, or to what is missing');
const METADATA = shown(
  'apps-signing-keys',
  'of another of its keys, with logging out, and with an issuer of the administrator',
);
const NOT_FILLED = 'Nothing fills in forms in a browser. Users are told to sign in to the app themselves.';
const NOT_FEDERATED = 'Users cannot sign in with this protocol yet, and the page of such an app says so.';

/** Settings that belong to one kind of app, by the kind's title. */
// biome-ignore format: each setting is one line
export const KINDS: Readonly<Record<string, Settings>> = {
  'SAML 2.0 App': {
    ...all('idpIssuer samlSignedRequestEnabled slo.enabled', METADATA),
    subjectNameIdFormat: shown('apps-signing-keys', 'tells the format of names that the app asks for, and the unspecified one'),
    ...all('defaultRelayState ssoAcsUrl audience recipient destination subjectNameIdTemplate responseSigned assertionSigned signatureAlgorithm digestAlgorithm', NOT_FEDERATED),
    ...all('honorForceAuthn authnContextClassRef spIssuer requestCompressed inlineHooks.id allowMultipleAcsEndpoints acsEndpoints.url acsEndpoints.index', NOT_FEDERATED),
    ...all('attributeStatements.type attributeStatements.name attributeStatements.namespace attributeStatements.values attributeStatements.filterType attributeStatements.filterValue', NOT_FEDERATED),
    ...all('assertionEncryption.enabled assertionEncryption.keyTransportAlgorithm assertionEncryption.encryptionAlgorithm assertionEncryption.x5c', NOT_FEDERATED),
    ...all('slo.issuer slo.logoutUrl participateSlo.enabled participateSlo.logoutRequestUrl participateSlo.sessionIndexRequired participateSlo.bindingType spCertificate.x5c', NOT_FEDERATED),
    ...all('samlAssertionLifetimeSeconds audienceOverride destinationOverride recipientOverride ssoAcsUrlOverride', NOT_FEDERATED),
  },
  'SAML 1.1 App': all('defaultRelayState ssoAcsUrlOverride audienceOverride recipientOverride', NOT_FEDERATED),
  'WS-Federation App': all('siteURL realm wReplyURL wReplyOverride nameIDFormat audienceRestriction authnContextClassRef groupFilter groupName groupValueFormat usernameAttribute attributeStatements', NOT_FEDERATED),
  'Secure Web Authentication App': { loginUrl: STARTED, redirectUrl: NOT_FILLED },
  'Basic Authentication App': { url: STARTED, ...all('loginUrlRegex authURL', NOT_FILLED) },
  'Browser Plugin App': { url: STARTED, ...all('loginUrlRegex usernameField redirectUrl buttonField checkbox passwordField', NOT_FILLED) },
  'Browser Plugin App (3 fields)': { targetURL: STARTED, ...all('loginUrlRegex extraFieldSelector extraFieldValue redirectUrl userNameSelector passwordSelector buttonSelector', NOT_FILLED) },
  'Secure Password Store App': { url: STARTED, ...all('usernameField passwordField optionalField1 optionalField1Value optionalField2 optionalField2Value optionalField3 optionalField3Value', NOT_FILLED) },
  'Bookmark App': { url: shown('app-links', 'leads to a bookmark, and tells it'), requestIntegration: 'No request to integrate an app is sent. It is a note for administrators.' },
};
