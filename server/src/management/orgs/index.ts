export { addDomain, addTrustedProxy } from './add-address.ts';
export { type CreateOrgInput, createOrg } from './create-org.ts';
export { findOrgIdBySubdomain, type OrgSummary } from './cross-org-store.ts';
export { createEdgeOrgs, type EdgeOrgs } from './edge-orgs.ts';
export { listOrgs } from './list-orgs.ts';
export { DEFAULT_ORG_SETTINGS, type OrgSettings } from './settings.ts';
export { changeOrgSettings, renameOrg } from './update-org.ts';
