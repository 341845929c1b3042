import type { Proof } from './proof.ts';

/**
 * The operations that a row covers. `every` stands for all operations that no other row for the same parameter names.
 */
type Operations = 'every' | readonly string[];

interface ParameterProof extends Proof {
  readonly parameter: string;
  readonly operations: Operations;
}

interface ParameterLimit {
  readonly parameter: string;
  readonly operations: Operations;
  readonly reason: string;
}

const every = 'every';
const API = 'server/test/api/';
const shown = (
  parameter: string,
  operations: Operations,
  file: string,
  title: string,
  row?: string,
): ParameterProof => ({
  parameter,
  operations,
  file: file.startsWith('server/') ? file : `${API}${file}.test.ts`,
  title,
  ...(row === undefined ? {} : { row }),
});

const SWEEP = 'server/test/sweeps/collections.test.ts';
const AUTHORIZE = ['authorize', 'authorizeCustomAS'];
const LOGOUT = ['logout', 'logoutCustomAS'];

// biome-ignore format: each setting is one line
export const PARAMETER_PROOFS: readonly ParameterProof[] = [
  shown('limit', every, SWEEP, 'every collection is bounded'),
  shown('after', every, SWEEP, 'no list takes a cursor that nobody gave'),
  shown('before', every, SWEEP, 'no list takes a cursor that nobody gave'),
  shown('q', every, SWEEP, '?q= finds nothing that is called otherwise'),
  shown('revokeSessions', every, 'sessions-kept', 'sessions outlive a new password where the request says so, and end where it says that'),
  shown('ui_locales', every, 'pages-every', '%s %s speaks the language that ui_locales names'),

  shown('acr_values', AUTHORIZE, 'authorize-refusals', '%s', 'an assurance out of reach'),
  shown('client_id', AUTHORIZE, 'authorize-refusals', '%s', 'an unknown client'),
  shown('code_challenge', AUTHORIZE, 'authorize-code', 'the code is bound to client, redirect URI, challenge and session'),
  shown('code_challenge_method', AUTHORIZE, 'authorize-refusals', '%s', 'plain PKCE'),
  shown('dpop_jkt', AUTHORIZE, 'authorize-pushed-keys', 'may name that key too, and no other'),
  shown('id_token_hint', AUTHORIZE, 'authorize-hints', 'of somebody else is login_required without a prompt'),
  shown('login_hint', AUTHORIZE, 'authorize-code', 'is sent to sign in, by a cookie that names the browser'),
  shown('max_age', AUTHORIZE, 'authorize-prompt', 'asks again when the sign-in is older'),
  shown('nonce', AUTHORIZE, 'authorize-responses', 'an ID token for the nonce, in the fragment'),
  shown('prompt', AUTHORIZE, 'authorize-prompt', 'asks whoever is signed in, and goes on when that was done'),
  shown('redirect_uri', AUTHORIZE, 'authorize-refusals', '%s', 'another redirect URI'),
  shown('request', AUTHORIZE, 'authorize-pushed', 'may be pushed'),
  shown('request_uri', AUTHORIZE, 'authorize-pushed', 'has codes for these'),
  shown('response_mode', AUTHORIZE, 'authorize-responses', 'is a form and its script, and nothing else'),
  shown('response_type', AUTHORIZE, 'authorize-responses', 'an ID token for the nonce, in the fragment'),
  shown('scope', AUTHORIZE, 'authorize-responses', 'an access token alone, on the org server too (specification 4.7)'),
  shown('sessionToken', AUTHORIZE, 'authorize-code', 'opens the session, sets its cookie and is gone'),
  shown('state', AUTHORIZE, 'authorize-code', 'sends the browser back with a code, the state and the issuer'),
  shown('client_id', LOGOUT, 'logout-refusals', 'of another client than the request names'),
  shown('id_token_hint', LOGOUT, 'logout-refusals', 'of another client than the request names'),
  shown('post_logout_redirect_uri', LOGOUT, 'logout-requests', 'it ends, the cookie goes, and the browser goes on with its state'),
  shown('state', LOGOUT, 'logout-requests', 'it ends, the cookie goes, and the browser goes on with its state'),

  shown('done', ['showSignInPage', 'sendSignInPage'], 'pages-sign-in', 'a locked user unlocks by mail'),
  shown('done', every, 'pages-every', '%s tells what was done by the word in its address (%s), and refuses others'),
  shown('fromURI', ['showSignInPage', 'sendSignInPage'], 'pages-sign-in', 'asks for the name, then for the password, and leads on with a session'),
  shown('fromURI', every, 'pages-sign-in', 'the links to recovery keep where to go on to, and lead back with it'),
  shown('key', every, 'mails-page', 'not by asking, by a wrong key, or by a cookie that was made up or is of another org'),
  shown('login_hint', ['showSignInPage', 'sendSignInPage'], 'pages-sign-in', 'asks for the name, then for the password, and leads on with a session'),
  shown('reauthenticate', every, 'pages-sign-in', 'whoever has a session goes straight on, unless asked anew'),
  shown('request', ['resumeAuthorization', 'showConsentPage'], 'device-pages', 'is none of an authorization request, and none of that is one of it'),
  shown('request', ['showDeviceQuestion'], 'device-pages', 'is taken in small letters, with what stands between them'),
  shown('request', ['showBackchannelQuestion'], 'backchannel-pages', 'is none of a device or of an authorization request'),
  shown('step', every, 'pages-sign-in', 'asks for the name, then for the password, and leads on with a session'),
  shown('user_code', every, 'device-pages', 'in an address is filled in and nothing more; what is no code is not'),
  shown('redirectUrl', every, 'sessions-cookies', 'refuses without redirectUrl, to another org, and to its trusted origins'),
  shown('token', every, 'sessions-cookies', 'refuses a token that is used, unknown or absent: 401, no cookie'),
  shown('rel', every, 'webfinger-links', 'the org and a provider, in the order of the rule, as far as they are asked for'),
  shown('resource', every, 'webfinger-links', 'comes back as it was sent; a scheme has no case'),

  shown('activate', ['createUser'], 'users-create', '$query with $credentials: $status'),
  shown('activate', ['createApplication'], 'apps-crud', 'inactive where asked to, with the links of that'),
  shown('activate', ['createPolicy'], 'policies', 'activate=false and a status make it inactive from the start'),
  shown('activate', ['createPolicyRule'], 'policies-rules-create', 'the type may be left out, and activate=false makes it inactive'),
  shown('activate', ['updateDefaultProvisioningConnectionForApplication'], 'apps-provisioning', 'is unknown, set, switched on and off, each with its event, and never shows its token'),
  shown('assignmentType', every, 'roles-targets', 'own ones and those of groups, by the type or the id that it shares'),
  shown('fields', every, 'users-list', 'nothing is shown but the id and what is asked for, whichever way the list is found'),
  shown('forgetDevices', every, 'sessions-revocation', 'forgets the devices of the user unless it is told not to'),
  shown('oauthTokens', every, 'sessions-revocation', 'raises the watermark only for oauthTokens'),
  shown('kid', every, 'apps-signing-keys', 'of another of its keys, with logging out, and with an issuer of the administrator'),
  shown('language', ['getEmailDefaultContent', 'getEmailDefaultPreview'], 'email-templates', 'are the mails that we send, with our own content and its variables'),
  shown('language', ['sendTestEmail'], 'email-template-settings', 'has the org’s own text in that language, else its default one, for super administrators too'),
  shown('mode', every, 'features', 'is enabled and disabled, in any case, each time with one event'),
  shown('nextLogin', every, 'users-create', '$query with $credentials: $status'),
  shown('preset', every, 'password-recovery-policies', 'the profile of NIST is one call away, for a policy and for the default'),
  shown('provider', ['createUser'], 'users-create', '$query with $credentials: $status'),
  shown('provider', ['resetPassword'], 'users-recovery', 'provider=FEDERATION takes the password and what could set one'),
  shown('removeUsers', every, 'server/test/scale/group-rules-bulk.test.ts', 'deleting with removeUsers=%s'),
  shown('resourceId', every, 'authorization-servers-policies', 'shows the policies of that server, narrowed, sorted and in pages'),
  shown('scopeId', every, 'grants-users', 'is found by scope and by client, by login too'),
  shown('sendEmail', ['deleteUser', 'deactivateUser'], 'users-lifecycle', '%s %s tells the administrator who asks for it, once the user is deactivated'),
  shown('sendEmail', ['activateUser'], 'users-recovery', 'sendEmail=false: the answer holds it, stored is its hash alone'),
  shown('sendEmail', ['reactivateUser'], 'users-recovery', 'reactivate answers the token by default, mails it when asked; only the last one counts'),
  shown('sendEmail', ['resetPassword'], 'users-recovery', 'ACTIVE and never signed in: RECOVERY, not PROVISIONED'),
  shown('sendEmail', ['forgotPassword'], 'users-recovery', 'leaves status and password; the link is mailed, or in the answer'),
  shown('sendEmail', ['unassignUserFromApplication'], 'app-users-changes', 'sendEmail=true tells the administrator, where the app is gone by that'),
  shown('since', every, 'system-log-dates', 'since=%s: inclusive, UTC where no zone is named'),
  shown('until', every, 'system-log-dates', 'until=%s: exclusive'),
  shown('sourceId', every, 'profile-mappings', 'from and to every app, from every identity provider, of every user type'),
  shown('targetId', every, 'profile-mappings', 'from and to every app, from every identity provider, of every user type'),
  shown('status', every, 'policies-order', 'is narrowed by status and by the beginning of the name; empty parameters mean nothing'),
  shown('strict', ['updateUser', 'replaceUser'], 'users-update', 'history is asked only with strict=true'),
  shown('strict', ['changePassword'], 'password-policies', 'the last passwords are not taken again, as many as the policy says; strict asks for an age'),
  shown('targetAid', every, 'apps-signing-keys', 'gives a key to another app, once, and works there'),
  shown('tempPassword', every, 'users-recovery', '%s: the password told is the one in force, and acceptable'),
  shown('trusted', every, 'authorization-servers-trust', 'is told to trust others, which are listed then'),
  shown('type', ['listIdentityProviders'], 'identity-providers', 'is paged, and narrowed by name and type'),
  shown('type', ['listPolicies'], 'policies-types', 'has one %s, called %s, with the rule %s'),
  shown('validityYears', every, 'apps-signing-keys', 'a new one has a certificate of itself, signs nothing yet, and shows no private half'),

  shown('filter', ['listApplications'], 'apps-list', 'by pages, by what labels start with, and by a filter'),
  shown('filter', ['listOAuth2Scopes'], 'authorization-servers-scopes', 'pages, finds by name and filters'),
  shown('filter', ['listGroups'], 'groups-lists', '%s', 'type eq'),
  shown('filter', ['listLogStreams'], 'log-streams-list', 'is paged both ways, and filtered by type and status'),
  shown('filter', ['listLogEvents'], 'system-log-filters', '%s is found by what each of its operators asks for, and by nothing else'),
  shown('filter', ['listTrustedOrigins'], 'trusted-origins', 'q, and filter by status, type, name and origin'),
  shown('filter', ['listUsers'], 'users-list', 'nothing is shown but the id and what is asked for, whichever way the list is found'),
  shown('filter', ['listNetworkZones'], 'zones', 'the list is paged and filtered'),
  shown('search', ['listGroups'], 'groups-lists', 'sees a write at once, and a renamed group under its new name alone'),
  shown('search', ['listGroupRules'], 'group-rules', 'search finds by a part of the name, whatever its case'),
  shown('search', ['listGroupOwners'], 'groups-owners', 'comes by id, in pages, and by type where that is asked for'),
  shown('search', ['listUsers'], 'users-search-custom', 'sorts by numbers as numbers, users without one last'),
  shown('sortBy', ['listGroups'], 'groups-lists', 'sorts by a property, those without it last, page by page'),
  shown('sortBy', ['listPolicies'], 'policies-order', 'comes in the order in which policies are asked, or by name'),
  shown('sortBy', ['listUsers'], 'users-search-custom', 'sorts by numbers as numbers, users without one last'),
  shown('sortOrder', ['listGroups'], 'groups-lists', 'sorts by a property, those without it last, page by page'),
  shown('sortOrder', ['listLogEvents'], 'system-log-dates', 'since=%s: inclusive, UTC where no zone is named'),
  shown('sortOrder', ['listUsers'], 'users-search-custom', 'sorts by numbers as numbers, users without one last'),

  shown('expand', ['getUser'], 'users-blocks', 'stand in the user itself where it is read with expand=blocks'),
  shown('expand', ['listGroups'], 'groups-lists', 'stats counts members, apps and roles of each group of the page'),
  shown('expand', ['listAssignedRolesForUser', 'listGroupAssignedRoles', 'listRolesForClient'], 'roles-targets', 'expand embeds targets in the list'),
  shown('expand', ['listBrands', 'getBrand'], 'themes', 'is one, of our own look, until something is chosen'),
  shown('expand', ['listEmailTemplates', 'getEmailTemplate'], 'email-template-settings', 'are for all users until they are changed, by one who has seen them, with an event'),
  shown('expand', ['listApplications', 'getApplication'], 'apps-assigned-lists', 'are found, alone and with other conditions, and the user is embedded'),
  shown('expand', ['listScopeConsentGrants', 'getScopeConsentGrant'], 'clients-grants', 'is made, listed, read, and logged'),
  shown('expand', ['listApplicationUsers', 'getApplicationUser'], 'app-users-list', 'expand=user embeds the user'),
  shown('expand', ['listApplicationGroupAssignments', 'getApplicationGroupAssignment'], 'app-groups', 'expand embeds the group, or where the profile comes from'),
  shown('expand', ['listGroupRules', 'getGroupRule'], 'group-rules', 'pages by id, with names of groups where they are asked for'),
  shown('expand', ['listPolicies', 'getPolicy'], 'policies-documents', 'embeds the rules of each, in their order; another word is refused'),
  shown('expand', ['createPolicySimulation'], 'policies-simulate', 'what was passed is told when it is asked for'),
  shown('expand', ['listUserGrants', 'getUserGrant', 'listGrantsForUserAndClient'], 'grants-users', 'has the shape of the contract, in the list, alone, and with its scope'),
  shown('expand', every, 'tokens-refresh', 'have the shape of the contract, in the list, alone, and with their scopes'),
];

const limit = (parameter: string, operations: Operations, reason: string): ParameterLimit => ({
  parameter,
  operations,
  reason,
});

/** Parameters, each with operations on which it has no effect. The list may only shrink. */
export const PARAMETER_LIMITS: readonly ParameterLimit[] = [
  limit('alwaysIncludeVpnSettings', every, 'The VPN settings of an app are always shown.'),
  limit('includeNonDeleted', every, 'The list always contains inactive apps.'),
  limit(
    'useOptimization',
    every,
    'The contract does not say which part of an app it omits, so apps are shown in full.',
  ),
  limit('disableNotifications', every, 'Administrators get no notifications yet that it could suppress.'),
  limit('client_id', every, 'All clients of an authorization server get the same keys and metadata.'),
  limit('logout_hint', every, 'Signing out ends the session of the browser that sends the request, whatever the name.'),
  limit(
    'sendEmail',
    ['forgotPasswordSetNewPassword'],
    'The caller who sets the password by the answer already knows it.',
  ),
];
