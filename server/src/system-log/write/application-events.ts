import {
  appEvent,
  appUserEvent,
  authorizationEvent,
  authorizationServerEvent,
  clientCredentialEvent,
  consentEvent,
  csrEvent,
  type EventDefinition,
  endedTokenEvent,
  event,
  grantEvent,
  groupEvent,
  hooked,
  refusedTokenEvent,
  serverClaimEvent,
  serverScopeEvent,
  signingKeyEvent,
  tokenEventOfClient,
  tokenEventOfServer,
  userTokenEvent,
} from './event-kinds.ts';

export const APPLICATION_EVENTS = {
  /** This event is not in the contract. It may stand for many routing decisions, whose count is in `debugData`. */
  'system.idp.route': event('identity-provider', ['Policy', 'Rule', 'IdentityProvider'])(
    'Sign-in routed to an identity provider',
    [],
  ),
  'application.lifecycle.create': appEvent('Application created', ['credentials'], hooked),
  'application.lifecycle.update': appEvent('Application updated', ['credentials'], hooked),
  'application.lifecycle.activate': appEvent('Application activated', ['credentials'], hooked),
  'application.lifecycle.deactivate': appEvent('Application deactivated', ['credentials'], hooked),
  'application.lifecycle.delete': appEvent('Application deleted', ['credentials'], hooked),
  'application.user_membership.add': appUserEvent('Application assigned to the user', ['credentials'], hooked),
  'application.user_membership.update': appUserEvent(
    'Assignment of the application to the user updated',
    ['credentials'],
    hooked,
  ),
  'application.user_membership.remove': appUserEvent('Application taken from the user', ['credentials'], hooked),
  'application.user_membership.change_username': appUserEvent('Name of the user in the application changed', []),
  'application.user_membership.change_password': appUserEvent(
    'Password of the user in the application changed',
    [],
    hooked,
  ),
  /** This event is recorded when an app was notified of the end of its user's session, or could not be notified. */
  'user.authentication.slo': event('application', ['AppInstance', 'User'])(
    'Application told of the end of a session',
    [],
  ),
  'group.lifecycle.create': groupEvent('Group created', [], hooked),
  'application.configuration.update_logo': appEvent('Logo of an application changed', []),
  'application.policy.sign_on.update': event('application', ['AppInstance', 'Policy'])(
    'Application put under another policy',
    ['credentials'],
  ),
  'app.keys.generate': signingKeyEvent('Signing key of an application made', []),
  'app.keys.clone': signingKeyEvent('Signing key of an application given to another one', []),
  'app.keys.rotate': signingKeyEvent('Application signs with another key', []),
  'app.app_instance.csr.generate': csrEvent('Certificate requested for an application', []),
  'app.app_instance.csr.publish': csrEvent('Certificate of an application published', []),
  'app.app_instance.csr.revoke': csrEvent('Request for a certificate of an application revoked', []),
  'app.oauth2.credentials.lifecycle.create': clientCredentialEvent('Key or secret of a client created', [
    'credentials',
  ]),
  'app.oauth2.credentials.lifecycle.activate': clientCredentialEvent('Key or secret of a client activated', [
    'credentials',
  ]),
  'app.oauth2.credentials.lifecycle.deactivate': clientCredentialEvent('Key or secret of a client deactivated', [
    'credentials',
  ]),
  'app.oauth2.credentials.lifecycle.delete': clientCredentialEvent('Key or secret of a client deleted', [
    'credentials',
  ]),
  'app.oauth2.client.read_client_secret': clientCredentialEvent('Secrets of a client read', []),
  'app.oauth2.admin.consent.grant': grantEvent('Scope granted to a client by an administrator', ['credentials']),
  'app.oauth2.admin.consent.revoke': grantEvent('Scope of a client revoked by an administrator', ['credentials']),
  'app.oauth2.client.privilege.grant': appEvent('Administrator role granted to a client', ['credentials'], hooked),
  'app.oauth2.client.privilege.revoke': appEvent('Administrator role taken from a client', ['credentials'], hooked),
  'app.oauth2.token.grant.access_token': tokenEventOfClient('Access token granted', []),
  'app.oauth2.token.grant.id_token': userTokenEvent('ID token granted', []),
  'app.oauth2.token.grant.refresh_token': userTokenEvent('Refresh token granted', []),
  'app.oauth2.token.detect_reuse': userTokenEvent('Refresh token used again', [], { severity: 'WARN' }),
  'app.oauth2.as.authorize.token.grant_failure': refusedTokenEvent('Token refused', [], {
    severity: 'WARN',
    currentEventType: 'app.oauth2.token.grant',
  }),
  'app.oauth2.authorize.code': authorizationEvent('Authorization code given', []),
  'app.oauth2.as.authorize.code': authorizationEvent('Authorization code of a custom server given', []),
  /** This event is recorded when a client asks to authenticate a user who is on another device. */
  'app.oauth2.authorize': authorizationEvent('Authorization requested', []),
  'app.oauth2.as.authorize': authorizationEvent('Authorization requested at a custom server', []),
  'app.oauth2.authorize_failure': authorizationEvent('Authorization request refused', [], {
    severity: 'WARN',
    currentEventType: 'app.oauth2.authorize',
  }),
  'app.oauth2.as.authorize_failure': authorizationEvent('Authorization request to a custom server refused', [], {
    severity: 'WARN',
    currentEventType: 'app.oauth2.as.authorize',
  }),
  'app.oauth2.as.authorize.scope_denied_failure': authorizationEvent('Scopes refused by policies', [], {
    severity: 'WARN',
    currentEventType: 'app.oauth2.as.authorize.scope_denied',
  }),
  'app.oauth2.authorize.implicit_success': authorizationEvent('Authorization request answered with tokens', [], {
    currentEventType: 'app.oauth2.authorize.implicit.id_token',
  }),
  'app.oauth2.as.authorize.implicit_success': authorizationEvent(
    'Authorization request to a custom server answered with tokens',
    [],
    { currentEventType: 'app.oauth2.as.authorize.implicit.id_token' },
  ),
  'app.oauth2.authorize.implicit': authorizationEvent('Tokens issued implicitly', [], {
    currentEventType: 'app.oauth2.authorize.implicit.access_token',
  }),
  'app.oauth2.as.authorize.implicit': authorizationEvent('Tokens of a custom server issued implicitly', [], {
    currentEventType: 'app.oauth2.as.authorize.implicit.access_token',
  }),
  'app.oauth2.authorize.implicit.access_token': authorizationEvent('Access token issued implicitly', [], {
    legacyEventType: 'app.oauth2.authorize.implicit',
  }),
  'app.oauth2.as.authorize.implicit.access_token': authorizationEvent(
    'Access token of a custom server issued implicitly',
    [],
    { legacyEventType: 'app.oauth2.as.authorize.implicit' },
  ),
  'app.oauth2.authorize.implicit.id_token': authorizationEvent('ID token issued implicitly', [], {
    legacyEventType: 'app.oauth2.authorize.implicit',
  }),
  'app.oauth2.as.authorize.implicit.id_token': authorizationEvent('ID token of a custom server issued implicitly', [], {
    legacyEventType: 'app.oauth2.as.authorize.implicit',
  }),
  'user.authentication.sso': event('application', ['User', 'AppInstance'])('User signed on to an application', []),
  'app.oauth2.token.revoke': endedTokenEvent('Token revoked', ['credentials']),
  'app.oauth2.token.revoke.implicit.client': endedTokenEvent('Refresh tokens of a client revoked', ['credentials']),
  'app.oauth2.as.consent.grant': consentEvent('User granted consent to an application', ['credentials'], hooked),
  'app.oauth2.as.consent.revoke': consentEvent('Consent revoked', ['credentials'], hooked),
  'oauth2.as.created': authorizationServerEvent('Authorization server created', ['servers', 'signingKeys']),
  'oauth2.as.updated': authorizationServerEvent('Authorization server updated', ['servers', 'signingKeys']),
  'oauth2.as.activated': authorizationServerEvent('Authorization server activated', ['servers', 'signingKeys']),
  'oauth2.as.deactivated': authorizationServerEvent('Authorization server deactivated', ['servers', 'signingKeys']),
  'oauth2.as.deleted': authorizationServerEvent('Authorization server deleted', ['servers', 'signingKeys']),
  'app.oauth2.trusted_server.add': authorizationServerEvent('Authorization server trusted by another one', [
    'servers',
    'credentials',
  ]),
  'app.oauth2.trusted_server.delete': authorizationServerEvent('Authorization server trusted no longer', [
    'servers',
    'credentials',
  ]),
  'oauth2.scope.created': serverScopeEvent('Scope of an authorization server created', ['servers']),
  'oauth2.scope.updated': serverScopeEvent('Scope of an authorization server updated', ['servers']),
  'oauth2.scope.deleted': serverScopeEvent('Scope of an authorization server deleted', ['servers', 'credentials']),
  'oauth2.claim.created': serverClaimEvent('Claim of an authorization server created', ['servers']),
  'oauth2.claim.updated': serverClaimEvent('Claim of an authorization server updated', ['servers']),
  'oauth2.claim.deleted': serverClaimEvent('Claim of an authorization server deleted', ['servers']),
  'app.oauth2.as.token.grant.access_token': tokenEventOfServer('Access token of a custom server granted', []),
  'app.oauth2.as.token.grant.id_token': userTokenEvent('ID token of a custom server granted', []),
  'app.oauth2.as.token.grant.refresh_token': userTokenEvent('Refresh token of a custom server granted', []),
  'app.oauth2.as.token.detect_reuse': userTokenEvent('Refresh token of a custom server used again', [], {
    severity: 'WARN',
  }),
  'app.oauth2.as.token.grant': refusedTokenEvent('Token refused', [], {
    severity: 'WARN',
    legacyEventType: 'app.oauth2.as.authorize.token.grant_failure',
  }),
  'app.oauth2.as.token.revoke': endedTokenEvent('Token of a custom server revoked', ['credentials']),
  'app.oauth2.as.key.rollover': event('oauth', ['AuthorizationServer'])(
    'Signing key of a custom authorization server rotated',
    ['signingKeys'],
  ),
  'app.oauth2.key.rollover': event('oauth', ['AuthorizationServer'])(
    'Signing key of the authorization server rotated',
    ['signingKeys'],
  ),
} as const satisfies Readonly<Record<string, EventDefinition>>;
