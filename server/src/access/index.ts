export {
  type AdmissionPath,
  type AdmissionRefusal,
  type AppPath,
  admits,
  judgedNetworkOf,
  type Presence,
} from './admission.ts';
export { type Approval, approvesFor, isStanding } from './approver.ts';
export {
  type AttributeSight,
  attributeSight,
  conditionsOf,
  isOpenUnder,
  type Looker,
  WHOLE_SIGHT,
} from './attribute-sight.ts';
export { CONDITIONAL_PERMISSIONS, CUSTOM_PERMISSIONS } from './custom-permissions.ts';
export { decide, holdsEverything, lacksScope, mayActOn } from './decide.ts';
export { hiddenInExpression, hiddenInTemplate } from './expression-sight.ts';
export { hasGainedRights } from './gained-rights.ts';
export { appsWithin, coveredUsers, coversUser, groupsWithin, usersWithin } from './grant-store.ts';
export { covers, coversApp, coversGroup, grantOf } from './grants.ts';
export { assertHolds, EVERY_RESOURCE } from './guard.ts';
export {
  heldRoles,
  holdersAmong,
  holdsAnyRole,
  type RolesSince,
  rolesOfHolder,
  rolesSince,
} from './held-roles-store.ts';
export { holders } from './holder-store.ts';
export { type LinkMaker, linkMakerOf, mayStillMake } from './maker.ts';
export { sightOfOwner } from './owner-sight-store.ts';
export {
  isRoleType,
  PERMISSIONS,
  type Permission,
  ROLE_TYPES,
  ROLES,
  type RoleType,
  reachOf,
} from './permissions.ts';
export { isResourceKind, RESOURCE_KINDS, type ResourceKindName } from './resource-kinds.ts';
export { reachOfCustomPermission, reachOfRole } from './route-reach.ts';
