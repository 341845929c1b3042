const APPS: Readonly<Record<string, string>> = {
  deleteApplication: 'The app must be `INACTIVE`. Its assignments, grants and tokens are removed with it.',
  replaceApplication:
    'Members that the body leaves out get their defaults, except the settings of the OAuth client, keys, secrets and ' +
    'the shared password, which stay.',
  activateApplication: 'The status becomes `ACTIVE`: users can sign in to the app, and its OAuth client gets tokens.',
  deactivateApplication:
    'The status becomes `INACTIVE`: nobody can sign in to the app any longer, and its OAuth client gets no tokens.',
  approveClientForAbsentUsers:
    'The service app may get tokens for administrators who are absent, up to the roles that the caller holds.',
  revokeAbsentUserApproval: 'Ends an approval of the caller or of somebody else, and voids the tokens that rest on it.',
  updateDefaultProvisioningConnectionForApplication:
    'Stores the address and the credentials of the connection. The service does not contact the app yet.',
  activateDefaultProvisioningConnectionForApplication:
    'The status becomes `ENABLED`. The service does not contact the app yet.',
  deactivateDefaultProvisioningConnectionForApplication: 'The status becomes `DISABLED`.',
  generateCsrForApplication:
    'Makes a new key pair. The response contains the request for a certificate authority to sign.',
  publishCsrFromApplication:
    'The body is the certificate that was issued for the request, in DER, PEM or base64. The key pair becomes a ' +
    'key of the app.',
  revokeCsrFromApplication: 'Removes the request and its key pair.',
  addJwk: 'If the key is `ACTIVE` and for signing, the client can authenticate with it at once.',
  deletejwk: 'The key must be `INACTIVE`.',
  generateApplicationKey:
    'Makes a new key with a self-signed certificate for the app. It signs nothing until the app names it.',
  cloneApplicationKey: 'Copies the key to another app.',
  createOAuth2ClientSecret:
    'The response contains the new secret. A client can have two secrets, so that one can replace the other.',
  deleteOAuth2ClientSecret: 'The secret must be `INACTIVE`.',
  deactivateOAuth2ClientSecret:
    'The status becomes `INACTIVE`. The only active secret of a client cannot be deactivated.',
  updateFeatureForApplication: 'Only the capabilities in the body change. The service does not contact the app yet.',
  grantConsentToScope: 'The OAuth client of the app may ask for the scope.',
  revokeScopeConsentGrant:
    'The OAuth client of the app may no longer ask for the scope, and all its tokens are void. It can get new ' +
    'ones with its other scopes.',
  assignGroupToApplication:
    'The members of the group get the app. If the group is already assigned, the body changes the assignment.',
  updateGroupAssignmentToApplication: 'The body is a JSON Patch of the priority or the profile of the assignment.',
  unassignApplicationFromGroup: 'The members of the group lose the app, unless they have it in another way.',
  assignUserToApplication:
    'Assigns the app to the user. A user who has it only through a group gets an assignment of their own. If they ' +
    'already have one, the response is 409 `E0000062`.',
  assignUserToApplicationById: 'The user gets the app. If they have it already, the body changes the assignment.',
  updateApplicationUser: 'Only the credentials and profile attributes in the body change.',
  unassignUserFromApplication:
    'Ends the assignment of the user and removes their data in the app. If a group gives them the app too, they ' +
    'keep it by the group.',
  uploadApplicationLogo: 'The image replaces the earlier logo. The `Location` header contains its address.',
  assignUnnamedApplicationPolicy: 'The address lacks the id of the policy, so every request is refused.',
  assignApplicationPolicy:
    'The policy replaces the app’s previous policy of the same type, which must be `ACCESS_POLICY` or ' +
    '`PROFILE_ENROLLMENT`.',
  previewSAMLmetadataForApplication:
    'The response is the SAML metadata of the app, with its current signing key or the key that `kid` names.',
  revokeOAuth2TokensForApplication: 'All refresh tokens of the app are void.',
  revokeOAuth2TokenForApplication: 'The refresh token is void at once.',
  createClient:
    'Registers an OAuth client as an active app (RFC 7591). Its users are asked for consent. The response contains ' +
    'the secret, if the client has one.',
  replaceClient:
    'Replaces the metadata of the client (RFC 7592). Metadata that the body leaves out gets its default; keys, ' +
    'secrets and settings of administrators stay.',
  deleteClient: 'Deletes the client with its app, even if it is active.',
  generateNewClientSecret: 'The response contains the new secret. It replaces all earlier secrets, which stop working.',
};

const AUTHORIZATION_SERVERS: Readonly<Record<string, string>> = {
  createAuthorizationServer:
    'The new server has the built-in scopes and claims. It issues no tokens until it has a policy with a rule.',
  replaceAuthorizationServer:
    'Replaces name, description and audience. Status, issuer mode and key rotation stay if the body leaves them out.',
  deleteAuthorizationServer:
    'Removes the server with its scopes, claims and policies, and voids its tokens. The default server cannot be ' +
    'deleted.',
  deactivateAuthorizationServer:
    'The status becomes `INACTIVE`. The tokens of the server are void, and stay void when it is activated again.',
  createAuthorizationServerPolicy: 'The new policy allows nothing until it has a rule.',
  replaceAuthorizationServerPolicy:
    'Replaces name, description and clients. Priority and status stay if the body leaves them out.',
  replaceAuthorizationServerPolicyRule:
    'Replaces name, conditions and lifetimes. Priority and status stay if the body leaves them out.',
  deleteAuthorizationServerPolicy: 'Removes the policy and its rules.',
  replaceOAuth2Claim:
    'Members that the body leaves out get their defaults, but the status stays. Only the status and the scopes of a ' +
    'built-in claim can change.',
  replaceOAuth2Scope: 'Members that the body leaves out get their defaults. A built-in scope keeps its name.',
  deleteOAuth2Claim: 'Built-in claims cannot be deleted.',
  deleteOAuth2Scope: 'Built-in scopes cannot be deleted.',
  createAssociatedServers:
    'The server accepts access tokens of the named servers in a token exchange. It keeps trusting those that it ' +
    'trusts already.',
  deleteAssociatedServer: 'The server no longer accepts access tokens of the other server in a token exchange.',
  revokeRefreshTokensForAuthorizationServerAndClient:
    'All refresh tokens that the client has from this server are void.',
  revokeRefreshTokenForAuthorizationServerAndClient: 'The refresh token is void at once.',
  rotateAuthorizationServerKeys:
    'Publishes a new key, which signs from 2 seconds later on. The old key stays published until the last token that ' +
    'it signed has expired.',
};

const POLICIES: Readonly<Record<string, string>> = {
  createPolicy:
    'A policy of the type `SVC_SIGN_ON`, `PASSWORD`, `MFA_ENROLL` or `DEVICE_SIGNAL_COLLECTION` has no effect ' +
    'until it has a rule. A policy of the type `ACCESS_POLICY` or `PROFILE_ENROLLMENT` starts with a rule for ' +
    'everybody. Every org has exactly one policy of each other type.',
  replacePolicy:
    'Replaces name, description, conditions and settings. Priority and status stay if the body leaves them out. Only ' +
    'the description and the settings of a default policy can change.',
  deletePolicy: 'Removes the policy and its rules. Default policies cannot be deleted.',
  deactivatePolicy: 'The status becomes `INACTIVE`. Default policies cannot be deactivated.',
  replacePolicyRule: 'Replaces name, conditions and actions. Priority and status stay if the body leaves them out.',
  deletePolicyRule: 'Default rules cannot be deleted.',
  clonePolicy:
    'The copy has the same rules and a name that begins with `[cloned]`. It comes last among the policies of its ' +
    'type, and no app is mapped to it.',
  createPolicySimulation: 'The response says which policies and rules would apply to a sign-in. Nothing changes.',
  mapResourceToPolicy: 'The policy applies to the app, and replaces the one of its type that the app had.',
  deletePolicyResourceMapping: 'The default policy of the type applies to the app again.',
  createBehaviorDetectionRule: 'Rules can name the behavior, but no sign-in is compared with it yet.',
  replaceBehaviorDetectionRule: 'Replaces name and settings. The status stays if the body leaves it out.',
  replaceTrustedOrigin: 'Replaces name, origin and scopes. The status stays if the body leaves it out.',
  replaceNetworkZone: 'Replaces all members but the type, which cannot change.',
  deleteNetworkZone:
    'The zone must be `INACTIVE`, and no rule or API token may refer to it. System zones cannot be deleted.',
  createIdentityProvider: 'Routing rules can name the provider, but nobody can sign in with it yet.',
  replaceIdentityProvider:
    'Members that the body leaves out get their defaults. The type, the status, a secret that is left out and the ' +
    'audience of assertions stay.',
  deleteIdentityProvider: 'No routing rule may name the provider.',
  replaceIdentityProviderKey: 'Replaces the certificate for every identity provider that names the key.',
  deleteIdentityProviderKey: 'No identity provider may name the key.',
  getIdentityProviderMetadata: 'The response is the SAML metadata by which the identity provider recognizes this org.',
};

const ORG: Readonly<Record<string, string>> = {
  revokeCurrentApiToken: 'Revokes the API token that authenticates this request.',
  revokeApiToken: 'The token is void at once.',
  upsertApiToken: 'Changes the name of the token and the networks from which it may be used. Its value stays.',
  deleteAllCustomizations: 'In every language, emails of this template have the default text of Gatehouse again.',
  deleteEmailCustomization: 'The default customization can be deleted only together with all others.',
  getCustomizationPreview: 'The response is the email as the customization words it, with made-up values.',
  getEmailDefaultContent: 'The response is the default text of the email, with its variables.',
  getEmailDefaultPreview: 'The response is the email with its default text and made-up values.',
  sendTestEmail: 'Sends the email to the caller, with made-up values. The caller must be a user, not a service app.',
  replaceBrandTheme: 'Replaces colours and variants. The images stay: they have operations of their own.',
  uploadBrandThemeBackgroundImage: 'The image replaces the earlier background image.',
  uploadBrandThemeFavicon: 'The image replaces the earlier favicon.',
  uploadBrandThemeLogo: 'The image replaces the earlier logo.',
  createEventHook: 'The new hook receives no events until its address is verified.',
  replaceEventHook:
    'The status stays, and so does a secret that the body leaves out. A changed address must be verified again.',
  deleteEventHook: 'The hook must be `INACTIVE`. The state of its deliveries is removed with it.',
  verifyEventHook:
    'The service asks the address to repeat a value. Only a verified hook receives events. The hook must be `ACTIVE`.',
  replayEventHook:
    'Delivery continues with the event at `position`, or with the first event since `since`. An unknown position ' +
    'and a time in the future are refused. The hook must be `ACTIVE`.',
  createLogStream: 'The stream delivers the events from now on.',
  replaceLogStream:
    'The type and the status stay, and so does a secret that the body leaves out. Delivery continues where it is.',
  deleteLogStream: 'Removes the stream, the state of its deliveries and, soon afterwards, its files.',
  replayLogStream:
    'Delivery continues with the event at `position`, or with the first event since `since`. An unknown position ' +
    'and a time in the future are refused. The stream must be `ACTIVE`.',
  updateFeatureLifecycle:
    'Switches the feature on or off for the whole org. With `mode=force`, the features that prevent this ' +
    'are switched first.',
  updateOrgSettings: 'Only the settings in the body change.',
  replaceOrgSettings: 'Settings that the body leaves out are cleared. `companyName` is required.',
};

export const MANAGEMENT_OPERATIONS: Readonly<Record<string, string>> = {
  ...APPS,
  ...AUTHORIZATION_SERVERS,
  ...POLICIES,
  ...ORG,
};
