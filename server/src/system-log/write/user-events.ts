import {
  bindingEvent,
  customRoleEvent,
  type EventDefinition,
  groupPrivilegeEvent,
  hooked,
  resourceSetEvent,
  rolePermissionEvent,
  sessionEvent,
  userEvent,
} from './event-kinds.ts';

export const USER_EVENTS = {
  'user.lifecycle.create': userEvent('User created', [], {
    ...hooked,
    legacyEventType: 'core.user.config.user_creation.success',
  }),
  'user.lifecycle.activate': userEvent('User activated', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user.config.user_activated.success',
  }),
  'user.lifecycle.reactivate': userEvent('User reactivated', ['credentials'], hooked),
  'user.lifecycle.deactivate': userEvent('User deactivated', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user.config.user_deactivated.success',
  }),
  'user.lifecycle.suspend': userEvent('User suspended', ['credentials'], hooked),
  'user.lifecycle.unsuspend': userEvent('User unsuspended', ['credentials'], hooked),
  'user.lifecycle.delete.initiated': userEvent('User deletion started', ['credentials'], hooked),
  'user.lifecycle.delete.completed': userEvent('User deleted', ['credentials']),
  'user.account.update_profile': userEvent('User profile updated', [], {
    ...hooked,
    legacyEventType: 'core.user.config.profile_update.success',
  }),
  'user.account.update_user_type': userEvent('User moved to another user type', ['credentials']),
  'user.account.update_password': userEvent('Password of the user changed', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user.config.password_update.success',
  }),
  'user.account.reset_password': userEvent('Password of the user reset', ['credentials'], hooked),
  'user.account.expire_password': userEvent('Password of the user expired', ['credentials']),
  'user.account.lock': userEvent('User account locked after failed attempts', ['credentials'], {
    ...hooked,
    severity: 'WARN',
    legacyEventType: 'core.user_auth.account_locked',
  }),
  'user.account.unlock': userEvent('User account unlocked after its lockout time', ['credentials'], hooked),
  'user.account.unlock_by_admin': userEvent('User account unlocked by an administrator', ['credentials'], hooked),
  'user.account.unlock_token': userEvent('Token issued with which the user can unlock the account', []),
  'user.account.use_token': userEvent('Recovery token refused', [], { severity: 'WARN' }),
  'user.account.privilege.grant': userEvent('Administrator role granted to the user', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user.admin_privilege.granted',
  }),
  'user.account.privilege.revoke': userEvent('Administrator role taken from the user', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user.admin_privilege.revoked',
  }),
  'group.privilege.grant': groupPrivilegeEvent('Administrator role granted to the group', ['credentials'], hooked),
  'group.privilege.revoke': groupPrivilegeEvent('Administrator role taken from the group', ['credentials'], hooked),
  'iam.role.create': customRoleEvent('Custom role created', ['credentials'], hooked),
  'iam.role.update': customRoleEvent('Custom role updated', ['credentials'], hooked),
  'iam.role.delete': customRoleEvent('Custom role deleted', ['credentials'], hooked),
  'iam.role.permissions.add': customRoleEvent('Permission added to a custom role', ['credentials'], hooked),
  'iam.role.permissions.delete': customRoleEvent('Permission taken from a custom role', ['credentials'], hooked),
  'iam.role.permission.conditions.add': rolePermissionEvent(
    'Permission of a custom role narrowed',
    ['credentials'],
    hooked,
  ),
  'iam.role.permission.conditions.delete': rolePermissionEvent(
    'Permission of a custom role widened',
    ['credentials'],
    hooked,
  ),
  'iam.resourceset.create': resourceSetEvent('Resource set created', ['credentials'], hooked),
  'iam.resourceset.update': resourceSetEvent('Resource set updated', ['credentials'], hooked),
  'iam.resourceset.delete': resourceSetEvent('Resource set deleted', ['credentials'], hooked),
  'iam.resourceset.resources.add': resourceSetEvent('Resources added to a resource set', ['credentials'], hooked),
  'iam.resourceset.resources.update': resourceSetEvent('Conditions of a resource changed', ['credentials'], hooked),
  'iam.resourceset.resources.delete': resourceSetEvent('Resources taken from a resource set', ['credentials'], hooked),
  'iam.resourceset.bindings.add': bindingEvent('Custom role given on a resource set', ['credentials'], hooked),
  'iam.resourceset.bindings.delete': bindingEvent('Custom role taken on a resource set', ['credentials'], hooked),
  /** A refused sign-in is recorded under this name too, without a session (specification 2.5). */
  'user.session.start': sessionEvent('User signed in', [], {
    ...hooked,
    legacyEventType: 'core.user_auth.login_success',
  }),
  'user.session.end': sessionEvent('User signed out', ['credentials'], {
    ...hooked,
    legacyEventType: 'core.user_auth.logout_success',
  }),
  /** This event is not in the contract, which defines no event for the extension of a session. */
  'user.session.refresh': sessionEvent('Session of the user extended', []),
  'user.session.clear': sessionEvent('Sessions of the user ended', ['credentials'], hooked),
  'user.authentication.auth': sessionEvent('User authenticated', []),
} as const satisfies Readonly<Record<string, EventDefinition>>;
