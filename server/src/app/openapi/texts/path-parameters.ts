import { ID_PREFIXES, type IdKind } from '../../../kernel/words/ids.ts';

export interface PathParameterText {
  readonly description: string;
  readonly example: string;
}

export const exampleId = (kind: IdKind): string => `${ID_PREFIXES[kind]}4kT9cWmZq2XbN7rLa1`.slice(0, 20);

const id = (kind: IdKind, description: string): PathParameterText => ({ description, example: exampleId(kind) });
const word = (example: string, description: string): PathParameterText => ({ description, example });

const KEY_ID = 'jN0Lz4cE8mQ2vXw7KpRsTuYbHaGdFi5o';
const MAILED_TOKEN = 'mT3xQ9vL2wZ8kR5nB7cD';

/** The path parameters by name. A name means the same in every path. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameterText>> = {
  apiTokenId: id('apiToken', 'The id of the API token. It is not the token itself.'),
  appId: id('app', 'The id of the app.'),
  appName: word('oidc_client', 'The name of the kind of app.'),
  approvalId: id('absentUserApproval', 'The id of the approval.'),
  associatedServerId: id('authorizationServer', 'The id of the authorization server that is trusted.'),
  authServerId: word('default', 'The id of the authorization server, or `default`.'),
  authorizationServerId: word('default', 'The id of the authorization server, or `default`.'),
  behaviorId: id('behavior', 'The id of the behavior.'),
  brandId: id('brand', 'The id of the brand.'),
  claimId: id('authorizationServerClaim', 'The id of the claim.'),
  clientId: id('app', 'The `client_id` of the OAuth client.'),
  csrId: word('Vn3pQ8sK1tXcW6yB', 'The id of the certificate signing request.'),
  customizationId: id('emailCustomization', 'The id of the customization.'),
  digest: word('5f1d7a84db00d2fce00b31a7fc73224f', 'The digest of the image.'),
  eventHookId: id('eventHook', 'The id of the event hook.'),
  externalKey: word('exk1fcia6d6EMsf331d8', 'The key in the addresses of a SAML app.'),
  factorId: id('codeFactor', 'The id of the factor.'),
  featureId: id('feature', 'The id of the feature.'),
  featureName: word('USER_PROVISIONING', 'The name of the feature of the app.'),
  fileName: word('viewer.js', 'The name of a file of the reference page.'),
  grantId: id('grant', 'The id of the grant.'),
  groupId: id('group', 'The id of the group.'),
  groupRuleId: id('groupRule', 'The id of the group rule.'),
  id: id('user', 'The id of the user, or their login. `me` stands for the caller.'),
  idpId: id('identityProvider', 'The id of the identity provider.'),
  keyId: word(KEY_ID, 'The id of the key.'),
  kid: word(KEY_ID, 'The key id (`kid`) of the key.'),
  lifecycle: word('ENABLE', 'Either `ENABLE` or `DISABLE`, in upper or lower case.'),
  linkId: word('0', 'The id of the link of the app.'),
  linkedObjectName: word('manager', 'The name of the primary or the associated side of the definition.'),
  logStreamId: id('logStream', 'The id of the log stream.'),
  logStreamType: word('https_ndjson', 'The type of the log stream.'),
  logoId: id('appLogo', 'The id of the uploaded logo.'),
  mappingId: id('policy', 'The id of the mapping of a resource to the policy.'),
  memberId: id('bindingMember', 'The id of the member of the binding.'),
  mode: word('SAML_2_0', 'The sign-on mode that the instructions are for.'),
  ownerId: id('user', 'The id of the owner, who is a user or a group.'),
  permissionType: word('svc.users.read', 'The name of the permission.'),
  policyId: id('policy', 'The id of the policy.'),
  primaryRelationshipName: word('manager', 'The name of the primary side of the definition.'),
  primaryUserId: id('user', 'The id of the user who becomes the primary.'),
  profileMappingId: id('profileMapping', 'The id of the profile mapping.'),
  relationshipName: word('manager', 'The name of the primary or the associated side of the definition.'),
  resourceId: id('resourceSetResource', 'The id of the resource within the resource set.'),
  resourceSetIdOrLabel: id('resourceSet', 'The id or the label of the resource set.'),
  roleAssignmentId: id('roleAssignment', 'The id of the role assignment.'),
  roleIdOrEncodedRoleId: word(
    'USER_ADMIN',
    'The type of the role, as it is or in base 32, or the id of the role assignment.',
  ),
  roleIdOrLabel: id('customRole', 'The id or the label of the custom role.'),
  ruleId: id('policyRule', 'The id of the rule.'),
  schemaId: word('default', 'The id of the schema, or `default`.'),
  scopeId: id('authorizationServerScope', 'The id of the scope.'),
  secretId: id('clientSecret', 'The id of the client secret.'),
  serverPolicyId: id('policy', 'The id of the policy of the authorization server.'),
  serverRuleId: id('policyRule', 'The id of the rule of the policy.'),
  sessionId: word('trs8HnW2qYv5Rk1mXc7Zb9Lp', 'The id of the session.'),
  targetGroupId: id('group', 'The id of the group that the role is limited to.'),
  templateName: word('UserActivation', 'The name of the email template.'),
  themeId: id('theme', 'The id of the theme.'),
  token: word(MAILED_TOKEN, 'The token of the link in the email.'),
  tokenId: id('refreshToken', 'The id of the refresh token. It is not the token itself.'),
  trustedOriginId: id('trustedOrigin', 'The id of the trusted origin.'),
  typeId: id('userType', 'The id of the user type, or `default`.'),
  userId: id('user', 'The id of the user.'),
  userIdOrLogin: id('user', 'The id of the user, or their login.'),
  zoneId: id('zone', 'The id of the network zone.'),
};
