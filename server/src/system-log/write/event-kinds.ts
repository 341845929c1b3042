export const SEVERITIES = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const CACHES = ['credentials', 'orgs', 'zones', 'themes', 'policies', 'servers', 'signingKeys'] as const;
export type CacheName = (typeof CACHES)[number];

export interface EventDefinition {
  /** The default `displayMessage`. */
  readonly displayMessage: string;
  readonly severity: Severity;
  readonly category: string;
  /**
   * Caches from which a process drops the org's entries when it commits the event. It tells the other workers of its
   * primary to drop them too. In other processes, the entries expire.
   */
  readonly voids: readonly CacheName[];
  /** The kinds of targets that the event may have, in order. */
  readonly targetTypes: readonly string[];
  readonly hookEligible: boolean;
  /** An older name of the event, by which clients may still know it. */
  readonly legacyEventType: string | null;
  /**
   * The name in today's catalogue if it differs from the name in specification section 6, or else null. Each org
   * chooses which of the two names is used.
   */
  readonly currentEventType: string | null;
}

export const event =
  (category: string, targetTypes: readonly string[]) =>
  (
    displayMessage: string,
    voids: readonly CacheName[],
    options: Partial<Omit<EventDefinition, 'voids'>> = {},
  ): EventDefinition => ({
    displayMessage,
    severity: 'INFO',
    category,
    voids,
    targetTypes,
    hookEligible: false,
    legacyEventType: null,
    currentEventType: null,
    ...options,
  });

export const userEvent = event('user', ['User']);
export const factorEvent = event('mfa', ['User', 'UserFactor']);
export const tokenEvent = event('api-token', ['Token']);
export const orgEvent = event('org', ['Org']);
export const featureEvent = event('feature', ['Feature']);
export const originEvent = event('trusted-origin', ['TrustedOrigin']);
export const limitEvent = event('rate-limit', ['Bucket']);
export const edgeEvent = event('security', []);
export const logEvent = event('system-log', ['LogEvent']);
export const sessionEvent = event('session', ['User']);
export const policyEvent = event('policy', ['Policy', 'AuthorizationServer']);
export const ruleEvent = event('policy', ['Policy', 'Rule', 'AuthorizationServer']);
export const authorizationServerEvent = event('oauth', ['AuthorizationServer']);
export const serverScopeEvent = event('oauth', ['AuthorizationServer', 'Scope']);
export const serverClaimEvent = event('oauth', ['AuthorizationServer', 'Claim']);
export const emailTemplateEvent = event('email-template', ['EmailTemplate']);
export const behaviorEvent = event('behavior-settings', ['Behavior']);
export const zoneEvent = event('network-zone', ['NetworkZone']);
export const idpEvent = event('identity-provider', ['IdentityProvider']);
export const idpKeyEvent = event('identity-provider', ['IdentityProviderKey']);
export const appEvent = event('application', ['AppInstance']);
export const appUserEvent = event('application', ['AppUser', 'AppInstance', 'User']);
export const groupEvent = event('group', ['UserGroup']);
export const memberEvent = event('group', ['User', 'UserGroup']);
export const groupRuleEvent = event('group', ['GroupRule']);
export const groupAssignmentEvent = event('group', ['UserGroup', 'AppInstance']);
export const signingKeyEvent = event('application', ['AppInstance', 'SigningKey']);
export const csrEvent = event('application', ['AppInstance', 'Csr', 'SigningKey']);
export const clientCredentialEvent = event('application', ['AppInstance', 'ClientSecret', 'JsonWebKey']);
export const grantEvent = event('application', ['AppInstance', 'Scope', 'AbsentUserApproval']);
export const userTypeEvent = event('schema', ['UserType']);
export const linkedObjectEvent = event('schema', ['LinkedObject']);
export const tokenEventOfClient = event('oauth', ['PublicClientApp', 'access_token', 'User']);
export const tokenEventOfServer = event('oauth', ['PublicClientApp', 'access_token', 'User', 'AuthorizationServer']);
export const userTokenEvent = event('oauth', [
  'PublicClientApp',
  'id_token',
  'refresh_token',
  'User',
  'AuthorizationServer',
]);
export const refusedTokenEvent = event('oauth', ['PublicClientApp', 'User', 'AuthorizationServer']);
export const endedTokenEvent = event('oauth', [
  'PublicClientApp',
  'access_token',
  'refresh_token',
  'User',
  'AuthorizationServer',
]);
export const consentEvent = event('oauth', ['PublicClientApp', 'User', 'AuthorizationServer', 'Scope']);
export const authorizationEvent = event('oauth', [
  'PublicClientApp',
  'User',
  'code',
  'access_token',
  'id_token',
  'AuthorizationServer',
]);
export const groupPrivilegeEvent = event('group', ['UserGroup']);
export const customRoleEvent = event('admin-role', ['CustomRole']);
export const rolePermissionEvent = event('admin-role', ['CustomRole', 'Permission']);
export const resourceSetEvent = event('admin-role', ['ResourceSet']);
export const bindingEvent = event('admin-role', ['ResourceSet', 'CustomRole', 'User', 'UserGroup', 'AppInstance']);
export const eventHookEvent = event('event-hook', ['EventHook']);
export const logStreamEvent = event('log-stream', ['LogStream']);
export const hooked = { hookEligible: true };
