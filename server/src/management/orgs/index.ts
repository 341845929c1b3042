export { addDomain, addTrustedProxy, readCidr } from './add-address.ts';
export { readCustomDomain } from './addresses.ts';
export { orgCompletionJobs } from './complete-orgs.ts';
export { createOrg } from './create-org.ts';
export { findDefaultOrgId, findOrgIdBySubdomain, type OrgSummary } from './cross-org-store.ts';
export { beginOrgDeletion, eraseOrg, orgJobs } from './delete-org.ts';
export { createEdgeOrgs, type EdgeOrgs } from './edge-orgs.ts';
export { findOrgName } from './get-org.ts';
export { listOrgs } from './list-orgs.ts';
export type { OrgSettings } from './settings.ts';
export { checkStoredOrg } from './stored-org.ts';
export {
  changeOrgSettings,
  changeSettingsOfLockedOrg,
  findOrgSettings,
  lockOrgSettings,
  renameOrg,
} from './update-org.ts';
