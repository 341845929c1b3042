import { apiError, invalid } from '../kernel/errors/errors.ts';
import { taken } from '../kernel/errors/field-errors.ts';
import { type ConstraintErrors, FOREIGN_KEYS, type ParentTable } from '../platform/postgres/index.ts';

const inOrg = (field: string) => () => taken(field);

const inServer = (field: string) => () =>
  invalid(field, 'An object with this field already exists in the authorization server');

const everywhere = (field: string) => () => invalid(field, 'is in use by another org.');

/** The resource type that error messages show for each table that a foreign key references. */
const PARENTS: Readonly<Record<ParentTable, string>> = {
  apps: 'AppInstance',
  authorization_server_policies: 'AuthorizationServerPolicy',
  authorization_server_scopes: 'OAuth2Scope',
  authorization_servers: 'AuthorizationServer',
  client_ids: 'OAuth2AppInstance',
  client_role_assignments: 'RoleAssignment',
  custom_roles: 'CustomRole',
  group_role_assignments: 'RoleAssignment',
  group_rules: 'GroupRule',
  groups: 'UserGroup',
  linked_object_definitions: 'LinkedObject',
  log_sinks: 'LogStream',
  orgs: 'Organization',
  policies: 'Policy',
  refresh_tokens: 'OAuth2RefreshToken',
  resource_sets: 'ResourceSet',
  role_bindings: 'ResourceSetBinding',
  sessions: 'Session',
  theme_images: 'ThemeImage',
  user_imports: 'UserImport',
  user_role_assignments: 'RoleAssignment',
  user_types: 'UserType',
  users: 'User',
};

const deletedMeanwhile = (type: string) => () =>
  apiError('E0000007', { what: `Resource not found: it was deleted a moment ago (${type})` });

const FOREIGN_KEY_ERRORS: ConstraintErrors = Object.fromEntries(
  Object.entries(FOREIGN_KEYS).map(([name, parent]) => [name, deletedMeanwhile(PARENTS[parent])]),
);

const goneMeanwhile = (field: string) => () => invalid(field, 'names an object that has just been deleted.');

const alreadyAssigned = () => apiError('E0000090');

const linkedObjectTaken = () => apiError('E0000127', { reason: 'Linked object identifier is already in use.' });

export const CONSTRAINT_ERRORS: ConstraintErrors = {
  ...FOREIGN_KEY_ERRORS,
  orgs_subdomain_key: everywhere('subdomain'),
  org_domains_pkey: everywhere('domain'),
  org_trusted_proxies_pkey: inOrg('cidr'),
  apps_chosen_client_id_key: inOrg('credentials.oauthClient.client_id'),
  trusted_origins_name_key: inOrg('name'),
  trusted_origins_origin_key: inOrg('origin'),
  log_streams_name_key: inOrg('name'),
  network_zones_name_key: inOrg('name'),
  identity_providers_name_key: inOrg('name'),
  behaviors_name_key: inOrg('name'),
  policies_name_key: inOrg('name'),
  policy_rules_name_key: inOrg('name'),
  authorization_servers_name_key: inOrg('name'),
  authorization_server_scopes_name_key: inServer('name'),
  authorization_server_claims_name_key: inServer('name'),
  authorization_server_policies_name_key: inServer('name'),
  authorization_server_rules_name_key: inServer('name'),
  user_types_name_key: inOrg('name'),
  users_login_key: inOrg('login'),
  user_factors_factor_type_key: inOrg('factorType'),
  email_customizations_language_key: () => apiError('E0000183'),
  email_customizations_default_key: () => apiError('E0000182'),
  linked_object_names_pkey: linkedObjectTaken,
  linked_object_definitions_pkey: linkedObjectTaken,
  groups_name_key: inOrg('name'),
  group_rules_name_key: inOrg('name'),
  custom_roles_label_key: inOrg('label'),
  resource_sets_label_key: inOrg('label'),
  resource_set_resources_user_id_fkey: goneMeanwhile('resources'),
  resource_set_resources_group_id_fkey: goneMeanwhile('resources'),
  resource_set_resources_app_id_fkey: goneMeanwhile('resources'),
  role_bindings_role_id_fkey: goneMeanwhile('role'),
  role_binding_members_binding_fkey: goneMeanwhile('role'),
  role_targets_target_group_id_fkey: goneMeanwhile('target'),
  role_targets_target_app_id_fkey: goneMeanwhile('target'),
  user_role_assignments_pkey: alreadyAssigned,
  user_role_assignments_role_type_key: alreadyAssigned,
};
