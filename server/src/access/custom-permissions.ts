import type { Permission } from './permissions.ts';

const USER_LIFECYCLE = {
  'users.lifecycle.activate': ['users.lifecycle.activate', 'users.read'],
  'users.lifecycle.deactivate': ['users.lifecycle.deactivate', 'users.read'],
  'users.lifecycle.suspend': ['users.lifecycle.suspend', 'users.read'],
  'users.lifecycle.unsuspend': ['users.lifecycle.unsuspend', 'users.read'],
  'users.lifecycle.delete': ['users.delete', 'users.lifecycle.deactivate', 'users.read'],
  'users.lifecycle.unlock': ['users.unlock', 'users.read'],
  'users.lifecycle.clearSessions': ['users.sessions.clear', 'users.read'],
} as const satisfies Record<string, readonly Permission[]>;

const USER_CREDENTIALS = {
  'users.credentials.resetFactors': ['users.credentials.resetFactors', 'users.read'],
  'users.credentials.resetPassword': ['users.credentials.reset', 'users.read'],
  'users.credentials.expirePassword': ['users.credentials.expire', 'users.read'],
} as const satisfies Record<string, readonly Permission[]>;

const all = (table: Readonly<Record<string, readonly Permission[]>>): Permission[] => [
  ...new Set(Object.values(table).flat()),
];

const CREDENTIALS: readonly Permission[] = [...all(USER_CREDENTIALS), 'users.credentials.manage'];

/**
 * This map translates permissions of custom roles (contract section 14) to ours. An empty list means that the feature
 * is missing.
 */
export const CUSTOM_PERMISSIONS: ReadonlyMap<string, readonly Permission[]> = new Map<string, readonly Permission[]>(
  Object.entries({
    ...USER_LIFECYCLE,
    ...USER_CREDENTIALS,
    'users.manage': ['users.manage', 'users.create', ...all(USER_LIFECYCLE), ...CREDENTIALS],
    'users.create': ['users.create', 'users.read'],
    'users.read': ['users.read'],
    'users.userprofile.manage': ['users.manage', 'users.read'],
    'users.lifecycle.manage': all(USER_LIFECYCLE),
    'users.credentials.manage': CREDENTIALS,
    'users.groupMembership.manage': ['users.read'],
    'users.appAssignment.manage': ['users.read'],
    'groups.manage': ['groups.manage', 'groups.create', 'groups.members.manage', 'groups.read'],
    'groups.create': ['groups.create', 'groups.read'],
    'groups.members.manage': ['groups.members.manage', 'groups.read'],
    'groups.read': ['groups.read'],
    'groups.appAssignment.manage': ['groups.read'],
    'apps.read': ['apps.read'],
    'apps.manage': ['apps.manage', 'apps.assignment.manage', 'apps.read'],
    'apps.assignment.manage': ['apps.assignment.manage', 'apps.read'],
    'apps.clientCredentials.read': ['apps.secrets.read', 'apps.read'],
    'apps.manageFirstPartyApps': [],
    'identityProviders.read': ['idps.read'],
    'identityProviders.manage': ['idps.manage', 'idps.read'],
    'policies.read': ['policies.read'],
    'policies.manage': ['policies.manage', 'policies.read'],
    'iam.read': ['roles.read'],
    'authzServers.read': ['authorizationServers.read'],
    'authzServers.manage': ['authorizationServers.manage', 'authorizationServers.read'],
    'customizations.read': ['brands.read', 'templates.read'],
    // Changing email texts is excluded, because an author could redirect links that users with more rights receive.
    'customizations.manage': ['brands.manage', 'brands.read', 'templates.read'],
    'devices.read': [],
    'devices.manage': [],
    'devices.lifecycle.activate': [],
    'devices.lifecycle.deactivate': [],
    'devices.lifecycle.delete': [],
    'devices.lifecycle.manage': [],
    'devices.lifecycle.suspend': [],
    'devices.lifecycle.unsuspend': [],
    'agents.manage': [],
    'agents.register': [],
    'agents.view': [],
    'directories.read': [],
    'directories.manage': [],
    'governance.accessCertifications.manage': [],
    'governance.accessRequests.manage': [],
    'profilesources.import.run': [],
    'realms.read': [],
    'realms.manage': [],
    'support.cases.manage': [],
    'workflows.invoke': [],
    'workflows.read': [],
    'workflows.flows.invoke': [],
    'workflows.flows.manage': [],
  } satisfies Record<string, readonly Permission[]>),
);

/** The permissions that can be narrowed to some profile attributes. */
export const CONDITIONAL_PERMISSIONS: ReadonlySet<string> = new Set([
  'users.read',
  'users.manage',
  'users.userprofile.manage',
]);

const OPENED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...CUSTOM_PERMISSIONS].map(([name, permissions]) => [name, new Set<string>(permissions)]),
);

export const opens = (name: string, permission: string): boolean => OPENED.get(name)?.has(permission) === true;
