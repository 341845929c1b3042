export { checkStoredAppGroup, checkStoredAppUser } from './check-stored.ts';
export { findMisnamed } from './cross-org-store.ts';
export {
  recordAppsOfNewUsers,
  recordChangedAppUserNames,
  recordGainedApps,
  recordLostApps,
  removeAppAssignments,
  restoreAppAssignments,
} from './events/reactions.ts';
export { type AppUserFacts, findAppUserFacts, lockAppUserFacts } from './events/token-facts.ts';
export { endAssignmentsOfGroup } from './groups/group-deletion.ts';
export {
  appsOfGroup,
  appsOfUser,
  assignedSinceOf,
  foreseeAppsOfEveryone,
  foreseeAppsOfUser,
} from './links/effective-store.ts';
export { listAppLinks } from './links/list-app-links.ts';
export { findSelfNamingApps } from './names/find-self-named.ts';
export { subjectByLogin } from './names/subject-names.ts';
export { wireAppUsersOf } from './users/wire-app-users.ts';
