export { addDomain, addTrustedProxy, readCidr } from './addresses/add-address.ts';
export { readCustomDomain } from './addresses/addresses.ts';
export { createOrgDirectory, type OrgDirectory } from './addresses/org-directory.ts';
export type { OrgSettings } from './addresses/settings.ts';
export { orgCompletionJobs } from './changes/complete-orgs.ts';
export { createOrg } from './changes/create-org.ts';
export { beginOrgDeletion, eraseOrg, orgJobs } from './changes/delete-org.ts';
export {
  changeOrgSettings,
  changeSettingsOfLockedOrg,
  findOrgSettings,
  lockOrgSettings,
  renameOrg,
} from './changes/update-org.ts';
export { findDefaultOrgId, findOrgIdBySubdomain, type OrgSummary } from './cross-org-store.ts';
export { findOrgName } from './get-org.ts';
export { listOrgs } from './list-orgs.ts';
export { checkStoredOrg } from './stored-org.ts';
