export { appsOfGroup, appsOfUser, isAssigned } from './effective-store.ts';
export { endAssignmentsOfGroup } from './group-deletion.ts';
export {
  giveAppsBack,
  takeAppsAway,
  tellAppsOfEveryone,
  tellChangedNames,
  tellGainedApps,
  tellLostApps,
} from './reactions.ts';
export { wireAppUsersOf } from './wire-app-users.ts';
