import type { Context } from '../kernel/context.ts';
import { revokeTokensOfUser } from '../management/api-tokens/index.ts';
import {
  recordAppsOfNewUsers,
  recordChangedAppUserNames,
  recordGainedApps,
  recordLostApps,
  removeAppAssignments,
  restoreAppAssignments,
} from '../management/app-assignments/index.ts';
import { createDefaultAuthorizationServer } from '../management/authorization-servers/index.ts';
import {
  evaluateRulesForChangedUsers,
  evaluateRulesForJoinedMembers,
  evaluateRulesForLeftMembers,
  evaluateRulesForReturnedUsers,
  forgetGroup,
  noteRenamedGroup,
  recheckExpressions,
} from '../management/group-rules/index.ts';
import { createEveryone } from '../management/groups/index.ts';
import { createDefaultPolicies } from '../management/policies/index.ts';
import {
  createMappingsOfApp,
  createMappingsOfType,
  removeMappingsOfApp,
} from '../management/profile-mappings/index.ts';
import { assertSuperAdminRemains } from '../management/roles/index.ts';
import { createDefaultUserType, removeAppUserSchema } from '../management/schemas/index.ts';
import { planRenewal, planRenewalOfMembers } from '../management/users/index.ts';
import { createDefaultZones } from '../management/zones/index.ts';
import { notifyClientsOfVoidSessions, planDefaultServerKey, planServerRotation } from '../oauth/index.ts';
import type { Reactions, SetReactions, Tx } from '../platform/postgres/index.ts';
import type { NewEvent } from '../system-log/index.ts';

/**
 * The reactions of slices to events of other slices, by the type of the event. They run in this order, in the same
 * transaction as the change that recorded the event.
 */
export const REACTIONS: Reactions<NewEvent> = {
  'system.org.lifecycle.create': [
    createDefaultUserType,
    createEveryone,
    createDefaultZones,
    createDefaultPolicies,
    createDefaultAuthorizationServer,
    planDefaultServerKey,
  ],
  'user.lifecycle.activate': [restoreAppAssignments],
  'user.lifecycle.suspend': [notifyClientsOfVoidSessions],
  'user.lifecycle.deactivate': [removeAppAssignments, revokeTokensOfUser, notifyClientsOfVoidSessions],
  'user.account.update_password': [notifyClientsOfVoidSessions],
  'user.account.reset_password': [notifyClientsOfVoidSessions],
  'user.account.expire_password': [notifyClientsOfVoidSessions],
  // Events with `planRenewal` may grant permissions, so links that were emailed earlier are renewed (ADR 0049).
  'user.account.privilege.grant': [planRenewal],
  'group.privilege.grant': [planRenewal],
  'iam.resourceset.bindings.add': [planRenewal],
  'iam.resourceset.resources.add': [planRenewal],
  'iam.resourceset.resources.update': [planRenewal],
  'iam.role.permissions.add': [planRenewal],
  'iam.role.permission.conditions.add': [planRenewal],
  'iam.role.permission.conditions.delete': [planRenewal],
  'application.lifecycle.create': [createMappingsOfApp],
  'application.lifecycle.delete': [removeMappingsOfApp, removeAppUserSchema],
  'system.idp.lifecycle.create': [createMappingsOfApp],
  'system.idp.lifecycle.delete': [removeMappingsOfApp, removeAppUserSchema],
  'oauth2.as.updated': [planServerRotation],
  'group.profile.update': [noteRenamedGroup],
  'group.lifecycle.delete': [forgetGroup],
  'directory.user_profile.update': [recheckExpressions],
  'directory.non_default_user_profile.create': [createMappingsOfType],
  'directory.non_default_user_profile.delete': [recheckExpressions],
};

/** Reactions that receive all events of a type together instead of one event at a time. */
export const SET_REACTIONS: SetReactions<NewEvent> = {
  'user.lifecycle.create': [recordAppsOfNewUsers, evaluateRulesForChangedUsers],
  'user.lifecycle.activate': [evaluateRulesForReturnedUsers],
  'user.account.update_profile': [recordChangedAppUserNames, evaluateRulesForChangedUsers],
  'user.account.update_user_type': [evaluateRulesForChangedUsers],
  'group.user_membership.add': [recordGainedApps, evaluateRulesForJoinedMembers, planRenewalOfMembers],
  'group.user_membership.remove': [assertSuperAdminRemains, recordLostApps, evaluateRulesForLeftMembers],
};

/** Adds the defaults that an org lacks if an older version created it. */
export async function completeOrg(tx: Tx, context: Context): Promise<void> {
  await createEveryone(tx, context);
  await createDefaultPolicies(tx, context);
  await createDefaultAuthorizationServer(tx, context);
  await planDefaultServerKey(tx, context);
}
