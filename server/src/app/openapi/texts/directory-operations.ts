/** Descriptions of operations on users, groups, roles and schemas for which the verb in the summary is not enough. */
export const DIRECTORY_OPERATIONS: Readonly<Record<string, string>> = {
  createUser:
    'The new user is activated at once unless `activate` is `false`. A user without a password receives an ' +
    'activation mail and is `PROVISIONED` until they have chosen one.',
  deleteUser:
    'A user who is not deactivated yet is only deactivated by the first call. A second call removes the ' +
    'deactivated user with everything that belongs to them.',
  updateUser:
    'The attributes of the profile that are sent take the place of the old ones. All other attributes stay as ' +
    'they are.',
  replaceUser:
    'The profile that is sent takes the place of the whole old profile: an attribute that is left out is ' +
    'removed. Credentials that are left out stay.',
  activateUser:
    'A user with a password becomes `ACTIVE`; any other user becomes `PROVISIONED` and receives the activation ' +
    'link by mail, or the caller receives it in the answer.',
  reactivateUser: 'A `PROVISIONED` user gets a new activation link, and the earlier link is void.',
  deactivateUser:
    'The user becomes `DEPROVISIONED`: they can no longer sign in, and their sessions and tokens end. Only a ' +
    'deactivated user can be deleted.',
  suspendUser:
    'The user becomes `SUSPENDED`: they can no longer sign in, while their profile, groups and app assignments stay.',
  unsuspendUser: 'The suspended user returns to the status that they had before.',
  unlockUser: 'A user whom failed sign-ins have locked out becomes `ACTIVE` and can sign in with their old password.',
  resetPassword: 'The user has to choose a new password. The link for that is sent by mail or returned in the answer.',
  expirePassword: 'The user has to choose a new password when they next sign in.',
  expirePasswordWithTempPassword:
    'The answer holds a temporary password, with which the user signs in once to choose a new one.',
  forgotPassword: 'The recovery of a forgotten password begins. The link is sent by mail or returned in the answer.',
  forgotPasswordSetNewPassword:
    'The body answers the recovery question and gives the new password, which is in force at once.',
  changePassword:
    'The body holds the old password, which is checked, and the new one, which the password policy must allow.',
  changeRecoveryQuestion:
    'The body holds the password, which is checked, and the new recovery question with its answer.',
  assignLinkedObjectValueForPrimary:
    'The user of the path becomes associated with the primary user, for instance an employee with their manager. ' +
    'A user has at most one primary of a relationship.',
  deleteLinkedObjectForUser: 'The user no longer has a primary in this relationship.',
  listLinkedObjectsForUser:
    'The answer links to the primary of the user, or to all users who are associated with them. The name in the ' +
    'path decides which.',
  listUserBlocks: 'The answer says whether failed attempts keep the user from signing in, and from which devices.',
  listUserDevices: 'No device of a user can be enrolled yet, so the list is empty.',
  listAppLinks: 'The answer holds a tile for each app that the user can start.',
  listUserGrants: 'The answer holds the consents that the user has given to apps, page by page.',
  revokeUserGrant:
    'The app no longer has the consent of the user for this scope. Codes and tokens that rest on it are void.',
  revokeUserGrants: 'No app has a consent of the user any longer. Codes and tokens that rest on one are void.',
  revokeGrantsForUserAndClient:
    'The app no longer has any consent of the user. Codes and tokens that rest on one are void.',
  revokeTokensForUserAndClient: 'All refresh tokens that the client holds for the user are void.',
  revokeTokenForUserAndClient: 'The refresh token is void at once.',
  revokeUserSessions: 'The user is signed out everywhere; on request their OAuth tokens are revoked as well.',
  addGroup: 'The new group is in the answer. It has no members yet.',
  replaceGroup: 'The profile that is sent takes the place of the whole old profile of the group.',
  deleteGroup: 'The group and all memberships in it are removed. Its members stay.',
  assignUserToGroup: 'The user is a member of the group from then on. Assigning a member again changes nothing.',
  unassignUserFromGroup: 'The user is no longer a member of the group.',
  assignGroupOwner: 'The user or the group owns the group from then on.',
  deleteGroupOwner: 'The owner no longer owns the group.',
  listAssignedApplicationsForGroup: 'The answer lists the apps that the group gives to its members.',
  createGroupRule: 'The new rule is `INACTIVE` and changes no membership before it is activated.',
  activateGroupRule:
    'All users whom the expression of the rule matches are put into its groups, and later users as well.',
  deactivateGroupRule: 'The rule puts nobody into its groups any longer. Members whom it has added stay.',
  deleteGroupRule: 'The rule is removed; on request, members whom it has added leave the groups.',
  getGroupRuleEvaluation:
    'The answer says how many of all users the rule has looked at, and how many memberships it changed.',
  updateUserProfile:
    'Attributes that are sent are added to the schema or changed; an attribute that is sent as `null` is removed.',
  updateGroupSchema:
    'Attributes that are sent are added to the schema or changed; an attribute that is sent as `null` is removed.',
  updateApplicationUserProfile:
    'Attributes that are sent are added to the schema or changed; an attribute that is sent as `null` is removed.',
  updateUserType: 'Only the properties that are sent change.',
  deleteUserType: 'A type can be removed while no user has it. The default type always stays.',
  updateProfileMapping: 'Only the mapped properties that are sent change.',
  assignRoleToUser:
    'The user is an administrator with this role from then on: a standard role, or a custom role with a resource set.',
  assignRoleToGroup: 'All members of the group are administrators with this role from then on.',
  assignRoleToClient: 'The OAuth client acts with this role from then on.',
  unassignRoleFromUser: 'The user no longer has the role, unless a group gives it to them.',
  unassignRoleFromGroup: 'The members of the group no longer have the role through the group.',
  deleteRoleFromClient: 'The OAuth client no longer has the role.',
  listUsersWithRoleAssignments:
    'The answer names every user who is an administrator, by an assignment of their own or by a group.',
  getRoleTargetsByUserIdAndRoleId:
    'The answer names what the role of the user is limited to, by assignment and target.',
  getUserAssignedRoleGovernance: 'Roles are not governed from outside, so the list of sources is empty.',
  getRoleAssignmentGovernanceGrant: 'Roles are not governed from outside, so no source can be found.',
  getRoleAssignmentGovernanceGrantResources: 'Roles are not governed from outside, so no resource can be found.',
  createResourceSetBinding:
    'The members of the binding have the custom role over the resources of the set from then on.',
  addMembersToBinding: 'The users and groups have the custom role of the binding as well from then on.',
  unassignMemberFromBinding: 'The member no longer has the custom role of the binding.',
  deleteBinding: 'No member of the binding has the custom role over the resource set any longer.',
  addResourceSetResources: 'The resources join the set, and roles over the set reach them at once.',
  addResourceSetResource: 'The resource joins the set under the conditions of the body.',
  createRolePermission: 'The custom role grants the permission from then on, under the conditions of the body.',
};

/** Texts about the targets of a role, which the operations for users, groups and clients share. */
const TARGETS = {
  allApps: 'The role reaches all apps again: narrower targets are removed.',
  addApps: 'The role is limited to its targets, which now include all apps of this name.',
  removeApps: 'The role no longer reaches the apps of this name. The last target of a role cannot be removed.',
  addApp: 'The role is limited to its targets, which now include this app.',
  removeApp: 'The role no longer reaches this app. The last target of a role cannot be removed.',
  addGroup: 'The role is limited to its targets, which now include this group and its members.',
  removeGroup: 'The role no longer reaches this group. The last target of a role cannot be removed.',
} as const;

/** Descriptions of the operations that narrow the roles of users, groups and clients. */
export const ROLE_TARGET_OPERATIONS: Readonly<Record<string, string>> = {
  assignAllAppsAsTargetToRoleForUser: TARGETS.allApps,
  assignAppTargetToAdminRoleForUser: TARGETS.addApps,
  assignAppTargetToAdminRoleForGroup: TARGETS.addApps,
  assignAppTargetRoleToClient: TARGETS.addApps,
  unassignAppTargetFromAppAdminRoleForUser: TARGETS.removeApps,
  unassignAppTargetToAdminRoleForGroup: TARGETS.removeApps,
  removeAppTargetRoleFromClient: TARGETS.removeApps,
  assignAppInstanceTargetToAppAdminRoleForUser: TARGETS.addApp,
  assignAppInstanceTargetToAppAdminRoleForGroup: TARGETS.addApp,
  assignAppTargetInstanceRoleForClient: TARGETS.addApp,
  unassignAppInstanceTargetFromAdminRoleForUser: TARGETS.removeApp,
  unassignAppInstanceTargetToAppAdminRoleForGroup: TARGETS.removeApp,
  removeAppTargetInstanceRoleForClient: TARGETS.removeApp,
  assignGroupTargetToUserRole: TARGETS.addGroup,
  assignGroupTargetToGroupAdminRole: TARGETS.addGroup,
  assignGroupTargetRoleForClient: TARGETS.addGroup,
  unassignGroupTargetFromUserAdminRole: TARGETS.removeGroup,
  unassignGroupTargetFromGroupAdminRole: TARGETS.removeGroup,
  removeGroupTargetRoleFromClient: TARGETS.removeGroup,
};
