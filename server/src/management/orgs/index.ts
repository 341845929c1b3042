export { addDomain, addTrustedProxy } from './add-address.ts';
export { createOrg } from './create-org.ts';
export { findOrgIdBySubdomain, type OrgSummary } from './cross-org-store.ts';
export { createEdgeOrgs, type EdgeOrgs } from './edge-orgs.ts';
export { findOrgName } from './get-org.ts';
export { listOrgs } from './list-orgs.ts';
export { changeOrgSettings, renameOrg } from './update-org.ts';
