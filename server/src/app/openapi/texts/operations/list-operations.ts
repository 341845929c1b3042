const BY_ID = 'The list is sorted by id.';
const OLDEST_FIRST = 'The list starts with the oldest entry.';
const NEWEST_FIRST = 'The list starts with the newest entry.';
const BY_PRIORITY = 'The list is in the order of evaluation, by priority.';
const APPS_BY_ID = 'The list is sorted by the ids of the apps.';
const USERS_BY_ID = 'The list is sorted by the ids of the users.';
const TOKENS = `${BY_ID} It leaves out expired tokens, and it does not contain the tokens themselves.`;
const GROUP_TARGETS = 'An empty list means that the role is not limited to certain groups.';
const APP_TARGETS = 'An empty list means that the role is not limited to certain apps.';
const MAPPED = `${APPS_BY_ID} It leaves out apps to which a default policy applies because they have no other.`;
const DELIVERIES = `${NEWEST_FIRST} It covers the last 30 days.`;
const DEAD_LETTERS = `${NEWEST_FIRST} It contains the events that will not be delivered.`;

const DIRECTORY_LISTS: Readonly<Record<string, string>> = {
  listUsers:
    'The list is sorted by id, unless a `search` sets `sortBy`. Without `filter` or `search`, it leaves out ' +
    'deactivated users. With `q`, it is a single page of 10 users, or of `limit` if that is set.',
  listAppLinks:
    'The list contains a tile for each link of each active app that the user has by an assignment or a group. It ' +
    'leaves out apps that everybody has without an assignment.',
  listUserBlocks: 'The list says whether failed attempts keep the user from signing in, and from which devices.',
  listUserDevices: 'Devices cannot be enrolled yet, so the list is empty.',
  listUserGroups: `${BY_ID} It contains the group of everyone. Users see all groups of their own.`,
  listUserClients: `${APPS_BY_ID} It contains the OAuth clients that hold a consent or a refresh token of the user.`,
  listUserGrants: `${BY_ID} It contains the consents that the user has given to apps.`,
  listGrantsForUserAndClient: `${BY_ID} It contains the consents that the user has given to this client.`,
  listLinkedObjectsForUser:
    'The list links to the primary of the user, or to the users who are associated with them, sorted by id. The name ' +
    'in the path decides which.',
  listGroups: 'The list is sorted by id, unless a `search` sets `sortBy`.',
  listGroupUsers: `${BY_ID} Of members whom the caller’s roles do not reach, it shows only that they are members.`,
  listGroupOwners: BY_ID,
  listGroupRules: BY_ID,
  listAssignedApplicationsForGroup: `${BY_ID} It contains the apps that the group gives to its members.`,
  listUserTypes: 'The list starts with the default type.',
  listLinkedObjectDefinitions: 'The list is sorted by the name of the primary side.',
  listProfileMappings: BY_ID,
  listAssignedRolesForUser: 'The roles of the user come before the roles that their groups give to them.',
  listGroupAssignedRoles: 'Standard roles come before custom roles.',
  listRolesForClient: 'Standard roles come before custom roles.',
  listGroupTargetsForRole: GROUP_TARGETS,
  listGroupTargetsForGroupRole: GROUP_TARGETS,
  listGroupTargetRoleForClient: GROUP_TARGETS,
  listApplicationTargetsForApplicationAdministratorRoleForUser: APP_TARGETS,
  listApplicationTargetsForApplicationAdministratorRoleForGroup: APP_TARGETS,
  listAppTargetRoleToClient: APP_TARGETS,
  listUsersWithRoleAssignments: `${USERS_BY_ID} It contains every user who holds a role, by an assignment or a group.`,
  listRoles: BY_ID,
  listRolePermissions: 'The list is sorted by the names of the permissions.',
  listResourceSets: BY_ID,
  listResourceSetResources: BY_ID,
  listBindings: 'The list is sorted by the ids of the roles.',
  listMembersOfBinding: BY_ID,
};

const APP_LISTS: Readonly<Record<string, string>> = {
  listApplications: `${BY_ID} It contains inactive apps.`,
  listAbsentUserApprovals: `${OLDEST_FIRST} It contains approvals that are no longer in force.`,
  listCsrsForApplication: `${OLDEST_FIRST} It contains the requests whose certificates have not been published yet.`,
  listJwk: OLDEST_FIRST,
  listApplicationKeys: `${OLDEST_FIRST} If the key of the org signs for the app, it comes first.`,
  listOAuth2ClientSecrets: `${OLDEST_FIRST} Callers see the secrets only if their roles grant \`apps.secrets.read\`.`,
  listScopeConsentGrants: OLDEST_FIRST,
  listApplicationGroupAssignments: 'The list is sorted by the priority of the assignments.',
  listApplicationUsers: `${USERS_BY_ID} It contains those who have the app by a group.`,
  listOAuth2TokensForApplication: TOKENS,
  listRefreshTokensForUserAndClient: TOKENS,
  listRefreshTokensForAuthorizationServerAndClient: TOKENS,
  listClients: `${BY_ID} It contains the apps that are OAuth clients.`,
  listAuthorizationServers: BY_ID,
  listAuthorizationServerKeys: 'The key that signs comes first, then the next one, then former ones.',
  listAssociatedServersByTrustedType: `${BY_ID} With \`trusted=false\`, it has all other servers.`,
  listOAuth2Claims: BY_ID,
  listOAuth2Scopes: BY_ID,
  listOAuth2ClientsForAuthorizationServer: APPS_BY_ID,
  listAuthorizationServerPolicies: BY_PRIORITY,
  listAuthorizationServerPolicyRules: BY_PRIORITY,
};

const ORG_LISTS: Readonly<Record<string, string>> = {
  listApiTokens: `${BY_ID} It leaves out expired tokens. Nobody can read the value of a token again.`,
  listBehaviorDetectionRules: BY_ID,
  listBrands: 'An org has one brand.',
  listBrandThemes: 'A brand has one theme.',
  listEmailTemplates: 'The list is sorted by name.',
  listEmailCustomizations: BY_ID,
  listEventHooks: OLDEST_FIRST,
  listEventHookDeliveries: DELIVERIES,
  listLogStreamDeliveries: DELIVERIES,
  listEventHookDeadLetters: DEAD_LETTERS,
  listLogStreamDeadLetters: DEAD_LETTERS,
  listFeatureDependencies: 'These features must be enabled before this one.',
  listFeatureDependents: 'These features must be disabled before this one.',
  listIdentityProviders: BY_ID,
  listIdentityProviderKeys: 'The list is sorted by key id (`kid`).',
  listIdentityProviderApplicationUsers: 'Nobody can sign in with an identity provider yet, so the list is empty.',
  listLogStreams: BY_ID,
  listLogEvents:
    'The list starts with the oldest event, unless `sortOrder` is `DESCENDING`. The `next` link of a query without ' +
    '`until` stays valid: polling it returns new events.',
  listLogCheckpoints: `${NEWEST_FIRST} Each checkpoint signs the state of the log, so that a later change shows.`,
  listNetworkZones: BY_ID,
  listPolicies:
    'The list is in the order of evaluation, unless `sortBy` is `name`. It contains the policies of one type.',
  listPolicyRules: BY_PRIORITY,
  listPolicyApps: MAPPED,
  listPolicyMappings: MAPPED,
  listTrustedOrigins: BY_ID,
};

export const LIST_OPERATIONS: Readonly<Record<string, string>> = { ...DIRECTORY_LISTS, ...APP_LISTS, ...ORG_LISTS };
