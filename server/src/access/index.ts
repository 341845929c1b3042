export {
  type AdmissionPath,
  type AdmissionRefusal,
  type AppPath,
  admits,
  judgedNetworkOf,
  type Presence,
} from './admission.ts';
export { CONDITIONAL_PERMISSIONS, CUSTOM_PERMISSIONS } from './custom-permissions.ts';
export { decide, holdsEverything, lacksScope, mayActOn } from './decide.ts';
export { assertHolds, EVERY_RESOURCE } from './guard.ts';
export { hasGainedRights } from './holders/gained-rights.ts';
export { appsWithin, coveredUsers, coversUser, groupsWithin, usersWithin } from './holders/grant-store.ts';
export { covers, coversApp, coversGroup, grantOf } from './holders/grants.ts';
export {
  heldRoles,
  holdersAmong,
  holdsAnyRole,
  type RolesSince,
  rolesOfHolder,
  rolesSince,
} from './holders/held-roles-store.ts';
export { holders } from './holders/holder-store.ts';
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
export { type Approval, approvesFor, isStanding } from './sight/approver.ts';
export {
  type AttributeSight,
  attributeSight,
  conditionsOf,
  isOpenUnder,
  type Looker,
  WHOLE_SIGHT,
} from './sight/attribute-sight.ts';
export { hiddenInExpression, hiddenInTemplate } from './sight/expression-sight.ts';
export { type LinkMaker, linkMakerOf, mayStillMake } from './sight/maker.ts';
export { sightOfOwner } from './sight/owner-sight-store.ts';
