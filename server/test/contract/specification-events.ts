/** The event types in section 6 of the specification, each with the type of its first target. */
export const SPECIFICATION_EVENTS = {
  'application.lifecycle.activate': 'AppInstance',
  'application.lifecycle.create': 'AppInstance',
  'application.lifecycle.deactivate': 'AppInstance',
  'application.lifecycle.delete': 'AppInstance',
  'application.lifecycle.update': 'AppInstance',
  'application.user_membership.add': 'AppUser',
  'application.user_membership.change_username': 'AppUser',
  'application.user_membership.remove': 'AppUser',
  'group.user_membership.add': 'User',
  'group.user_membership.remove': 'User',
  'policy.lifecycle.activate': 'Policy',
  'policy.lifecycle.create': 'Policy',
  'policy.lifecycle.deactivate': 'Policy',
  'policy.lifecycle.delete': 'Policy',
  'policy.lifecycle.update': 'Policy',
  'policy.rule.activate': 'Policy',
  'policy.rule.add': 'Policy',
  'policy.rule.deactivate': 'Policy',
  'policy.rule.delete': 'Policy',
  'policy.rule.update': 'Policy',
  'policy.evaluate_sign_on': 'Policy',
  'security.request.blocked': 'NetworkZone',
  'user.authentication.sso': 'User',
  'user.lifecycle.activate': 'User',
  'user.lifecycle.create': 'User',
  'user.lifecycle.deactivate': 'User',
  'user.lifecycle.suspend': 'User',
  'user.lifecycle.unsuspend': 'User',
  'user.session.start': 'User',
  'user.session.access_admin_app': 'User',
  'app.oauth2.authorize_failure': 'PublicClientApp',
  'app.oauth2.as.authorize_failure': 'PublicClientApp',
  'app.oauth2.as.authorize.scope_denied_failure': 'PublicClientApp',
  'app.oauth2.as.authorize.token.grant_failure': 'PublicClientApp',
  'app.oauth2.authorize.implicit_success': 'PublicClientApp',
  'app.oauth2.as.authorize.implicit_success': 'PublicClientApp',
  'app.oauth2.authorize.implicit': 'PublicClientApp',
  'app.oauth2.as.authorize.implicit': 'PublicClientApp',
} as const;

type SpecifiedEvent = keyof typeof SPECIFICATION_EVENTS;

/** Event types that nothing emits yet, each with the missing feature. */
export const OWED_EVENTS: Readonly<Partial<Record<SpecifiedEvent, string>>> = {
  'user.session.access_admin_app': 'the administrative app',
};

export const EMITTED_EVENTS = (Object.keys(SPECIFICATION_EVENTS) as SpecifiedEvent[]).filter(
  (eventType) => OWED_EVENTS[eventType] === undefined,
);
