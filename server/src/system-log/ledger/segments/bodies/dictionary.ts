// The dictionary is the text that precedes each part when its bodies are compressed. It never changes, even if the
// texts of events do, because stored parts cannot be read with another dictionary. A better dictionary requires a new
// format version. Deflate refers to near text in fewer bits, so the most frequent text comes last.

/** The types and messages of rarer events, and a few reasons, without the text between them. */
const RARE_TYPES = [
  'app.oauth2.as.authorize.implicit.access_token User signed on to an application',
  'app.oauth2.as.consent.grant User granted consent to an application Consent revoked',
  'app.oauth2.credentials.lifecycle.activate Key or secret of a client created',
  'iam.resourceset.bindings.add Custom role given on a resource set Permission added to a custom role',
  'group.application_assignment.add Application assigned to the group Application taken from the group',
  'group.user_membership.rule.trigger Group rule activated Group rules applied to all users',
  'application.user_membership.add Application assigned to the user Application taken from the user',
  'application.user_membership.update Assignment of the application to the user updated',
  'directory.user_profile.update User schema updated User type created Profile mapping updated',
  'system.email.template.update Customized email template updated Email template customized',
  'system.idp.lifecycle.update Identity provider updated Sign-in routed to an identity provider',
  'system.log_stream.lifecycle.activate Log stream activated Event hook activated event_hook.activated',
  'system.log_stream.delivery Events could not be delivered to a log stream event_hook.delivery an event hook',
  'security.trusted_origin.deactivate Trusted origin created zone.update Network zone updated',
  'security.access.deny Request refused for lack of permission security.request.blocked Request blocked',
  'security.credential.refuse Request with an invalid credential refused INVALID_TOKEN MISSING_PERMISSION',
  'system.org.rate_limit.violation core.framework.ratelimit.exceeded Rate limit of the org exceeded',
  'system.org.rate_limit.warning core.framework.ratelimit.warning Requests of the org come near the rate limit',
  'system.client.rate_limit.violation Rate limit of a client exceeded system.import.complete Import completed',
  'system.api_token.create api.token.create API token created api.token.revoke API token revoked',
  'system.org.update Org settings updated system.log.read System Log read system.log.export exported',
  'user.account.privilege.grant core.user.admin_privilege.granted Administrator role granted to the user',
  'user.account.privilege.revoke core.user.admin_privilege.revoked Administrator role taken from the user',
  'user.account.lock core.user_auth.account_locked User account locked after failed attempts',
  'user.account.unlock User account unlocked after its lockout time by an administrator LOCKED_OUT',
  'user.account.expire_password Password of the user expired user.lifecycle.delete.completed User deleted',
  'user.account.update_password core.user.config.password_update.success Password of the user changed',
  'user.account.reset_password Password of the user reset user.lifecycle.suspend User suspended unsuspended',
  'user.lifecycle.create core.user.config.user_creation.success User created',
  'user.lifecycle.activate core.user.config.user_activated.success User activated reactivated',
  'user.lifecycle.deactivate core.user.config.user_deactivated.success User deactivated',
  'group.user_membership.add core.user_group_member.user_add User added to the group',
  'group.user_membership.remove core.user_group_member.user_remove User removed from the group',
  'app.oauth2.as.authorize.token.grant_failure Token refused invalid_client invalid_grant Token revoked',
  'app.oauth2.as.authorize.code Authorization code of a custom server given Authorization requested',
  'app.oauth2.as.token.grant.access_token Access token of a custom server granted',
  'app.oauth2.token.grant.id_token ID token granted app.oauth2.authorize.code Authorization code given',
  'app.oauth2.token.grant.refresh_token Refresh token granted policy.rule.update Rule of the policy updated',
  'policy.lifecycle.update Policy updated application.lifecycle.update Application updated Group deleted',
].join(' ');

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
export const DICTIONARY: Buffer = Buffer.from(RARE_TYPES + VALUES + COMMON_TYPES + EVENT);
