/** Everything a role can grant. A route names one; docs/generated/permissions.md is role x route. */
export const PERMISSIONS = [
  'users.read',
  'users.manage',
  'users.create',
  'users.lifecycle',
  'users.delete',
  'users.unlock',
  'users.credentials.reset',
  'users.credentials.expire',
  'users.credentials.manage',
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
  'apps.secrets.read',
  'appGrants.read',
  'appGrants.manage',
  'sessions.read',
  'sessions.manage',
  'policies.read',
  'policies.manage',
  'idps.read',
  'idps.manage',
  'networkZones.read',
  'networkZones.manage',
  'eventHooks.read',
  'eventHooks.manage',
  'logStreams.read',
  'logStreams.manage',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What only shows what an administrator may see; secrets are none of it. */
const READS = PERMISSIONS.filter((permission) => permission.endsWith('.read') && permission !== 'apps.secrets.read');
const without = (...left: readonly Permission[]) => PERMISSIONS.filter((permission) => !left.includes(permission));

export interface RoleDefinition {
  readonly label: string;
  readonly permissions: readonly Permission[];
  /** Assignments of target-capable types share one id per type: the base32 of the type's name (contract section 2). */
  readonly takesTargets: boolean;
}

/** Standard roles (contract section 14), the smallest set that has a use before groups and apps exist. */
export const ROLES = {
  SUPER_ADMIN: { label: 'Super Administrator', permissions: PERMISSIONS, takesTargets: false },
  ORG_ADMIN: {
    label: 'Organization Administrator',
    permissions: without('roles.manage', 'appGrants.manage'),
    takesTargets: false,
  },
  READ_ONLY_ADMIN: { label: 'Read-Only Administrator', permissions: READS, takesTargets: false },
  USER_ADMIN: {
    label: 'Group Administrator',
    permissions: [
      'users.read',
      'users.manage',
      'users.create',
      'users.lifecycle',
      'users.delete',
      'users.unlock',
      'users.credentials.reset',
      'users.credentials.expire',
      'users.credentials.manage',
      'schemas.read',
      'logs.read',
      'sessions.read',
      'sessions.manage',
    ],
    takesTargets: true,
  },
  APP_ADMIN: {
    label: 'Application Administrator',
    permissions: ['users.read', 'schemas.read', 'apps.read', 'apps.manage', 'apps.secrets.read', 'appGrants.read'],
    takesTargets: true,
  },
  HELP_DESK_ADMIN: {
    label: 'Help Desk Administrator',
    permissions: [
      'users.read',
      'users.unlock',
      'users.credentials.reset',
      'users.credentials.expire',
      'sessions.read',
      'sessions.manage',
    ],
    takesTargets: true,
  },
} as const satisfies Record<string, RoleDefinition>;

export type RoleType = keyof typeof ROLES;
export const ROLE_TYPES = Object.keys(ROLES) as RoleType[];

export const isRoleType = (text: string): text is RoleType => Object.hasOwn(ROLES, text);
