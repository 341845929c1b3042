import { APPS, newPublicJwk } from '../support/apps.ts';
import {
  newClaim,
  newScope,
  newServer,
  newServerPolicy,
  newServerRule,
  SERVERS,
} from '../support/authorization-servers.ts';
import { createGroup } from '../support/groups.ts';
import { createPolicy, newSignOnRule, POLICIES } from '../support/policies.ts';
import { createCustomRole, createResourceSet, IAM_ROLES, RESOURCE_SETS } from '../support/roles.ts';
import { USER_TYPES } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { userPath } from '../support/users.ts';
import { type Body, below, bookmark, good, type ParentRace, service, user, web } from './parent-race.ts';

const CSR = { subject: { countryName: 'US', organizationName: 'Acme', commonName: 'SP' }, subjectAltNames: {} };
const ofApps: readonly ParentRace[] = [
  below(['app_users_app_id_fkey'], 'apps', bookmark, async ({ id }, org) => [
    'POST',
    `${APPS}/${id}/users`,
    { id: (await user(org)).id, scope: 'USER' },
  ]),
  below(['app_groups_app_id_fkey'], 'apps', bookmark, async ({ id }, org) => [
    'PUT',
    `${APPS}/${id}/groups/${(await createGroup(org)).id}`,
    {},
  ]),
  below(['app_secrets_app_id_fkey'], 'apps', web, async ({ id }) => ['POST', `${APPS}/${id}/credentials/secrets`, {}]),
  below(['app_keys_app_id_fkey'], 'apps', service, async ({ id }) => [
    'POST',
    `${APPS}/${id}/credentials/jwks`,
    newPublicJwk(`second-${id}`),
  ]),
  below(['app_grants_app_id_fkey'], 'apps', service, async ({ id }, org) => [
    'POST',
    `${APPS}/${id}/grants`,
    { issuer: org.baseUrl, scopeId: 'svc.users.read' },
  ]),
  below(['absent_user_approvals_app_id_fkey'], 'apps', service, async ({ id }) => [
    'POST',
    `${APPS}/${id}/absent-user-approvals`,
  ]),
  below(['client_role_assignments_client_id_fkey'], 'apps', service, async ({ id }) => [
    'POST',
    `/oauth2/v1/clients/${id}/roles`,
    { type: 'HELP_DESK_ADMIN' },
  ]),
  below(['app_csrs_app_id_fkey'], 'apps', bookmark, async ({ id }) => ['POST', `${APPS}/${id}/credentials/csrs`, CSR]),
  below(['app_signing_keys_app_id_fkey'], 'apps', bookmark, async ({ id }) => [
    'POST',
    `${APPS}/${id}/credentials/keys/generate?validityYears=2`,
  ]),
  below(['app_policies_app_id_fkey'], 'apps', web, async ({ id }, org) => [
    'PUT',
    `${APPS}/${id}/policies/${(await createPolicy(org, { type: 'ACCESS_POLICY' })).id}`,
  ]),
  below(['resource_set_resources_app_id_fkey'], 'apps', web, async ({ id }, org) => [
    'PATCH',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/resources`,
    { additions: [`${org.baseUrl}${APPS}/${id}`] },
  ]),
  below(['role_binding_members_member_client_id_fkey'], 'apps', service, async ({ id }, org) => [
    'POST',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/bindings`,
    { role: (await createCustomRole(org)).id, members: [`${org.baseUrl}/oauth2/v1/clients/${id}`] },
  ]),
  below(['role_targets_target_app_id_fkey'], 'apps', web, async ({ id }, org) => {
    const { id: holder } = await user(org);
    const role = await good(org.admin.post(`${userPath(holder)}/roles`, { body: { type: 'APP_ADMIN' } }));
    return ['PUT', `${userPath(holder)}/roles/${role.id}/targets/catalog/apps/oidc_client/${id}`];
  }),
];

const policy = (org: TestOrg): Promise<Body> => createPolicy(org);
const server = (org: TestOrg): Promise<Body> => good(org.admin.post(SERVERS, { body: newServer() }));
const set = (org: TestOrg): Promise<Body> => createResourceSet(org);
const role = (org: TestOrg): Promise<Body> => createCustomRole(org);
const serverPolicy = async (org: TestOrg): Promise<Body> => {
  const { id } = await server(org);
  const made = await good(org.admin.post(`${SERVERS}/${id}/policies`, { body: newServerPolicy() }));
  return { ...made, serverId: id };
};
let types = 0;
const ofOthers: readonly ParentRace[] = [
  below(['policy_rules_policy_id_fkey'], 'policies', policy, async ({ id }) => [
    'POST',
    `${POLICIES}/${id}/rules`,
    newSignOnRule(),
  ]),
  below(
    ['app_policies_policy_id_fkey'],
    'policies',
    (org) => createPolicy(org, { type: 'ACCESS_POLICY' }),
    async ({ id }, org) => ['PUT', `${APPS}/${(await web(org)).id}/policies/${id}`],
  ),
  below(['authorization_server_scopes_server_id_fkey'], 'authorization_servers', server, async ({ id }) => [
    'POST',
    `${SERVERS}/${id}/scopes`,
    newScope(),
  ]),
  below(['authorization_server_claims_server_id_fkey'], 'authorization_servers', server, async ({ id }) => [
    'POST',
    `${SERVERS}/${id}/claims`,
    newClaim(),
  ]),
  below(['authorization_server_policies_server_id_fkey'], 'authorization_servers', server, async ({ id }) => [
    'POST',
    `${SERVERS}/${id}/policies`,
    newServerPolicy(),
  ]),
  below(['authorization_server_rules_policy_id_fkey'], 'authorization_server_policies', serverPolicy, async (made) => [
    'POST',
    `${SERVERS}/${made.serverId}/policies/${made.id}/rules`,
    newServerRule(),
  ]),
  below(['signing_keys_custom_server_id_fkey'], 'authorization_servers', server, async ({ id }) => [
    'POST',
    `${SERVERS}/${id}/credentials/lifecycle/keyRotate`,
    { use: 'sig' },
  ]),
  below(['authorization_server_trusts_server_id_fkey'], 'authorization_servers', server, async ({ id }, org) => [
    'POST',
    `${SERVERS}/${id}/associatedServers`,
    { trusted: [(await server(org)).id] },
  ]),
  below(
    ['authorization_server_trusts_trusted_server_id_fkey'],
    'authorization_servers',
    server,
    async ({ id }, org) => ['POST', `${SERVERS}/${(await server(org)).id}/associatedServers`, { trusted: [id] }],
  ),
  below(['custom_role_permissions_role_id_fkey'], 'custom_roles', role, async ({ id }) => [
    'POST',
    `${IAM_ROLES}/${id}/permissions/svc.groups.read`,
    {},
  ]),
  below(['role_bindings_role_id_fkey'], 'custom_roles', role, async ({ id }, org) => [
    'POST',
    `${RESOURCE_SETS}/${(await set(org)).id}/bindings`,
    { role: id, members: [`${org.baseUrl}${userPath((await user(org)).id)}`] },
  ]),
  below(
    ['role_bindings_resource_set_id_fkey', 'role_binding_members_binding_fkey'],
    'resource_sets',
    set,
    async ({ id }, org) => [
      'POST',
      `${RESOURCE_SETS}/${id}/bindings`,
      { role: (await role(org)).id, members: [`${org.baseUrl}${userPath((await user(org)).id)}`] },
    ],
  ),
  below(['resource_set_resources_resource_set_id_fkey'], 'resource_sets', set, async ({ id }, org) => [
    'PATCH',
    `${RESOURCE_SETS}/${id}/resources`,
    { additions: [`${org.baseUrl}${userPath((await user(org)).id)}`] },
  ]),
  below(
    ['users_type_id_fkey'],
    'user_types',
    (org) => {
      types += 1;
      const name = `type${types}`;
      return good(org.admin.post(USER_TYPES, { body: { name, displayName: name } }));
    },
    async ({ id }) => {
      const login = `typed${types}@example.com`;
      const profile = { firstName: 'Typed', lastName: 'User', login, email: login };
      return ['POST', '/api/v1/users?activate=false', { profile, type: { id } }];
    },
  ),
];

export const RACES_OF_OBJECTS: readonly ParentRace[] = [...ofApps, ...ofOthers];
