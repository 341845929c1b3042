export { checkStoredAppGroup, checkStoredAppUser } from './check-stored.ts';
export { findMisnamed } from './cross-org-store.ts';
export { ASSIGNED_SINCE, appsOfGroup, appsOfUser, assignedSince } from './effective-store.ts';
export { findSelfNamingApps } from './find-self-named.ts';
export { endAssignmentsOfGroup } from './group-deletion.ts';
export { listAppLinks } from './list-app-links.ts';
export {
  giveAppsBack,
  takeAppsAway,
  tellAppsOfEveryone,
  tellChangedNames,
  tellGainedApps,
  tellLostApps,
} from './reactions.ts';
export { subjectByLogin } from './subject-names.ts';
export { type AppUserFacts, findAppUserFacts, holdAppUserFacts } from './token-facts.ts';
export { wireAppUsersOf } from './wire-app-users.ts';
