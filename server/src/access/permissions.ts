export const PERMISSIONS = [
  'users.read',
  'users.manage',
  'users.create',
  'users.lifecycle.activate',
  'users.lifecycle.deactivate',
  'users.lifecycle.suspend',
  'users.lifecycle.unsuspend',
  'users.delete',
  'users.unlock',
  'users.sessions.clear',
  'users.credentials.reset',
  'users.credentials.resetFactors',
  'users.credentials.expire',
  'users.credentials.manage',
  'groups.read',
  'groups.create',
  'groups.manage',
  'groups.members.manage',
  'schemas.read',
  'schemas.manage',
  'roles.read',
  'roles.manage',
  'apiTokens.read',
  'apiTokens.manage',
  'trustedOrigins.read',
  'trustedOrigins.manage',
  'orgs.read',
  'orgs.manage',
  'logs.read',
  'apps.read',
  'apps.manage',
  'apps.assignment.manage',
  'apps.secrets.read',
  'appGrants.read',
  'appGrants.manage',
  'sessions.read',
  'sessions.manage',
  'policies.read',
  'policies.manage',
  'authorizationServers.read',
  'authorizationServers.manage',
  'idps.read',
  'idps.manage',
  'networkZones.read',
  'networkZones.manage',
  'eventHooks.read',
  'eventHooks.manage',
  'logStreams.read',
  'logStreams.manage',
  'brands.read',
  'brands.manage',
  'templates.read',
  'templates.manage',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The permissions to read everything except secrets. */
const READS = PERMISSIONS.filter((permission) => permission.endsWith('.read') && permission !== 'apps.secrets.read');
const without = (...left: readonly Permission[]) => PERMISSIONS.filter((permission) => !left.includes(permission));
const under = (...starts: readonly string[]) =>
  PERMISSIONS.filter((permission) => starts.some((start) => permission.startsWith(`${start}.`)));

/** The kind of resource by the first word of a permission, where the two differ. */
const KINDS: Readonly<Record<string, string>> = {
  appGrants: 'apps',
  brands: 'customizations',
  idps: 'identityProviders',
  roles: 'iam',
  templates: 'customizations',
};
export function kindOf(permission: string): string {
  const [start = ''] = permission.split('.');
  return Object.hasOwn(KINDS, start) ? (KINDS[start] ?? start) : start;
}

/** The kinds of resources that each kind of target narrows. */
const TARGETED_KINDS = { groups: ['users', 'groups'], apps: ['apps'] } as const;
export type TargetKind = keyof typeof TARGETED_KINDS;

export interface RoleDefinition {
  readonly label: string;
  readonly permissions: readonly Permission[];
  /** The kind of target that narrows assignments (contract section 14); null if none does. */
  readonly targets: TargetKind | null;
  /**
   * Permissions that targets do not narrow. An assignment with targets gives only these permissions and the permissions
   * on the narrowed kinds of resources.
   */
  readonly whole: readonly Permission[];
}

const untargeted = (label: string, permissions: readonly Permission[]) =>
  ({ label, permissions, targets: null, whole: [] }) as const satisfies RoleDefinition;

/** The standard roles (contract section 14). */
export const ROLES = {
  SUPER_ADMIN: untargeted('Super Administrator', PERMISSIONS),
  ORG_ADMIN: untargeted('Organization Administrator', without('roles.manage', 'appGrants.manage')),
  READ_ONLY_ADMIN: untargeted('Read-only Administrator', READS),
  USER_ADMIN: {
    label: 'Group Administrator',
    permissions: [...under('users', 'groups', 'sessions'), 'schemas.read', 'logs.read'],
    targets: 'groups',
    whole: ['schemas.read'],
  },
  GROUP_MEMBERSHIP_ADMIN: {
    label: 'Group Membership Administrator',
    permissions: ['users.read', 'groups.read', 'groups.members.manage', 'schemas.read'],
    targets: 'groups',
    whole: ['users.read', 'groups.read', 'schemas.read'],
  },
  HELP_DESK_ADMIN: {
    label: 'Help Desk Administrator',
    permissions: [
      'users.read',
      'users.unlock',
      'users.sessions.clear',
      'users.credentials.reset',
      'users.credentials.resetFactors',
      'users.credentials.expire',
      'groups.read',
      'schemas.read',
      'sessions.read',
      'sessions.manage',
    ],
    targets: 'groups',
    whole: ['schemas.read'],
  },
  APP_ADMIN: {
    label: 'Application Administrator',
    permissions: [...under('apps'), 'appGrants.read', 'users.read', 'groups.read', 'schemas.read'],
    targets: 'apps',
    whole: ['users.read', 'groups.read', 'schemas.read'],
  },
  API_ACCESS_MANAGEMENT_ADMIN: untargeted('API Access Management Administrator', [
    ...under('authorizationServers'),
    'users.read',
    'groups.read',
    'schemas.read',
    'apps.read',
    'appGrants.read',
  ]),
  MOBILE_ADMIN: untargeted('Mobile Administrator', ['users.read', 'groups.read', 'schemas.read', 'apps.read']),
  REPORT_ADMIN: untargeted('Report Administrator', ['logs.read']),
  WORKFLOWS_ADMIN: untargeted('Workflows Administrator', []),
  ACCESS_CERTIFICATIONS_ADMIN: untargeted('Access Certifications Administrator', [
    'users.read',
    'groups.read',
    'schemas.read',
    'apps.read',
  ]),
  ACCESS_REQUESTS_ADMIN: untargeted('Access Requests Administrator', [
    'users.read',
    'groups.read',
    'schemas.read',
    'apps.read',
  ]),
} as const satisfies Record<string, RoleDefinition>;

export type RoleType = keyof typeof ROLES;
export const ROLE_TYPES = Object.keys(ROLES) as RoleType[];

export const isRoleType = (text: string): text is RoleType => Object.hasOwn(ROLES, text);

/**
 * Returns the resources for which a standard role gives a permission: `all`, only the `targets`, or `nothing`.
 * `isNarrowed` means that the assignment of the role has targets.
 */
export function reachOf(type: RoleType, permission: string, isNarrowed: boolean): 'all' | 'targets' | 'nothing' {
  const { permissions, targets, whole }: RoleDefinition = ROLES[type];
  const isIn = (list: readonly string[]): boolean => list.includes(permission);
  if (!isIn(permissions)) return 'nothing';
  if (!isNarrowed || targets === null || isIn(whole)) return 'all';
  const kinds: readonly string[] = TARGETED_KINDS[targets];
  return kinds.includes(kindOf(permission)) ? 'targets' : 'nothing';
}
