import { APPS } from '../support/apps.ts';
import { newRule, RULES } from '../support/group-rules.ts';
import { createGroup, groupPath } from '../support/groups.ts';
import { createCustomRole, createResourceSet, RESOURCE_SETS } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';
import { below, bookmark, good, type ParentRace, user } from './parent-race.ts';

const ofUsers: readonly ParentRace[] = [
  below(['user_role_assignments_user_id_fkey'], 'users', user, async ({ id }) => [
    'POST',
    `${userPath(id)}/roles`,
    { type: 'HELP_DESK_ADMIN' },
  ]),
  below(['user_password_history_user_id_fkey', 'user_sign_in_user_id_fkey'], 'users', user, async ({ id }) => [
    'POST',
    userPath(id),
    { credentials: { password: { value: 'Another-1-Horse' } } },
  ]),
  below(['user_factors_user_id_fkey'], 'users', user, async ({ id }) => [
    'POST',
    `${userPath(id)}/factors`,
    { factorType: 'token:software:totp', provider: 'GOOGLE' },
  ]),
  below(['user_recovery_tokens_user_id_fkey'], 'users', user, async ({ id }) => [
    'POST',
    `${userPath(id)}/lifecycle/reset_password?sendEmail=false`,
  ]),
  below(
    ['session_tokens_user_id_fkey', 'known_devices_user_id_fkey', 'authentication_transactions_user_id_fkey'],
    'users',
    user,
    async ({ profile }) => [
      'POST',
      '/api/v1/authn',
      { username: profile.login, password: CREDENTIALS.password.value, context: { deviceToken: 'a-device' } },
    ],
  ),
  below(['group_members_user_id_fkey'], 'users', user, async ({ id }, org) => [
    'PUT',
    `${groupPath((await createGroup(org)).id)}/users/${id}`,
  ]),
  below(['group_owners_owner_user_id_fkey'], 'users', user, async ({ id }, org) => [
    'POST',
    `${groupPath((await createGroup(org)).id)}/owners`,
    { id, type: 'USER' },
  ]),
  below(['app_users_user_id_fkey'], 'users', user, async ({ id }, org) => [
    'POST',
    `${APPS}/${(await bookmark(org)).id}/users`,
    { id, scope: 'USER' },
  ]),
  below(['resource_set_resources_user_id_fkey'], 'users', user, async ({ id }, org) => [
    'PATCH',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/resources`,
    { additions: [`${org.baseUrl}${userPath(id)}`] },
  ]),
  below(['role_binding_members_member_user_id_fkey'], 'users', user, async ({ id }, org) => [
    'POST',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/bindings`,
    { role: (await createCustomRole(org)).id, members: [`${org.baseUrl}${userPath(id)}`] },
  ]),
  below(['group_rule_exclusions_user_id_fkey'], 'users', user, async ({ id }, org) => {
    const rule = newRule([(await createGroup(org)).id]);
    const conditions = { ...(rule['conditions'] as object), people: { users: { exclude: [id] } } };
    return ['POST', RULES, { ...rule, conditions }];
  }),
  below(['sessions_user_id_fkey'], 'users', user, async ({ profile }, org) => {
    const given = { username: profile.login, password: CREDENTIALS.password.value };
    const { sessionToken } = await good(org.anonymous.post('/api/v1/authn', { body: given }));
    return ['POST', '/api/v1/sessions', { sessionToken }];
  }),
];

const LINKED = '/api/v1/meta/schemas/user/linkedObjects';
let definitions = 0;
async function definition(org: TestOrg): Promise<{ primary: string; associated: string }> {
  definitions += 1;
  const names = { primary: `primary${definitions}`, associated: `associated${definitions}` };
  const side = (name: string) => ({ name, title: name, description: name, type: 'USER' });
  await good(org.admin.post(LINKED, { body: { primary: side(names.primary), associated: side(names.associated) } }));
  return names;
}
/** `gone` names the deleted parent: one of the two users, or the definition that links them. */
const linked = (key: string, gone: 'associated' | 'primary' | 'definition'): ParentRace => ({
  keys: [key],
  prepare: async (org) => {
    const { primary } = await definition(org);
    const [associated, boss] = [await user(org), await user(org)];
    const send = () => org.admin.put(`${userPath(associated.id)}/linkedObjects/${primary}/${boss.id}`);
    if (gone === 'definition')
      return { parent: 'linked_object_definitions', id: primary, column: 'primary_name', send };
    return { parent: 'users', id: gone === 'primary' ? boss.id : associated.id, send };
  },
});

const ofGroups: readonly ParentRace[] = [
  below(['group_members_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'PUT',
    `${groupPath(id)}/users/${(await user(org)).id}`,
  ]),
  below(['group_owners_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'POST',
    `${groupPath(id)}/owners`,
    { id: (await user(org)).id, type: 'USER' },
  ]),
  below(['group_owners_owner_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'POST',
    `${groupPath((await createGroup(org)).id)}/owners`,
    { id, type: 'GROUP' },
  ]),
  below(['group_attribute_values_group_id_fkey'], 'groups', createGroup, async ({ id }) => [
    'PUT',
    groupPath(id),
    { profile: { name: `Renamed ${id}`, description: 'again' } },
  ]),
  below(['app_groups_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'PUT',
    `${APPS}/${(await bookmark(org)).id}/groups/${id}`,
    {},
  ]),
  below(['group_role_assignments_group_id_fkey'], 'groups', createGroup, async ({ id }) => [
    'POST',
    `${groupPath(id)}/roles`,
    { type: 'HELP_DESK_ADMIN' },
  ]),
  below(['role_targets_target_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => {
    const { id: holder } = await user(org);
    const role = await good(org.admin.post(`${userPath(holder)}/roles`, { body: { type: 'HELP_DESK_ADMIN' } }));
    return ['PUT', `${userPath(holder)}/roles/${role.id}/targets/groups/${id}`];
  }),
  below(['resource_set_resources_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'PATCH',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/resources`,
    { additions: [`${org.baseUrl}${groupPath(id)}`] },
  ]),
  below(['role_binding_members_member_group_id_fkey'], 'groups', createGroup, async ({ id }, org) => [
    'POST',
    `${RESOURCE_SETS}/${(await createResourceSet(org)).id}/bindings`,
    { role: (await createCustomRole(org)).id, members: [`${org.baseUrl}${groupPath(id)}`] },
  ]),
];

export const RACES_OF_PEOPLE: readonly ParentRace[] = [
  ...ofUsers,
  linked('linked_object_values_associated_id_fkey', 'associated'),
  linked('linked_object_values_primary_id_fkey', 'primary'),
  linked('linked_object_values_primary_name_fkey', 'definition'),
  ...ofGroups,
];
