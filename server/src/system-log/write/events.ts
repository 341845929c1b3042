import { APPLICATION_EVENTS } from './application-events.ts';
import {
  behaviorEvent,
  CACHES,
  type EventDefinition,
  edgeEvent,
  emailTemplateEvent,
  event,
  eventHookEvent,
  featureEvent,
  groupAssignmentEvent,
  groupEvent,
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
  ruleEvent,
  tokenEvent,
  userTypeEvent,
  zoneEvent,
} from './event-kinds.ts';
import { USER_EVENTS } from './user-events.ts';

/**
 * Every event of this service. Its name is from the contract or the specification, or else its comment says that it is
 * not in the contract.
 */
export const EVENTS = {
  ...USER_EVENTS,
  'policy.evaluate_sign_on': ruleEvent('Sign-on policy evaluated', []),
  'policy.lifecycle.create': policyEvent('Policy created', ['policies', 'servers', 'credentials']),
  'policy.lifecycle.update': policyEvent('Policy updated', ['policies', 'servers', 'credentials'], hooked),
  'policy.lifecycle.activate': policyEvent('Policy activated', ['policies', 'servers', 'credentials'], hooked),
  'policy.lifecycle.deactivate': policyEvent('Policy deactivated', ['policies', 'servers', 'credentials'], hooked),
  'policy.lifecycle.delete': policyEvent('Policy deleted', ['policies', 'servers', 'credentials']),
  'policy.rule.add': ruleEvent('Rule added to the policy', ['policies', 'servers', 'credentials'], hooked),
  'policy.rule.update': ruleEvent('Rule of the policy updated', ['policies', 'servers', 'credentials'], hooked),
  'policy.rule.activate': ruleEvent('Rule of the policy activated', ['policies', 'servers', 'credentials'], hooked),
  'policy.rule.deactivate': ruleEvent('Rule of the policy deactivated', ['policies', 'servers', 'credentials'], hooked),
  'policy.rule.delete': ruleEvent('Rule of the policy deleted', ['policies', 'servers', 'credentials'], hooked),
  'zone.create': zoneEvent('Network zone created', ['zones', 'orgs']),
  'zone.update': zoneEvent('Network zone updated', ['zones', 'orgs']),
  'zone.activate': zoneEvent('Network zone activated', ['zones', 'orgs']),
  'zone.deactivate': zoneEvent('Network zone deactivated', ['zones', 'orgs']),
  'zone.delete': zoneEvent('Network zone deleted', ['zones', 'orgs']),
  'zone.make_blacklist': zoneEvent('Network zone made a blocklist', ['zones', 'orgs']),
  'zone.remove_blacklist': zoneEvent('Network zone is no longer a blocklist', ['zones', 'orgs']),
  'system.idp.lifecycle.create': idpEvent('Identity provider created', ['policies'], hooked),
  'system.idp.lifecycle.update': idpEvent('Identity provider updated', ['policies'], hooked),
  'system.idp.lifecycle.activate': idpEvent('Identity provider activated', ['policies'], hooked),
  'system.idp.lifecycle.deactivate': idpEvent('Identity provider deactivated', ['policies'], hooked),
  'system.idp.lifecycle.delete': idpEvent('Identity provider deleted', ['policies'], hooked),
  'system.idp.key.create': idpKeyEvent('Key of an identity provider created', [], hooked),
  'system.idp.key.update': idpKeyEvent('Key of an identity provider updated', [], hooked),
  'system.idp.key.delete': idpKeyEvent('Key of an identity provider deleted', [], hooked),
  'group.profile.update': groupEvent('Group profile updated', [], hooked),
  'group.lifecycle.delete': groupEvent('Group deleted', ['credentials'], hooked),
  'group.user_membership.add': memberEvent('User added to the group', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user_group_member.user_add',
  }),
  'group.user_membership.remove': memberEvent('User removed from the group', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user_group_member.user_remove',
  }),
  /** This event is not in the contract. */
  'group.user_membership.rule.create': groupRuleEvent('Group rule created', []),
  /** This event is not in the contract. */
  'group.user_membership.rule.update': groupRuleEvent('Group rule updated', []),
  /** This event is not in the contract. */
  'group.user_membership.rule.delete': groupRuleEvent('Group rule deleted', ['credentials']),
  'group.user_membership.rule.trigger': groupRuleEvent('Group rule activated', ['credentials']),
  'group.user_membership.rule.deactivated': groupRuleEvent('Group rule deactivated', ['credentials']),
  'group.user_membership.rule.invalidate': groupRuleEvent('Group rule became invalid', ['credentials'], {
    severity: 'WARN',
  }),
  'group.user_membership.rule.add_exclusion': groupRuleEvent('User excluded from the group rule', ['credentials']),
  'group.user_membership.rule.evaluation': event('group', [])('Group rules applied to all users', ['credentials']),
  'group.user_membership.rule.error': groupRuleEvent('Group rule could not be evaluated', [], { severity: 'WARN' }),
  'resource.owner.update': event('resource', ['UserGroup', 'User'])('Owners of the group changed', [], hooked),
  'group.application_assignment.add': groupAssignmentEvent(
    'Application assigned to the group',
    ['credentials'],
    hooked,
  ),
  'group.application_assignment.update': groupAssignmentEvent(
    'Assignment of the application to the group updated',
    ['credentials'],
    hooked,
  ),
  'group.application_assignment.remove': groupAssignmentEvent(
    'Application taken from the group',
    ['credentials'],
    hooked,
  ),
  'system.api_token.create': tokenEvent('API token created', [], { ...hooked, legacyEventType: 'api.token.create' }),
  'system.api_token.update': tokenEvent('API token updated', ['credentials']),
  'system.api_token.revoke': tokenEvent('API token revoked', ['credentials'], {
    ...hooked,
    legacyEventType: 'api.token.revoke',
  }),
  'system.api_token.request_outside_allowed_range': tokenEvent('API token used from outside its network', [], {
    ...hooked,
    severity: 'WARN',
  }),
  'system.org.lifecycle.create': orgEvent('Org created', ['orgs']),
  /**
   * This event is recorded in the log of the installation's first org, because the deleted org's own log is deleted
   * too.
   */
  'account.org.delete.request': orgEvent('Deletion of the org requested', ['orgs', 'credentials'], {
    severity: 'WARN',
  }),
  /** This event is not in the contract. */
  'system.org.lifecycle.delete': orgEvent('Org deleted', ['orgs', 'credentials'], { severity: 'WARN' }),
  /** This event is not in the contract. */
  'system.org.update': orgEvent('Org settings updated', ['orgs']),
  /** This event is not in the contract. */
  'system.org.rename': orgEvent('Subdomain of the org changed', ['orgs']),
  /** This event is not in the contract. */
  'system.org.domain.add': orgEvent('Custom domain added to the org', ['orgs']),
  /** This event is not in the contract. */
  'system.org.trusted_proxy.add': orgEvent('Trusted proxy added to the org', ['orgs']),
  'system.feature.enable': featureEvent('Feature enabled', ['orgs']),
  'system.feature.disable': featureEvent('Feature disabled', ['orgs']),
  'directory.user_profile.update': event('schema', ['UserSchema'])('User schema updated', []),
  'directory.non_default_user_profile.create': userTypeEvent('User type created', []),
  /** This event is not in the contract. */
  'directory.non_default_user_profile.update': userTypeEvent('User type updated', []),
  /** This event is not in the contract. */
  'directory.non_default_user_profile.delete': userTypeEvent('User type deleted', []),
  /** This event is not in the contract. */
  'directory.group_profile.update': event('schema', ['GroupSchema'])('Group schema updated', []),
  'directory.app_user_profile.update': event('schema', ['AppUserSchema'])('App user schema updated', []),
  'directory.linked_object.create': linkedObjectEvent('Linked object created', []),
  'directory.linked_object.delete': linkedObjectEvent('Linked object deleted', []),
  'directory.mapping.update': event('schema', ['ProfileMapping'])('Profile mapping updated', []),
  'security.behavior.settings.create': behaviorEvent('Behavior created', []),
  'security.behavior.settings.update': behaviorEvent('Behavior updated', []),
  'security.behavior.settings.delete': behaviorEvent('Behavior deleted', []),
  'system.theme.update': event('brand', ['Theme'])('Theme updated', ['themes']),
  'system.email.template.create': emailTemplateEvent('Email template customized', []),
  'system.email.template.update': emailTemplateEvent('Customized email template updated', []),
  'system.email.template.delete': emailTemplateEvent('Customized email template deleted', []),
  'system.email.template.settings_changed': emailTemplateEvent('Settings of an email template changed', []),
  'security.trusted_origin.create': originEvent('Trusted origin created', ['orgs'], hooked),
  'security.trusted_origin.update': originEvent('Trusted origin updated', ['orgs'], hooked),
  'security.trusted_origin.delete': originEvent('Trusted origin deleted', ['orgs'], hooked),
  'security.trusted_origin.activate': originEvent('Trusted origin activated', ['orgs'], hooked),
  'security.trusted_origin.deactivate': originEvent('Trusted origin deactivated', ['orgs'], hooked),
  'system.org.rate_limit.warning': limitEvent('Requests of the org come near the rate limit', [], {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.framework.ratelimit.warning',
  }),
  'system.org.rate_limit.violation': limitEvent('Rate limit of the org exceeded', [], {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.framework.ratelimit.exceeded',
  }),
  'system.client.rate_limit.violation': limitEvent('Rate limit of a client exceeded', [], { severity: 'WARN' }),
  'system.operation.rate_limit.violation': limitEvent('Rate limit of an operation exceeded', [], { severity: 'WARN' }),
  'core.concurrency.org.limit.violation': limitEvent('Too many requests of the org at once', [], { severity: 'WARN' }),
  'security.request.blocked': event('security', ['NetworkZone'])('Request blocked', [], { severity: 'WARN' }),
  /** This event is not in the contract. One event may stand for many refusals, whose count is in debugData. */
  'security.credential.refuse': edgeEvent('Request with an invalid credential refused', [], { severity: 'WARN' }),
  /** This event is not in the contract. One event may stand for many refusals, whose count is in debugData. */
  'security.access.deny': edgeEvent('Request refused for lack of permission', [], { severity: 'WARN' }),
  'event_hook.created': eventHookEvent('Event hook created', []),
  'event_hook.updated': eventHookEvent('Event hook updated', []),
  'event_hook.activated': eventHookEvent('Event hook activated', []),
  'event_hook.deactivated': eventHookEvent('Event hook deactivated', []),
  'event_hook.deleted': eventHookEvent('Event hook deleted', []),
  'event_hook.verified': eventHookEvent('Verification of an event hook tried', []),
  'event_hook.delivery': eventHookEvent('Events could not be delivered to an event hook', [], { severity: 'WARN' }),
  'system.log_stream.lifecycle.create': logStreamEvent('Log stream created', [], hooked),
  'system.log_stream.lifecycle.update': logStreamEvent('Log stream updated', [], hooked),
  'system.log_stream.lifecycle.activate': logStreamEvent('Log stream activated', [], hooked),
  'system.log_stream.lifecycle.deactivate': logStreamEvent('Log stream deactivated', [], hooked),
  'system.log_stream.lifecycle.delete': logStreamEvent('Log stream deleted', [], hooked),
  /** This event is not in the contract. It is recorded when deliveries fail, and when they succeed again. */
  'system.log_stream.delivery': logStreamEvent('Events could not be delivered to a log stream', [], {
    severity: 'WARN',
  }),
  /** This event is not in the contract. A target permanently refused one event. */
  'system.log.delivery.dead_letter': event('system-log', ['EventHook', 'LogStream'])(
    'Event refused by its target',
    [],
    {
      severity: 'WARN',
    },
  ),
  /** This event is not in the contract. An administrator moved a sink to an earlier or later position. */
  'system.log.delivery.replay': event('system-log', ['EventHook', 'LogStream'])(
    'Delivery of events moved to a position',
    [],
  ),
  /**
   * This event is not in the contract. It is recorded when an operator's export of the log starts or resumes, and when
   * the export ends.
   */
  'system.log.export': event('system-log', [])('System Log exported', []),
  /** These two events record the import of users from a file. */
  'system.import.start': event('import', [])('Import started', [], hooked),
  'system.import.complete': event('import', [])('Import completed', [], hooked),
  /** This event is not in the contract. A whole org was exported to a file. */
  'system.org.export': orgEvent('Organization exported', [], { severity: 'WARN' }),
  /** This event is not in the contract. A whole org was imported from a file. */
  'system.org.import': orgEvent('Organization imported', CACHES, { severity: 'WARN' }),
  /** This event is not in the contract. It is recorded at most once per reader and hour. */
  'system.log.read': event('system-log', [])('System Log read', []),
  /**
   * This event is not in the contract. The relay records this event in place of one that it could not write to the
   * ledger.
   */
  'system.log.event.quarantine': logEvent('Event could not be stored and was set aside', [], { severity: 'ERROR' }),
  /** This event is not in the contract. Personal data of events was erased; their digests stay in the chain. */
  'system.log.event.erase': logEvent('Events erased', [], { severity: 'WARN' }),
  /**
   * This event is not in the contract. A reader or a sink missed events that became unavailable before it reached them.
   */
  'system.log.cursor.skip': event('system-log', [])('Reader of the System Log went on after dropped events', [], {
    severity: 'WARN',
  }),
  ...APPLICATION_EVENTS,
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENTS, name);

export const eventDefinition = (eventType: EventType): EventDefinition => EVENTS[eventType];
