export const SEVERITIES = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface EventDefinition {
  /** What `displayMessage` says unless the event brings its own. */
  readonly displayMessage: string;
  readonly severity: Severity;
  readonly category: string;
  /** Kinds of targets that it may have, in their order. */
  readonly targetTypes: readonly string[];
  /** Whether event hooks may subscribe to it. */
  readonly hookEligible: boolean;
  /** The name clients knew before the current one; null where there was none. */
  readonly legacyEventType: string | null;
  /** Its name in today's catalogue where the specification (section 6) has another; an org chooses which is emitted. */
  readonly currentEventType: string | null;
}

const event =
  (category: string, targetTypes: readonly string[]) =>
  (displayMessage: string, options: Partial<EventDefinition> = {}): EventDefinition => ({
    displayMessage,
    severity: 'INFO',
    category,
    targetTypes,
    hookEligible: false,
    legacyEventType: null,
    currentEventType: null,
    ...options,
  });

const userEvent = event('user', ['User']);
const tokenEvent = event('api-token', ['Token']);
const orgEvent = event('org', ['Org']);
const originEvent = event('trusted-origin', ['TrustedOrigin']);
const limitEvent = event('rate-limit', ['Bucket']);
const edgeEvent = event('security', []);
const logEvent = event('system-log', ['LogEvent']);
const sessionEvent = event('session', ['User']);
const policyEvent = event('policy', ['Policy']);
const ruleEvent = event('policy', ['Policy', 'Rule']);
const zoneEvent = event('network-zone', ['NetworkZone']);
const idpEvent = event('identity-provider', ['IdentityProvider']);
const idpKeyEvent = event('identity-provider', ['IdentityProviderKey']);
const appEvent = event('application', ['AppInstance']);
const clientCredentialEvent = event('application', ['AppInstance', 'ClientSecret', 'JsonWebKey']);
const grantEvent = event('application', ['AppInstance', 'Scope']);
const tokenEventOfClient = event('oauth', ['PublicClientApp', 'access_token']);
const eventHookEvent = event('event-hook', ['EventHook']);
const logStreamEvent = event('log-stream', ['LogStream']);
const hooked = { hookEligible: true };

/**
 * Every event this service emits. Names are the contract's (event-types.csv) where it has one; those marked `ours` name
 * what it has no event for. docs/generated/events.md is this table.
 */
export const EVENTS = {
  'user.lifecycle.create': userEvent('User created', {
    ...hooked,
    legacyEventType: 'core.user.config.user_creation.success',
  }),
  'user.lifecycle.activate': userEvent('User activated', {
    ...hooked,
    legacyEventType: 'core.user.config.user_activated.success',
  }),
  'user.lifecycle.reactivate': userEvent('User reactivated', hooked),
  'user.lifecycle.deactivate': userEvent('User deactivated', {
    ...hooked,
    legacyEventType: 'core.user.config.user_deactivated.success',
  }),
  'user.lifecycle.suspend': userEvent('User suspended', hooked),
  'user.lifecycle.unsuspend': userEvent('User unsuspended', hooked),
  'user.lifecycle.delete.initiated': userEvent('User deletion started', hooked),
  'user.lifecycle.delete.completed': userEvent('User deleted'),
  'user.account.update_profile': userEvent('User profile updated', {
    ...hooked,
    legacyEventType: 'core.user.config.profile_update.success',
  }),
  'user.account.update_user_type': userEvent('User moved to another user type'),
  'user.account.update_password': userEvent('Password of the user changed', {
    ...hooked,
    legacyEventType: 'core.user.config.password_update.success',
  }),
  'user.account.reset_password': userEvent('Password of the user reset', hooked),
  'user.account.expire_password': userEvent('Password of the user expired'),
  'user.account.lock': userEvent('User account locked after failed attempts', {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.user_auth.account_locked',
  }),
  'user.account.unlock': userEvent('User account unlocked after its lockout time', hooked),
  'user.account.unlock_by_admin': userEvent('User account unlocked by an administrator', hooked),
  'user.account.unlock_token': userEvent('Token issued with which the user can unlock the account'),
  'user.account.use_token': userEvent('Recovery token refused', { severity: 'WARN' }),
  'user.account.privilege.grant': userEvent('Administrator role granted to the user', {
    ...hooked,
    legacyEventType: 'core.user.admin_privilege.granted',
  }),
  'user.account.privilege.revoke': userEvent('Administrator role taken from the user', {
    ...hooked,
    legacyEventType: 'core.user.admin_privilege.revoked',
  }),
  /** Signing in (specification 2.5: a failed one has no session). */
  'user.session.start': sessionEvent('User signed in', { ...hooked, legacyEventType: 'core.user_auth.login_success' }),
  'user.session.end': sessionEvent('User signed out', { ...hooked, legacyEventType: 'core.user_auth.logout_success' }),
  /** ours: the catalogue has no name for a session that was extended. */
  'user.session.refresh': sessionEvent('Session of the user extended'),
  'user.session.clear': sessionEvent('Sessions of the user ended', hooked),
  'user.authentication.auth': sessionEvent('User authenticated'),
  'policy.evaluate_sign_on': ruleEvent('Sign-on policy evaluated'),
  'policy.lifecycle.create': policyEvent('Policy created'),
  'policy.lifecycle.update': policyEvent('Policy updated', hooked),
  'policy.lifecycle.activate': policyEvent('Policy activated', hooked),
  'policy.lifecycle.deactivate': policyEvent('Policy deactivated', hooked),
  'policy.lifecycle.delete': policyEvent('Policy deleted'),
  'policy.rule.add': ruleEvent('Rule added to the policy', hooked),
  'policy.rule.update': ruleEvent('Rule of the policy updated', hooked),
  'policy.rule.activate': ruleEvent('Rule of the policy activated', hooked),
  'policy.rule.deactivate': ruleEvent('Rule of the policy deactivated', hooked),
  'policy.rule.delete': ruleEvent('Rule of the policy deleted', hooked),
  'zone.create': zoneEvent('Network zone created'),
  'zone.update': zoneEvent('Network zone updated'),
  'zone.activate': zoneEvent('Network zone activated'),
  'zone.deactivate': zoneEvent('Network zone deactivated'),
  'zone.delete': zoneEvent('Network zone deleted'),
  'zone.make_blacklist': zoneEvent('Network zone made a blocklist'),
  'zone.remove_blacklist': zoneEvent('Network zone is no longer a blocklist'),
  'system.idp.lifecycle.create': idpEvent('Identity provider created', hooked),
  'system.idp.lifecycle.update': idpEvent('Identity provider updated', hooked),
  'system.idp.lifecycle.activate': idpEvent('Identity provider activated', hooked),
  'system.idp.lifecycle.deactivate': idpEvent('Identity provider deactivated', hooked),
  'system.idp.lifecycle.delete': idpEvent('Identity provider deleted', hooked),
  'system.idp.key.create': idpKeyEvent('Key of an identity provider created', hooked),
  'system.idp.key.update': idpKeyEvent('Key of an identity provider updated', hooked),
  'system.idp.key.delete': idpKeyEvent('Key of an identity provider deleted', hooked),
  /** ours: which identity provider the routing rules chose; counted, at most one per org, client, rule and minute. */
  'system.idp.route': event('identity-provider', ['Policy', 'Rule', 'IdentityProvider'])(
    'Sign-in routed to an identity provider',
  ),
  'application.lifecycle.create': appEvent('Application created', hooked),
  'application.lifecycle.update': appEvent('Application updated', hooked),
  'application.lifecycle.activate': appEvent('Application activated', hooked),
  'application.lifecycle.deactivate': appEvent('Application deactivated', hooked),
  'application.lifecycle.delete': appEvent('Application deleted', hooked),
  'app.oauth2.credentials.lifecycle.create': clientCredentialEvent('Key or secret of a client created'),
  'app.oauth2.credentials.lifecycle.activate': clientCredentialEvent('Key or secret of a client activated'),
  'app.oauth2.credentials.lifecycle.deactivate': clientCredentialEvent('Key or secret of a client deactivated'),
  'app.oauth2.credentials.lifecycle.delete': clientCredentialEvent('Key or secret of a client deleted'),
  'app.oauth2.client.read_client_secret': clientCredentialEvent('Secrets of a client read'),
  'app.oauth2.admin.consent.grant': grantEvent('Scope granted to a client by an administrator'),
  'app.oauth2.admin.consent.revoke': grantEvent('Scope of a client revoked by an administrator'),
  'app.oauth2.client.privilege.grant': appEvent('Administrator role granted to a client', hooked),
  'app.oauth2.client.privilege.revoke': appEvent('Administrator role taken from a client', hooked),
  'app.oauth2.token.grant.access_token': tokenEventOfClient('Access token granted'),
  'app.oauth2.as.authorize.token.grant_failure': event('oauth', ['PublicClientApp'])('Token refused', {
    severity: 'WARN',
    currentEventType: 'app.oauth2.token.grant',
  }),
  'app.oauth2.token.revoke': tokenEventOfClient('Access token revoked'),
  'app.oauth2.key.rollover': event('oauth', ['AuthorizationServer'])('Signing key of the authorization server rotated'),
  'system.api_token.create': tokenEvent('API token created', { ...hooked, legacyEventType: 'api.token.create' }),
  'system.api_token.update': tokenEvent('API token updated'),
  'system.api_token.revoke': tokenEvent('API token revoked', { ...hooked, legacyEventType: 'api.token.revoke' }),
  'system.api_token.request_outside_allowed_range': tokenEvent('API token used from outside its network', {
    ...hooked,
    severity: 'WARN',
  }),
  'system.org.lifecycle.create': orgEvent('Org created'),
  /** ours */
  'system.org.update': orgEvent('Org settings updated'),
  /** ours */
  'system.org.rename': orgEvent('Subdomain of the org changed'),
  /** ours */
  'system.org.domain.add': orgEvent('Custom domain added to the org'),
  /** ours */
  'system.org.trusted_proxy.add': orgEvent('Trusted proxy added to the org'),
  'directory.user_profile.update': event('schema', ['UserSchema'])('User schema updated'),
  'security.trusted_origin.create': originEvent('Trusted origin created', hooked),
  'security.trusted_origin.update': originEvent('Trusted origin updated', hooked),
  'security.trusted_origin.delete': originEvent('Trusted origin deleted', hooked),
  'security.trusted_origin.activate': originEvent('Trusted origin activated', hooked),
  'security.trusted_origin.deactivate': originEvent('Trusted origin deactivated', hooked),
  'system.org.rate_limit.warning': limitEvent('Requests of the org come near the rate limit', {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.framework.ratelimit.warning',
  }),
  'system.org.rate_limit.violation': limitEvent('Rate limit of the org exceeded', {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.framework.ratelimit.exceeded',
  }),
  'system.client.rate_limit.violation': limitEvent('Rate limit of a client exceeded', { severity: 'WARN' }),
  'system.operation.rate_limit.violation': limitEvent('Rate limit of an operation exceeded', { severity: 'WARN' }),
  'core.concurrency.org.limit.violation': limitEvent('Too many requests of the org at once', { severity: 'WARN' }),
  'security.request.blocked': event('security', ['NetworkZone'])('Request blocked', { severity: 'WARN' }),
  /** ours: at most one per org, client and minute; the count is in debugData. */
  'security.credential.refuse': edgeEvent('Request with an invalid credential refused', { severity: 'WARN' }),
  /** ours: at most one per org, client and minute; the count is in debugData. */
  'security.access.deny': edgeEvent('Request refused for lack of permission', { severity: 'WARN' }),
  'event_hook.created': eventHookEvent('Event hook created'),
  'event_hook.updated': eventHookEvent('Event hook updated'),
  'event_hook.activated': eventHookEvent('Event hook activated'),
  'event_hook.deactivated': eventHookEvent('Event hook deactivated'),
  'event_hook.deleted': eventHookEvent('Event hook deleted'),
  'event_hook.verified': eventHookEvent('Verification of an event hook tried'),
  'event_hook.delivery': eventHookEvent('Events could not be delivered to an event hook', { severity: 'WARN' }),
  'system.log_stream.lifecycle.create': logStreamEvent('Log stream created', hooked),
  'system.log_stream.lifecycle.update': logStreamEvent('Log stream updated', hooked),
  'system.log_stream.lifecycle.activate': logStreamEvent('Log stream activated', hooked),
  'system.log_stream.lifecycle.deactivate': logStreamEvent('Log stream deactivated', hooked),
  'system.log_stream.lifecycle.delete': logStreamEvent('Log stream deleted', hooked),
  /** ours: once when deliveries begin to fail, and once when they succeed again. */
  'system.log_stream.delivery': logStreamEvent('Events could not be delivered to a log stream', { severity: 'WARN' }),
  /** ours: a target refused one event for good; it can be sent again from the delivery log. */
  'system.log.delivery.dead_letter': event('system-log', ['EventHook', 'LogStream'])('Event refused by its target', {
    severity: 'WARN',
  }),
  /** ours: an administrator sent a sink back to an earlier position, or on to a later one. */
  'system.log.delivery.replay': event('system-log', ['EventHook', 'LogStream'])(
    'Delivery of events moved to a position',
  ),
  /** ours: events left the service as a file. */
  'system.log.export': event('system-log', [])('System Log exported'),
  /** ours: once per reader and hour. */
  'system.log.read': event('system-log', [])('System Log read'),
  /** ours: stands at the position of an event that the ledger refused. */
  'system.log.event.quarantine': logEvent('Event could not be stored and was set aside', { severity: 'ERROR' }),
  /** ours: personal data of events was erased; their digests stay in the chain. */
  'system.log.event.erase': logEvent('Events erased', { severity: 'WARN' }),
  /** ours: a reader's cursor was older than what is kept. */
  'system.log.cursor.skip': event('system-log', [])('Reader of the System Log went on after dropped events', {
    severity: 'WARN',
  }),
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENTS, name);

export const eventDefinition = (eventType: EventType): EventDefinition => EVENTS[eventType];
