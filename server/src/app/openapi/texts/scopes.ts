const RESOURCES: Readonly<Record<string, string>> = {
  apiTokens: 'API tokens',
  appGrants: 'the scopes and approvals that apps are granted',
  apps: 'apps, with their assignments and credentials',
  authorizationServers: 'custom authorization servers',
  brands: 'the brand of the org and its theme',
  clients: 'OAuth clients',
  features: 'the features of the org',
  groups: 'groups, their members and group rules',
  idps: 'identity providers',
  linkedObjects: 'the definitions of linked objects',
  logs: 'the System Log',
  orgs: 'the settings of the org',
  policies: 'policies and their rules',
  profileMappings: 'profile mappings',
  roles: 'roles, their assignments and resource sets',
  schemas: 'the schemas of profiles',
  sessions: 'sessions of users',
  templates: 'email templates',
  users: 'users, with their consents and tokens',
};

const VERBS: Readonly<Record<string, string>> = { read: 'Reads', manage: 'Reads and manages', register: 'Registers' };

/** The verbs for scopes that allow only some operations on their resource. */
const OWN_VERBS: Readonly<Record<string, string>> = {
  'apiTokens.manage': 'Reads, changes and revokes',
  'brands.manage': 'Reads and changes',
  'clients.manage': 'Reads, changes and deletes',
  'features.manage': 'Reads and changes',
  'orgs.manage': 'Reads and changes',
  'profileMappings.manage': 'Reads and changes',
  'schemas.manage': 'Reads and changes',
  'sessions.manage': 'Reads, extends and ends',
};

const inWords = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

/** Describes a scope, which is given without the namespace word: `networkZones.read` becomes `Reads network zones.` */
export function describeScope(scope: string): string {
  const [resource = '', verb = ''] = scope.split('.');
  return `${OWN_VERBS[scope] ?? VERBS[verb] ?? 'Uses'} ${RESOURCES[resource] ?? inWords(resource)}.`;
}
