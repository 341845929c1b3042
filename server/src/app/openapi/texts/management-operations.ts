/** Descriptions of operations on apps, servers and the org for which the verb in the summary is not enough. */
export const MANAGEMENT_OPERATIONS: Readonly<Record<string, string>> = {
  listApiTokens: 'The answer describes the tokens, but does not contain their values, which nobody can read again.',
  revokeCurrentApiToken: 'The token of the request itself is void when the answer arrives.',
  revokeApiToken: 'The token is void at once.',
  upsertApiToken:
    'The name of the token and the networks from which it may be used can change; the token stays the same.',
  deleteApplication: 'The app must be deactivated first. Its assignments, grants and tokens are removed with it.',
  deactivateApplication: 'Nobody can sign in to the app any longer, and its OAuth client gets no tokens.',
  approveClientForAbsentUsers:
    'The service app may act for absent administrators, within the scopes that it has been granted.',
  revokeAbsentUserApproval: 'The service app no longer acts for absent administrators.',
  updateDefaultProvisioningConnectionForApplication: 'The address and the credentials of the connection change.',
  activateDefaultProvisioningConnectionForApplication: 'The connection is in use from then on.',
  deactivateDefaultProvisioningConnectionForApplication: 'The connection is not used any longer.',
  generateCsrForApplication:
    'A new key pair is made, and the answer holds the request for a certificate authority to sign.',
  publishCsrFromApplication:
    'The body is the signed certificate, in DER, PEM or base64. Its key becomes a key of the app.',
  revokeCsrFromApplication: 'The request and its key pair are removed.',
  addJwk: 'The public key verifies signatures of the OAuth client from then on, if its status is `ACTIVE`.',
  generateApplicationKey:
    'A new key with a self-signed certificate is made for the app. It signs nothing until the app names it.',
  cloneApplicationKey: 'The other app has the same key from then on.',
  createOAuth2ClientSecret:
    'The answer holds the new secret. A client has at most two secrets, so that they can be rotated.',
  updateFeatureForApplication: 'Only the capabilities that are sent change.',
  grantConsentToScope: 'The OAuth client of the app may ask for the scope from then on.',
  revokeScopeConsentGrant: 'The OAuth client of the app may no longer ask for the scope.',
  assignGroupToApplication: 'The members of the group have the app from then on. An assignment that exists is changed.',
  updateGroupAssignmentToApplication:
    'The body changes the priority or the profile of the assignment, as a JSON Patch.',
  unassignApplicationFromGroup: 'The members of the group lose the app, unless they have it in another way.',
  assignUserToApplication: 'The user has the app from then on.',
  assignUserToApplicationById: 'The user has the app from then on. An assignment that exists is changed.',
  updateApplicationUser: 'Only the credentials and profile attributes that are sent change.',
  unassignUserFromApplication: 'The user loses the app, unless a group gives it to them.',
  uploadApplicationLogo: 'The image takes the place of the old logo.',
  assignUnnamedApplicationPolicy: 'The id of the policy is missing in the address, so the request is always refused.',
  assignApplicationPolicy: 'The app sign-in policy decides from then on who gets into the app.',
  previewSAMLmetadataForApplication:
    'The answer is the SAML metadata of the app, with its current signing key or the key that `kid` names.',
  revokeOAuth2TokensForApplication: 'All refresh tokens of the app are void.',
  revokeOAuth2TokenForApplication: 'The refresh token is void.',
  createAssociatedServers:
    'The authorization server accepts tokens of the named servers in a token exchange from then on.',
  deleteAssociatedServer: 'The authorization server no longer accepts tokens of the other one in a token exchange.',
  revokeRefreshTokensForAuthorizationServerAndClient:
    'All refresh tokens that the client has from this server are void.',
  revokeRefreshTokenForAuthorizationServerAndClient: 'The refresh token is void.',
  rotateAuthorizationServerKeys:
    'A new key is published and signs two seconds later. The old key stays published until the last token that ' +
    'it signed has expired.',
  deleteAuthorizationServer: 'The server, its policies, scopes and claims are removed, and its tokens are void.',
  getCustomizationPreview: 'The answer is the mail as the customization would write it, with made-up values.',
  getEmailDefaultContent: 'The answer is the text of the mail as Gatehouse sends it, with its variables.',
  getEmailDefaultPreview: 'The answer is the mail as Gatehouse writes it, with made-up values.',
  sendTestEmail: 'The mail goes to the caller, with made-up values.',
  deleteAllCustomizations: 'In every language, the mail of this template returns to the default text of Gatehouse.',
  replaceBrandTheme: 'The colours and variants change. Images have operations of their own.',
  uploadBrandThemeBackgroundImage: 'The image takes the place of the old background image.',
  uploadBrandThemeFavicon: 'The image takes the place of the old favicon.',
  uploadBrandThemeLogo: 'The image takes the place of the old logo.',
  replayEventHook:
    'Delivery continues at the position or the instant in the body, earlier or later than where the hook is now.',
  verifyEventHook: 'The receiver is asked to confirm that it expects events. Only a verified hook receives any.',
  replayLogStream:
    'Delivery continues at the position or the instant in the body, earlier or later than where the stream is now.',
  updateFeatureLifecycle: 'The feature is switched on or off, for the whole org at once.',
  updateOrgSettings: 'Only the settings that are sent change.',
  clonePolicy:
    'The copy has the same rules, comes last among the policies of its type, and has a name that begins with ' +
    '`[cloned]`.',
  createPolicySimulation: 'The answer says which policies and rules would apply to a sign-in. Nothing changes.',
  mapResourceToPolicy: 'The policy applies to the resource from then on.',
  deletePolicyResourceMapping: 'The policy no longer applies to the resource; the default policy does.',
  listIdentityProviderApplicationUsers: 'Nobody signs in by an identity provider yet, so the list is empty.',
  getIdentityProviderMetadata: 'The answer is the SAML metadata that the identity provider asks for.',
  listLogEvents:
    'The answer holds the events that match, oldest first unless `sortOrder` says otherwise. The `next` link of ' +
    'a query without `until` can be asked again and again for new events.',
  listLogCheckpoints:
    'Each checkpoint signs the state of the log at an instant, so that a later change can be noticed.',
  createClient: 'The client is registered by dynamic client registration (RFC 7591). The secret is in the answer.',
  replaceClient: 'The metadata that is sent takes the place of the old metadata (RFC 7592).',
  generateNewClientSecret: 'The answer holds the new secret, and the old one is void.',
};
