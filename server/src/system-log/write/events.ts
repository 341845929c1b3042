import { APPLICATION_EVENTS } from './application-events.ts';
import {
  behaviorEvent,
  bindingEvent,
  customRoleEvent,
  type EventDefinition,
  edgeEvent,
  emailTemplateEvent,
  event,
  eventHookEvent,
  featureEvent,
  groupAssignmentEvent,
  groupEvent,
  groupPrivilegeEvent,
  groupRuleEvent,
  hooked,
  idpEvent,
  idpKeyEvent,
  limitEvent,
  linkedObjectEvent,
  logEvent,
  logStreamEvent,
  memberEvent,
  orgEvent,
  originEvent,
  policyEvent,
  resourceSetEvent,
  rolePermissionEvent,
  ruleEvent,
  sessionEvent,
  tokenEvent,
  userEvent,
  userTypeEvent,
  zoneEvent,
} from './event-kinds.ts';

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
  'group.privilege.grant': groupPrivilegeEvent('Administrator role granted to the group', hooked),
  'group.privilege.revoke': groupPrivilegeEvent('Administrator role taken from the group', hooked),
  'iam.role.create': customRoleEvent('Custom role created', hooked),
  'iam.role.update': customRoleEvent('Custom role updated', hooked),
  'iam.role.delete': customRoleEvent('Custom role deleted', hooked),
  'iam.role.permissions.add': customRoleEvent('Permission added to a custom role', hooked),
  'iam.role.permissions.delete': customRoleEvent('Permission taken from a custom role', hooked),
  'iam.role.permission.conditions.add': rolePermissionEvent('Permission of a custom role narrowed', hooked),
  'iam.role.permission.conditions.delete': rolePermissionEvent('Permission of a custom role widened', hooked),
  'iam.resourceset.create': resourceSetEvent('Resource set created', hooked),
  'iam.resourceset.update': resourceSetEvent('Resource set updated', hooked),
  'iam.resourceset.delete': resourceSetEvent('Resource set deleted', hooked),
  'iam.resourceset.resources.add': resourceSetEvent('Resources added to a resource set', hooked),
  'iam.resourceset.resources.update': resourceSetEvent('Conditions of a resource changed', hooked),
  'iam.resourceset.resources.delete': resourceSetEvent('Resources taken from a resource set', hooked),
  'iam.resourceset.bindings.add': bindingEvent('Custom role given on a resource set', hooked),
  'iam.resourceset.bindings.delete': bindingEvent('Custom role taken on a resource set', hooked),
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
  'group.profile.update': groupEvent('Group profile updated', hooked),
  'group.lifecycle.delete': groupEvent('Group deleted', hooked),
  'group.user_membership.add': memberEvent('User added to the group', {
    ...hooked,
    legacyEventType: 'core.user_group_member.user_add',
  }),
  'group.user_membership.remove': memberEvent('User removed from the group', {
    ...hooked,
    legacyEventType: 'core.user_group_member.user_remove',
  }),
  /** ours, as are update and delete: the catalogue has no name for what becomes of a group rule before it is active. */
  'group.user_membership.rule.create': groupRuleEvent('Group rule created'),
  /** ours */
  'group.user_membership.rule.update': groupRuleEvent('Group rule updated'),
  /** ours */
  'group.user_membership.rule.delete': groupRuleEvent('Group rule deleted'),
  'group.user_membership.rule.trigger': groupRuleEvent('Group rule activated'),
  'group.user_membership.rule.deactivated': groupRuleEvent('Group rule deactivated'),
  'group.user_membership.rule.invalidate': groupRuleEvent('Group rule became invalid', { severity: 'WARN' }),
  'group.user_membership.rule.add_exclusion': groupRuleEvent('User excluded from the group rule'),
  'group.user_membership.rule.evaluation': event('group', [])('Group rules applied to all users'),
  'group.user_membership.rule.error': groupRuleEvent('Group rule could not be evaluated', { severity: 'WARN' }),
  'resource.owner.update': event('resource', ['UserGroup', 'User'])('Owners of the group changed', hooked),
  'group.application_assignment.add': groupAssignmentEvent('Application assigned to the group', hooked),
  'group.application_assignment.update': groupAssignmentEvent(
    'Assignment of the application to the group updated',
    hooked,
  ),
  'group.application_assignment.remove': groupAssignmentEvent('Application taken from the group', hooked),
  'system.api_token.create': tokenEvent('API token created', { ...hooked, legacyEventType: 'api.token.create' }),
  'system.api_token.update': tokenEvent('API token updated'),
  'system.api_token.revoke': tokenEvent('API token revoked', { ...hooked, legacyEventType: 'api.token.revoke' }),
  'system.api_token.request_outside_allowed_range': tokenEvent('API token used from outside its network', {
    ...hooked,
    severity: 'WARN',
  }),
  'system.org.lifecycle.create': orgEvent('Org created'),
  /** In the log of the default org, like the next one: its own goes with it. */
  'account.org.delete.request': orgEvent('Deletion of the org requested', { severity: 'WARN' }),
  /** ours */
  'system.org.lifecycle.delete': orgEvent('Org deleted', { severity: 'WARN' }),
  /** ours */
  'system.org.update': orgEvent('Org settings updated'),
  /** ours */
  'system.org.rename': orgEvent('Subdomain of the org changed'),
  /** ours */
  'system.org.domain.add': orgEvent('Custom domain added to the org'),
  /** ours */
  'system.org.trusted_proxy.add': orgEvent('Trusted proxy added to the org'),
  'system.feature.enable': featureEvent('Feature enabled'),
  'system.feature.disable': featureEvent('Feature disabled'),
  'directory.user_profile.update': event('schema', ['UserSchema'])('User schema updated'),
  'directory.non_default_user_profile.create': userTypeEvent('User type created'),
  /** ours */
  'directory.non_default_user_profile.update': userTypeEvent('User type updated'),
  /** ours */
  'directory.non_default_user_profile.delete': userTypeEvent('User type deleted'),
  /** ours */
  'directory.group_profile.update': event('schema', ['GroupSchema'])('Group schema updated'),
  'directory.app_user_profile.update': event('schema', ['AppUserSchema'])('App user schema updated'),
  'directory.linked_object.create': linkedObjectEvent('Linked object created'),
  'directory.linked_object.delete': linkedObjectEvent('Linked object deleted'),
  'directory.mapping.update': event('schema', ['ProfileMapping'])('Profile mapping updated'),
  'security.behavior.settings.create': behaviorEvent('Behavior created'),
  'security.behavior.settings.update': behaviorEvent('Behavior updated'),
  'security.behavior.settings.delete': behaviorEvent('Behavior deleted'),
  'system.theme.update': event('brand', ['Theme'])('Theme updated'),
  'system.email.template.create': emailTemplateEvent('Email template customized'),
  'system.email.template.update': emailTemplateEvent('Customized email template updated'),
  'system.email.template.delete': emailTemplateEvent('Customized email template deleted'),
  'system.email.template.settings_changed': emailTemplateEvent('Settings of an email template changed'),
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
  /** These two record an import of users from a file. */
  'system.import.start': event('import', [])('Import started', hooked),
  'system.import.complete': event('import', [])('Import completed', hooked),
  /** ours: a whole org was written to a file, or made of one. */
  'system.org.export': orgEvent('Organization exported', { severity: 'WARN' }),
  'system.org.import': orgEvent('Organization imported', { severity: 'WARN' }),
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
  ...APPLICATION_EVENTS,
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENTS, name);

export const eventDefinition = (eventType: EventType): EventDefinition => EVENTS[eventType];
