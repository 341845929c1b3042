const SCHEMA_UPDATE =
  'Attributes in the body are added to the schema or changed. A custom attribute that is `null` is removed, ' +
  'together with its values.';

const PEOPLE: Readonly<Record<string, string>> = {
  createUser:
    'The new user is activated at once; with `activate=false`, they are `STAGED`. A user without a password gets ' +
    'an activation email and is `PROVISIONED` until they have chosen a password.',
  deleteUser:
    'The first call deactivates a user who is not deactivated yet. A call for a deactivated user removes them with ' +
    'everything that belongs to them.',
  updateUser:
    'Profile attributes in the body replace the stored ones. All other attributes stay. To set credentials, the ' +
    'caller’s roles must also grant `users.credentials.manage`.',
  replaceUser:
    'The profile in the body replaces the whole stored profile: attributes that it leaves out are removed. ' +
    'Credentials that the body leaves out stay. To set credentials, the caller’s roles must also grant ' +
    '`users.credentials.manage`.',
  activateUser:
    'A `STAGED` or `DEPROVISIONED` user with a password becomes `ACTIVE`. Without a password, they become ' +
    '`PROVISIONED` and need the activation link, which is in an email or in the response.',
  reactivateUser:
    'A user who is `PROVISIONED` or in `RECOVERY` gets a new link, in an email or in the response. Earlier links ' +
    'are void.',
  deactivateUser:
    'The user becomes `DEPROVISIONED`: they can no longer sign in, and their sessions and tokens end. Their ' +
    'password, recovery question, factors and own app assignments are deleted. Only deactivated users can be ' +
    'deleted.',
  suspendUser:
    'The user becomes `SUSPENDED`: they can no longer sign in, and their sessions and tokens end. Their profile, ' +
    'groups and app assignments stay.',
  unsuspendUser: 'The suspended user returns to the status that they had before.',
  unlockUser: 'A user whom failed attempts have locked out becomes `ACTIVE` and can sign in with their old password.',
  resetPassword:
    'The user must choose a new password, and their sessions and tokens end. The link for the new password is in ' +
    'an email or in the response.',
  expirePassword: 'The user must choose a new password at their next sign-in.',
  expirePasswordWithTempPassword:
    'The response contains a temporary password. The user signs in with it once, and must then choose a new ' +
    'password.',
  forgotPassword:
    'Starts the recovery of a forgotten password, for an active user who has a recovery question. The link is in ' +
    'an email or in the response. Password and status stay as they are.',
  forgotPasswordSetNewPassword:
    'The body contains the answer to the recovery question and the new password, which is valid at once.',
  changePassword:
    'The body contains the old password, which is checked, and the new one, which must comply with the password ' +
    'policy.',
  changeRecoveryQuestion:
    'The body contains the password, which is checked, and the new recovery question with its answer.',
  enrollFactor:
    'A security question is active at once. A factor with codes is `PENDING_ACTIVATION`, and only this response ' +
    'shows its shared secret; a new enrollment replaces a pending one. Neither a browser session nor an access ' +
    'token of a user can enroll factors.',
  activateFactor: 'The body contains the first code of the device, which shows that the device has the secret.',
  verifyFactor:
    'The body contains a code, which is accepted once, or the answer to the security question. Five wrong ones in a ' +
    'row make the factor wait for five minutes, and each further one twice as long, up to an hour.',
  unenrollFactor: 'Removes the factor. The user is told by email if it was active.',
  resetFactors: 'Removes all factors of the user, who is told by email if one was active.',
  assignLinkedObjectValueForPrimary:
    'The user of the path becomes associated with the primary user, such as an employee with their manager. It ' +
    'replaces another primary of this relationship.',
  deleteLinkedObjectForUser:
    'Removes the primary of this user. The path must contain the name of the primary side; the name of the ' +
    'associated side gets 404.',
  revokeUserGrant:
    'Ends the consent of the user to one scope of an app. Authorization codes and tokens that depend on it are void.',
  revokeUserGrants:
    'Ends all consents of the user, to all apps. Authorization codes and tokens that depend on them are void.',
  revokeGrantsForUserAndClient:
    'Ends all consents of the user to the app. Authorization codes and tokens that depend on them are void.',
  revokeTokensForUserAndClient: 'All refresh tokens that the client holds for the user are void.',
  revokeTokenForUserAndClient: 'The refresh token is void at once.',
  revokeUserSessions:
    'Signs the user out everywhere, and forgets their devices unless `forgetDevices` is `false`. With `oauthTokens`, ' +
    'their tokens are void as well.',
  addGroup: 'The new group has no members.',
  replaceGroup: 'The profile in the body replaces the whole stored profile of the group.',
  deleteGroup:
    'Removes the group and all memberships in it. The group of everyone and groups of apps cannot be deleted.',
  assignUserToGroup: 'Adds the user to the group. Nothing changes for a user who is a member already.',
  unassignUserFromGroup: 'Removes the user from the group, even if a rule has added them.',
  assignGroupOwner: 'The user or the group becomes an owner of the group.',
  createGroupRule: 'The new rule is `INACTIVE`: it changes no memberships until it is activated.',
  replaceGroupRule: 'The rule must be `INACTIVE`. The groups that it assigns cannot be changed.',
  activateGroupRule:
    'The rule adds all users who match its expression to its groups, now and whenever users change. A job evaluates ' +
    'the present users.',
  deactivateGroupRule: 'The rule adds no more users to its groups. The members whom it has added stay.',
  deleteGroupRule:
    'Removes the rule at once. With `removeUsers`, a job then takes the members whom it has added out of its groups.',
  getGroupRuleEvaluation:
    'The response says how many users have been examined, and how many memberships this has changed.',
  updateUserProfile: SCHEMA_UPDATE,
  updateGroupSchema: SCHEMA_UPDATE,
  updateApplicationUserProfile: SCHEMA_UPDATE,
  updateUserType: 'Only the members in the body change.',
  replaceUserType: 'Replaces the display name and the description. The name cannot change.',
  deleteUserType: 'No user may have the type, not even a deactivated one. The default type cannot be deleted.',
  deleteLinkedObjectDefinition: 'Removes the definition and all links of its kind between users.',
  updateProfileMapping: 'Only the mapped properties in the body change.',
};

const ROLES: Readonly<Record<string, string>> = {
  assignRoleToUser: 'The role is a standard role, or a custom role with a resource set. It takes effect at once.',
  assignRoleToGroup: 'All members of the group get the role, which takes effect at once.',
  assignRoleToClient: 'The OAuth client gets the role, which takes effect at once.',
  unassignRoleFromUser: 'The user loses the role at once, unless a group gives it to them.',
  unassignRoleFromGroup: 'The members lose the role at once, unless they have it in another way.',
  deleteRoleFromClient: 'The OAuth client loses the role at once.',
  getRoleTargetsByUserIdAndRoleId:
    'Lists what the role of the user is limited to, by assignment and target: their own assignment and those of ' +
    'their groups.',
  getUserAssignedRoleGovernance: 'No other system governs roles, so the list of sources is empty.',
  getRoleAssignmentGovernanceGrant: 'No other system governs roles, so there is no source to find.',
  getRoleAssignmentGovernanceGrantResources: 'No other system governs roles, so there is no source to find.',
  createRole: 'Callers can give the role only permissions that they hold themselves.',
  replaceRole: 'Replaces the label and the description. The permissions stay.',
  deleteRole: 'Removes the role and its bindings. Their members lose the role.',
  createRolePermission:
    'The custom role grants the permission at once, under the conditions of the body. A permission that it grants ' +
    'already gets these conditions.',
  replaceRolePermission: 'The permission gets the conditions of the body.',
  deleteRolePermission: 'The custom role no longer grants the permission.',
  replaceResourceSet: 'Replaces the label and the description. If the body leaves one out, it stays.',
  deleteResourceSet: 'Removes the resource set and its bindings. Their members lose the roles.',
  addResourceSetResources: 'Adds the resources to the set. Roles over the set reach them at once.',
  addResourceSetResource: 'Adds the resource to the set, under the conditions of the body.',
  deleteResourceSetResource: 'Takes the resource out of the set. Roles over the set no longer reach it.',
  createResourceSetBinding: 'The members of the binding get the custom role over the resources of the set.',
  addMembersToBinding: 'The new members get the custom role of the binding as well.',
  unassignMemberFromBinding: 'The member loses the custom role of the binding.',
  deleteBinding: 'All members of the binding lose the custom role over the resource set.',
};

export const DIRECTORY_OPERATIONS: Readonly<Record<string, string>> = { ...PEOPLE, ...ROLES };

const TARGETS = {
  allApps: 'The role reaches all apps again: its targets are removed.',
  addApps: 'The role is limited to its targets, which now include all apps of this name.',
  removeApps: 'The role no longer reaches the apps of this name. The last target of a role cannot be removed.',
  addApp: 'The role is limited to its targets, which now include this app.',
  removeApp: 'The role no longer reaches this app. The last target of a role cannot be removed.',
  addGroup: 'The role is limited to its targets, which now include this group and its members.',
  removeGroup: 'The role no longer reaches this group. The last target of a role cannot be removed.',
} as const;

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
