import { answer, body, type NamedSchemas } from './named-schema.ts';
import { exampleId } from './path-parameters.ts';

const PROFILE = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', login: 'ada@example.com' };

export const DIRECTORY_SCHEMAS: NamedSchemas = {
  AnyObject: answer('changePassword', 'An object whose members depend on what it belongs to.'),
  EmptyObject: answer('suspendUser', 'An object without members.'),

  User: answer('getUser', 'A user with their profile, status and credentials; passwords are never shown.', {
    id: exampleId('user'),
    status: 'ACTIVE',
    created: '2026-01-31T09:30:00.000Z',
    activated: '2026-01-31T09:30:00.000Z',
    statusChanged: '2026-01-31T09:30:00.000Z',
    lastLogin: null,
    lastUpdated: '2026-01-31T09:30:00.000Z',
    passwordChanged: '2026-01-31T09:30:00.000Z',
    type: { id: exampleId('userType') },
    profile: PROFILE,
    credentials: { password: {}, provider: { type: 'SVC', name: 'SVC' } },
    _links: { self: { href: `https://acme.example.com/api/v1/users/${exampleId('user')}` } },
  }),
  UserInList: answer('listUsers', 'A user as lists show them.'),
  CreateUserRequest: body('createUser', 'A new user.', {
    profile: PROFILE,
    credentials: { password: { value: 'correct horse battery staple' } },
  }),
  UpdateUserRequest: body('updateUser', 'The changes to a user.', { profile: { mobilePhone: '+44 20 7946 0000' } }),
  UserBlock: answer('listUserBlocks', 'How far failed attempts keep a user from signing in.'),
  UserDevice: answer('listUserDevices', 'A device that a user has enrolled.'),
  ActivationLink: answer('activateUser', 'The activation link, if it was not sent by email.'),
  RecoveryLink: answer('resetPassword', 'The link for a new password, if it was not sent by email.'),
  TemporaryPassword: answer('expirePasswordWithTempPassword', 'A password that can be used for one sign-in.'),
  ExpiredPasswordAnswer: answer('expirePassword', 'The user, or the temporary password that was asked for.'),
  ChangePasswordRequest: body('changePassword', 'The old password and the new one.', {
    oldPassword: { value: 'correct horse battery staple' },
    newPassword: { value: 'a longer and better passphrase' },
  }),
  ChangeRecoveryQuestionRequest: body('changeRecoveryQuestion', 'The password and the new recovery question.', {
    password: { value: 'correct horse battery staple' },
    recovery_question: { question: 'Who was the first programmer?', answer: 'Ada Lovelace' },
  }),
  ForgottenPasswordRequest: body(
    'forgotPasswordSetNewPassword',
    'The new password and the answer to the recovery question.',
    {
      password: { value: 'a longer and better passphrase' },
      recovery_question: { answer: 'Ada Lovelace' },
    },
  ),
  UserFactor: answer('getFactor', 'A factor of a user. Its secret is shown only by the enrollment.'),
  SupportedFactor: answer('listSupportedFactors', 'A kind of factor, and whether the user has it.'),
  SecurityQuestion: answer('listSupportedSecurityQuestions', 'A question that a user can choose.'),
  FactorResult: answer('verifyFactor', 'The result of a right code or answer.'),
  EnrollFactorRequest: body('enrollFactor', 'The kind of the factor.', {
    factorType: 'token:software:totp',
    provider: 'GOOGLE',
  }),
  ActivateFactorRequest: body('activateFactor', 'The first code of the device.', { passCode: '123456' }),
  VerifyFactorRequest: body('verifyFactor', 'A code of the device, or the answer to the security question.', {
    passCode: '123456',
  }),
  UserGrant: answer('getUserGrant', 'The consent of a user to a scope of an app.'),
  UserClient: answer('listUserClients', 'An OAuth client that holds tokens or consents of a user.'),
  AppLink: answer('listAppLinks', 'A tile, with a link of an app that a user can start.'),
  LinksOfUser: answer('listLinkedObjectsForUser', 'Links to a linked user.'),

  Group: answer('getGroup', 'A group of users.', {
    id: exampleId('group'),
    created: '2026-01-31T09:30:00.000Z',
    lastUpdated: '2026-01-31T09:30:00.000Z',
    lastMembershipUpdated: '2026-01-31T09:30:00.000Z',
    objectClass: ['svc:user_group'],
    type: 'SVC_GROUP',
    profile: { name: 'Engineering', description: 'Everybody who builds the product' },
    _links: {},
  }),
  GroupRequest: body('addGroup', 'The profile of a group.', {
    profile: { name: 'Engineering', description: 'Everybody who builds the product' },
  }),
  GroupOwner: answer('assignGroupOwner', 'A user or group that owns a group.'),
  GroupOwnerRequest: body('assignGroupOwner', 'The user or group that will own the group.', {
    id: exampleId('user'),
    type: 'USER',
  }),
  GroupRule: answer('getGroupRule', 'A rule that adds users to groups by their profiles.'),
  GroupRuleRequest: body('createGroupRule', 'A rule: its expression, and the groups to which it adds users.', {
    type: 'group_rule',
    name: 'Engineers',
    conditions: { expression: { value: 'user.department == "Engineering"', type: 'urn:svc:expression:1.0' } },
    actions: { assignUserToGroups: { groupIds: [exampleId('group')] } },
  }),
  GroupRuleEvaluation: answer('getGroupRuleEvaluation', 'How far a rule has been applied to all users.'),

  UserType: answer('getUserType', 'A user type, which has a schema of its own.'),
  CreateUserTypeRequest: body('createUserType', 'A new user type.', { name: 'contractor', displayName: 'Contractor' }),
  UpdateUserTypeRequest: body('updateUserType', 'The changes to a user type.', { displayName: 'Contractors' }),
  ReplaceUserTypeRequest: body('replaceUserType', 'The new members of a user type. Its name cannot be changed.', {
    name: 'contractor',
    displayName: 'Contractors',
    description: 'People who work for the org for a time',
  }),
  ProfileSchema: answer('getUserSchema', 'The schema of profiles: its base attributes and its custom ones.'),
  AppUserSchema: answer('getApplicationUserSchema', 'The schema of the profiles that an app keeps of its users.'),
  ProfileSchemaRequest: body('updateUserProfile', 'Custom attributes to add, to change or, as `null`, to remove.', {
    definitions: { custom: { properties: { badge: { title: 'Badge', type: 'string' } } } },
  }),
  LogStreamSchema: answer('getLogStreamSchema', 'The schema of the settings of a type of log stream.'),
  LinkedObjectDefinition: answer('getLinkedObjectDefinition', 'A relationship between users, with its two sides.'),
  LinkedObjectRequest: body('createLinkedObjectDefinition', 'A new relationship between users.', {
    primary: { name: 'manager', title: 'Manager', description: 'Who leads a person', type: 'USER' },
    associated: { name: 'subordinate', title: 'Subordinate', description: 'Whom a person leads', type: 'USER' },
  }),
  ProfileMapping: answer('getProfileMapping', 'How attributes of one profile become attributes of another.'),
  ProfileMappingInList: answer('listProfileMappings', 'A mapping as lists show it: its source and its target.'),
  ProfileMappingRequest: body('updateProfileMapping', 'The mapped properties to change.', {
    properties: { fullName: { expression: 'user.firstName + user.lastName', pushStatus: 'PUSH' } },
  }),

  RoleAssignment: answer('getUserAssignedRole', 'A role that a user, a group or an OAuth client holds.'),
  RoleAssignmentRequest: body('assignRoleToUser', 'A standard role, or a custom role with its resource set.', {
    type: 'USER_ADMIN',
  }),
  RoleTargetApp: answer('listAppTargetRoleToClient', 'An app, or all apps of a name, that a role is limited to.'),
  RoleTarget: answer('getRoleTargetsByUserIdAndRoleId', 'A target of a role, by its resource name.'),
  RoleGovernance: answer('getUserAssignedRoleGovernance', 'The systems that govern a role assignment.'),
  RoleAssignees: answer('listUsersWithRoleAssignments', 'The users who hold roles.'),
  CustomRole: answer('getRole', 'A role that the org has composed of permissions.'),
  CustomRoles: answer('listRoles', 'A page of custom roles.'),
  CreateCustomRoleRequest: body('createRole', 'A new custom role with its permissions.', {
    label: 'Help desk',
    description: 'Resets passwords and unlocks users',
    permissions: ['svc.users.read', 'svc.users.credentials.manage'],
  }),
  ReplaceCustomRoleRequest: body('replaceRole', 'The label and the description of a custom role.', {
    label: 'Help desk',
    description: 'Resets passwords',
  }),
  RolePermission: answer('getRolePermission', 'A permission of a custom role.'),
  RolePermissions: answer('listRolePermissions', 'The permissions of a custom role.'),
  RolePermissionRequest: body('createRolePermission', 'The conditions of a permission.'),
  ResourceSet: answer('getResourceSet', 'A set of resources that custom roles reach.'),
  ResourceSets: answer('listResourceSets', 'A page of resource sets.'),
  CreateResourceSetRequest: body('createResourceSet', 'A new resource set with its resources.', {
    label: 'All groups',
    description: 'Every group of the org',
    resources: ['https://acme.example.com/api/v1/groups'],
  }),
  ReplaceResourceSetRequest: body('replaceResourceSet', 'The label and the description of a resource set.', {
    label: 'Groups',
    description: 'Every group of the org',
  }),
  ResourceSetResource: answer('getResourceSetResource', 'A resource of a resource set.'),
  ResourceSetResources: answer('listResourceSetResources', 'A page of the resources of a set.'),
  AddResourcesRequest: body('addResourceSetResources', 'The resources that join a set.', {
    additions: ['https://acme.example.com/api/v1/users'],
  }),
  AddResourceRequest: body('addResourceSetResource', 'A resource that joins a set under conditions.'),
  ReplaceResourceRequest: body('replaceResourceSetResource', 'The conditions of a resource of a set.'),
  Bindings: answer('listBindings', 'A page of the custom roles that are bound to a resource set.'),
  LinkedId: answer('getBinding', 'An id with links.'),
  BindingRequest: body('createResourceSetBinding', 'A custom role, and who holds it over the resource set.', {
    role: exampleId('customRole'),
    members: [`https://acme.example.com/api/v1/users/${exampleId('user')}`],
  }),
  BindingMembers: answer('listMembersOfBinding', 'A page of the members of a binding.'),
  BindingMember: answer('getMemberOfBinding', 'A user, group or OAuth client that is a member of a binding.'),
  AddMembersRequest: body('addMembersToBinding', 'The users, groups and clients that join a binding.', {
    additions: [`https://acme.example.com/api/v1/groups/${exampleId('group')}`],
  }),
};
