import { apiError, invalid } from './kernel/errors.ts';
import type { ConstraintErrors } from './platform/postgres/index.ts';

const inOrg = (field: string) => () =>
  invalid(field, `${field}: An object with this field already exists in the current organization`);

const everywhere = (field: string) => () => invalid(field, `${field}: Another org has it already`);

const alreadyAssigned = () => apiError('E0000090');

/** The answer to a violated constraint, by its name in the migrations; messages of the database are never parsed. */
export const CONSTRAINT_ERRORS: ConstraintErrors = {
  orgs_subdomain_key: everywhere('subdomain'),
  org_domains_pkey: everywhere('domain'),
  org_trusted_proxies_pkey: inOrg('cidr'),
  trusted_origins_name_key: inOrg('name'),
  trusted_origins_origin_key: inOrg('origin'),
  log_streams_name_key: inOrg('name'),
  network_zones_name_key: inOrg('name'),
  identity_providers_name_key: inOrg('name'),
  policies_name_key: inOrg('name'),
  policy_rules_name_key: inOrg('name'),
  user_types_name_key: inOrg('name'),
  users_login_key: inOrg('login'),
  user_role_assignments_pkey: alreadyAssigned,
  user_role_assignments_role_type_key: alreadyAssigned,
};
