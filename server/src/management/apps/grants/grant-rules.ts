import { invalid } from '../../../kernel/errors/errors.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';

/** The resources of the management API for which clients can be granted both a `manage` and a `read` scope. */
const RESOURCES = [
  'agentPools',
  'apiTokens',
  'appGrants',
  'apps',
  'apps.interclientTrust',
  'authenticators',
  'authorizationServers',
  'behaviors',
  'botProtection',
  'brands',
  'captchas',
  'clients',
  'customTelephonyProvider',
  'deviceAssurance',
  'deviceIntegrations',
  'devicePostureChecks',
  'devices',
  'directories.groups',
  'domains',
  'dr',
  'emailDomains',
  'emailServers',
  'eventHooks',
  'features',
  'groups',
  'identitySources',
  'idps',
  'inlineHooks',
  'linkedObjects',
  'logStreams',
  'networkZones',
  'oauthIntegrations',
  'orgs',
  'personal.adminSettings',
  'policies',
  'principalRateLimits',
  'profileMappings',
  'pushProviders',
  'rateLimits',
  'realmAssignments',
  'realms',
  'roles',
  'schemas',
  'securityEventsProviders',
  'serviceAccounts',
  'sessions',
  'templates',
  'threatInsights',
  'trustedOrigins',
  'uischemas',
  'userRisk',
  'userTypes',
  'users',
] as const;

/** The scopes that can be granted, without the namespace word. */
export const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  ...RESOURCES.flatMap((resource) => [`${resource}.manage`, `${resource}.read`]),
  'clients.register',
  'logs.read',
]);

export const wireScope = (scope: string, { word }: Namespace): string => `${word}.${scope}`;

/** Removes the namespace word from a scope on the wire. */
export function readScope(scopeId: string, { word }: Namespace): string {
  const scope = scopeId.startsWith(`${word}.`) ? scopeId.slice(word.length + 1) : '';
  if (!KNOWN_SCOPES.has(scope)) throw invalid('scopeId', 'There is no such scope.');
  return scope;
}

export function assertIssuer(issuer: string, baseUrl: string): void {
  if (issuer !== baseUrl) throw invalid('issuer', `must be ${baseUrl}, the URL of this org.`);
}
