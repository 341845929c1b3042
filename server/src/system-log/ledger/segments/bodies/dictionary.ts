// The dictionary is the text that precedes each part when its bodies are compressed. It never changes, even if the
// texts of events do, because stored parts cannot be read with another dictionary. A better dictionary requires a new
// format version. Deflate refers to near text in fewer bits, so the most frequent text comes last. The dictionary is
// inflated with every part that a reader opens, so it leaves out the texts of rare types of events.

/** Members, values and parts of both that occur in the events of many installations. */
const VALUES = [
  '"EMAIL_FACTOR","OTP_FACTOR","ENTERPRISE","FACTOR_PROVIDER","FEDERATION","SOCIAL","SKIPPED","UNKNOWN","ALLOW","DENY"',
  '"credentialProvider":"SVC_CREDENTIAL_PROVIDER","Group rule","UserGroup","AppUser","AuthorizationServer","Scope"',
  '"type":"access_token","type":"refresh_token","type":"id_token","type":"PolicyEntity","IdentityProvider"',
  '"SystemPrincipal","alternateId":"system@svc","displayName":"Service","relay","housekeeping","JOB"',
  '"/api/v1/apps/","/api/v1/groups/","/api/v1/policies/","/api/v1/sessions/me/lifecycle/refresh","/api/v1/logs"',
  '"/api/v1/users/","/lifecycle/deactivate","/credentials/change_password","/login/sessionCookieRedirect"',
  '"country":"Netherlands","country":"Australia","country":"Brazil","country":"Japan","country":"South Korea"',
  '"country":"India","country":"Canada","country":"China","country":"Italy","country":"Spain"',
  '"country":"France","country":"United Kingdom","country":"Germany","country":"United States"',
  '"rawUserAgent":"curl/8.","os":"Unknown","browser":"UNKNOWN"},"zone":"null","device":"Unknown","id":"0oa',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  '","os":"Android 1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ',
  'Version/18.1 Mobile/15E148 Safari/604.1","os":"iOS (iPhone)","browser":"SAFARI"},"zone":"null","device":"Mobile"',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","os":"Linux","browser":"FIREFOX"}',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 ',
  'Safari/605.1.15","os":"Mac OS X","browser":"SAFARI"}',
  '"displayMessage":"Access token granted","actor":{"id":"0oa","type":"PublicClientApp","alternateId":"0oa',
  '"credentialType":"OAuth 2.0","issuer":{"id":"https://","type":"OAUTH2"},"externalSessionId":null',
  '"detail":{"requestApiTokenId":"AT."}},"debugContext":{"debugData":{"requestId":"',
  '","requestUri":"/oauth2/v1/token","url":"/oauth2/v1/token?","grantType":"client_credentials"',
  ',"clientAuthType":"private_key_jwt","requestedScopes":"svc.users.read svc.logs.read"',
  ',"grantedScopes":"svc.users.manage svc.apps.read","tokenType":"Bearer"}},"grantType":"authorization_code"',
  ',"scopes":"openid profile email offline_access","clientAuthType":"client_secret_basic"',
  '"outcome":{"result":"FAILURE","reason":"INVALID_CREDENTIALS"},"severity":"WARN"',
  '"changeDetails":{"from":{"},"to":{"}}}],"transaction":{"type":"WEB","id":"',
  '","detail":{"requestApiTokenId":"00T',
  '"outcome":{"result":"ALLOW","reason":"Sign-on policy evaluation resulted in ALLOW"},"target":[{"id":"00p',
  '","type":"Policy","alternateId":"unknown","displayName":"Policy","detailEntry":null,"changeDetails":null},',
  '{"id":"0pr","type":"Rule","alternateId":"unknown","displayName":"Default Rule',
  '"type":"AppInstance","alternateId":"","displayName":"","detailEntry":null,"changeDetails":null},{"id":"00u',
  '"zones":"LegacyIpZone","zones":"","risk":"{level=LOW}","behaviors":"{New Device=NEGATIVE}"',
].join('');

/** The arguments are JSON texts. */
const ofType = (type: string, legacyType: string, message: string): string =>
  `"eventType":${type},"version":"0","severity":"INFO","legacyEventType":${legacyType},"displayMessage":${message},`;

const COMMON_TYPES = [
  ofType('"user.account.update_profile"', '"core.user.config.profile_update.success"', '"User profile updated"'),
  ofType('"app.oauth2.token.grant.access_token"', 'null', '"Access token granted"'),
  ofType('"user.session.refresh"', 'null', '"Session of the user extended"'),
  ofType('"user.session.end"', '"core.user_auth.logout_success"', '"User signed out"'),
  ofType('"policy.evaluate_sign_on"', 'null', '"Sign-on policy evaluated"'),
  ofType('"user.authentication.auth"', 'null', '"User authenticated"'),
].join('');

/** The text of an event as the renderer writes it, with alternatives for some members, but without most values. */
const EVENT = [
  '{"uuid":"","published":"2026-',
  'Z",',
  ofType('"user.session.start"', '"core.user_auth.login_success"', '"User signed in"'),
  '"actor":{"id":"00u","type":"User","alternateId":"@example.com","displayName":"","detailEntry":null},"client":{',
  '"userAgent":{"rawUserAgent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ',
  'Chrome/140.0.0.0 Safari/537.36","os":"Windows 10","browser":"CHROME"},"zone":"null","device":"Computer","id":null,',
  '"ipAddress":"","geographicalContext":{"city":null,"state":null,"country":"United States","postalCode":null,',
  '"geolocation":{"lat":,"lon":-}}},"geolocation":null}},"device":null,"authenticationContext":{',
  '"authenticationProvider":null,"credentialProvider":null,"credentialType":null,"issuer":null,',
  '"externalSessionId":null,"interface":null,"authenticationStep":0,"rootSessionId":null},',
  '"authenticationProvider":"SVC_AUTHENTICATION_PROVIDER","credentialProvider":null,"credentialType":"PASSWORD",',
  '"credentialType":"SVC_CLIENT_SESSION","issuer":null,"externalSessionId":"102","interface":null,',
  '"authenticationStep":0,"rootSessionId":"102"},"outcome":{"result":"SUCCESS","reason":null},"target":null,',
  '"target":[{"id":"00u","type":"User","alternateId":"","displayName":"","detailEntry":null,"changeDetails":null}],',
  '"transaction":{"type":"WEB","id":"","detail":{}},"debugContext":{"debugData":{"requestId":"',
  '","deviceFingerprint":"","requestUri":"/api/v1/users","url":"/api/v1/users?',
  '","requestUri":"/api/v1/authn","url":"/api/v1/authn?"}},"securityContext":{"asNumber":null,"asOrg":null,',
  '"isp":null,"domain":null,"isProxy":null,"ipDetails":null,"userBehaviors":null,"risk":null,"botProtection":null},',
  '"request":{"ipChain":[{"ip":"","geographicalContext":{"city":null,"state":null,"country":"","postalCode":null,',
  '"geolocation":null},"version":"V4","source":null,"ipDetails":null},{"ip":"","geographicalContext":null,',
  '"version":"V4","source":null,"ipDetails":null}]}}{"uuid":"","published":"2026-',
].join('');

/** The dictionary of format version 1. It must fit into a stored block of deflate, which has at most 65,535 bytes. */
export const DICTIONARY: Buffer = Buffer.from(VALUES + COMMON_TYPES + EVENT);
