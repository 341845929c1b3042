/**
 * The member of a grant to which an entry of a resource set is added, or `all` for an entry that covers its whole kind.
 */
type Place = 'all' | 'ids' | 'groupIds' | 'appIds' | 'appNames';

export interface ResourceKind {
  /** The kind of resource. Entries apply to the permissions on this kind. */
  readonly of: string;
  readonly as: Place;
}

/**
 * The resources that a resource set can name (contract section 14). Entries for a whole kind have no key. The key of
 * any other entry is an id or, for `appName`, the name of an app.
 */
export const RESOURCE_KINDS = {
  users: { of: 'users', as: 'all' },
  user: { of: 'users', as: 'ids' },
  /** The members of a group. The key is the id of the group. */
  groupUsers: { of: 'users', as: 'groupIds' },
  groups: { of: 'groups', as: 'all' },
  /** The group, without its members. */
  group: { of: 'groups', as: 'groupIds' },
  apps: { of: 'apps', as: 'all' },
  app: { of: 'apps', as: 'appIds' },
  appName: { of: 'apps', as: 'appNames' },
  identityProviders: { of: 'identityProviders', as: 'all' },
  policies: { of: 'policies', as: 'all' },
  iam: { of: 'iam', as: 'all' },
  authorizationServers: { of: 'authorizationServers', as: 'all' },
  customizations: { of: 'customizations', as: 'all' },
  devices: { of: 'devices', as: 'all' },
  workflows: { of: 'workflows', as: 'all' },
} as const satisfies Record<string, ResourceKind>;

export type ResourceKindName = keyof typeof RESOURCE_KINDS;

export const isResourceKind = (name: string): name is ResourceKindName => Object.hasOwn(RESOURCE_KINDS, name);
