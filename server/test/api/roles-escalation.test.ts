import { describe, expect, test } from 'vitest';
import { CUSTOM_PERMISSIONS, heldRoles, ROLE_TYPES, ROLES, type RoleType, reachOf } from '../../src/access/index.ts';
import type { HeldRole } from '../../src/kernel/words/held-role.ts';
import { createApp, newPublicJwk, serviceApp } from '../support/apps.ts';
import { newRule, RULES } from '../support/group-rules.ts';
import { addMember, createGroup, groupPath, memberPath } from '../support/groups.ts';
import {
  assign,
  bindRole,
  type Holder,
  IAM_ROLES,
  RESOURCE_SETS,
  withCustomRole,
  withTargets,
} from '../support/roles.ts';
import { newProfile } from '../support/service.ts';
import { newServiceClient, withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

// This file tries paths by which a holder of a role could gain more rights. Nobody may grant a right that they do not
// hold.

const { service, org } = useService();

const LESSER = ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN');
const CUSTOM = 'a custom role with every permission';
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

async function heldBy(id: string): Promise<unknown> {
  const text = `select role from jsonb_array_elements(${heldRoles('$2')}) as role order by role::text`;
  const { rows } = await service.database.pool.query<{ role: HeldRole }>(text, [org.id, id]);
  // PostgreSQL may return permissions and resources in any order.
  const inOrder = (resources: readonly object[]) => resources.map((one) => JSON.stringify(one)).toSorted();
  return rows.map(({ role: { custom, ...role } }) => ({
    ...role,
    permissions: custom === null ? null : inOrder(custom.permissions),
    resources: custom === null ? null : inOrder(custom.resources),
  }));
}

interface Path {
  readonly name: string;
  /** Roles that already hold everything that this path could give. */
  readonly givesNothingTo?: readonly string[];
  /** Tries to gain more rights and returns the responses to the requests that could give them. */
  readonly climb: (climber: Holder) => Promise<readonly { readonly status: number }[]>;
  /** The status of the refusal if the caller may perform the operation, but not with this body. */
  readonly orElse?: number;
}

const at = (path: string): string => `${org.baseUrl}${path}`;
const consent = (scopeId: string) => ({ body: { issuer: org.baseUrl, scopeId } });

const PATHS: readonly Path[] = [
  {
    name: 'a role for itself',
    climb: async (climber) => [
      await climber.post(`${userPath(climber.userId)}/roles`, { body: { type: 'SUPER_ADMIN' } }),
      await climber.post(`${userPath('me')}/roles`, { body: { type: 'ORG_ADMIN' } }),
    ],
  },
  {
    name: 'a role for its own group',
    climb: async (climber) => {
      const group = await createGroup(org);
      await addMember(org, group.id, climber.userId);
      return [await climber.post(`${groupPath(group.id)}/roles`, { body: { type: 'SUPER_ADMIN' } })];
    },
  },
  {
    name: 'a group that gives a role',
    climb: async (climber) => {
      const group = await createGroup(org);
      await assign(org, groupPath(group.id), 'SUPER_ADMIN');
      return [await climber.put(memberPath(group.id, climber.userId))];
    },
  },
  {
    name: 'a group that gives a custom role',
    givesNothingTo: ['ORG_ADMIN', CUSTOM],
    climb: async (climber) => {
      const group = await createGroup(org);
      await bindRole(org, {
        permissions: ['users.manage', 'groups.manage', 'apps.manage', 'policies.manage', 'iam.read'],
        paths: ['/api/v1/users', '/api/v1/groups', '/api/v1/apps', '/api/v1/policies', '/api/v1/iam'],
        members: [at(groupPath(group.id))],
      });
      return [await climber.put(memberPath(group.id, climber.userId))];
    },
  },
  {
    name: 'a new user in a group that gives a role',
    climb: async (climber) => {
      const group = await createGroup(org);
      await assign(org, groupPath(group.id), 'SUPER_ADMIN');
      const body = { profile: newProfile(), credentials: CREDENTIALS, groupIds: [group.id] };
      return [await climber.post('/api/v1/users', { body })];
    },
  },
  {
    name: 'a rule that fills a group with a role',
    orElse: 400,
    climb: async (climber) => {
      const group = await createGroup(org);
      await assign(org, groupPath(group.id), 'SUPER_ADMIN');
      return [await climber.post(RULES, { body: newRule([group.id], 'true') })];
    },
  },
  {
    name: 'a custom role and a binding for itself',
    climb: async (climber) => {
      const bound = await bindRole(org, { permissions: ['users.manage'] });
      const members = [at(userPath(climber.userId))];
      const binding = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/bindings`;
      return [
        await climber.post(IAM_ROLES, {
          body: { label: 'up', description: 'up', permissions: ['svc.users.manage'] },
        }),
        await climber.send('PATCH', `${binding}/${bound['roleIdOrLabel']}/members`, { body: { additions: members } }),
        await climber.post(`${userPath(climber.userId)}/roles`, {
          body: { type: 'CUSTOM', role: bound['roleIdOrLabel'], 'resource-set': bound['resourceSetIdOrLabel'] },
        }),
      ];
    },
  },
  {
    name: 'the client of a super administrator: its role, its key, its secret, its scopes',
    climb: async (climber) => {
      const app = await createApp(org, serviceApp());
      await assign(org, `/oauth2/v1/clients/${app.id}`, 'SUPER_ADMIN');
      const path = `/api/v1/apps/${app.id}`;
      return [
        await climber.post(`${path}/credentials/jwks`, { body: newPublicJwk('stolen') }),
        await climber.post(`${path}/credentials/secrets`, { body: {} }),
        await climber.post(`${path}/grants`, consent('svc.roles.manage')),
        await climber.put(path, { body: serviceApp({ jwks: { keys: [newPublicJwk('mine')] } }) }),
      ];
    },
  },
  {
    name: 'a role for its own client',
    climb: async (climber) => {
      const app = await createApp(org, serviceApp());
      const path = `/oauth2/v1/clients/${app.id}`;
      return [
        await climber.post(`${path}/roles`, { body: { type: 'SUPER_ADMIN' } }),
        await climber.post(`/api/v1/apps/${app.id}/grants`, consent('svc.roles.manage')),
      ];
    },
  },
  {
    name: 'the account of a super administrator',
    climb: async (climber) => {
      const target = await org.createUser({ credentials: CREDENTIALS });
      await assign(org, userPath(target.id), 'SUPER_ADMIN');
      const path = userPath(target.id);
      return [
        await climber.post(path, { body: { credentials: { password: { value: 'Correct-2-Horse' } } } }),
        await climber.post(`${path}/lifecycle/reset_password?sendEmail=false`),
        await climber.post(`${path}/lifecycle/expire_password_with_temp_password`),
        await climber.post(`${path}/credentials/forgot_password?sendEmail=false`),
        await climber.post(path, { body: { profile: { email: 'mine@example.com' } } }),
      ];
    },
  },
  {
    name: 'the account of somebody who is one by a group',
    climb: async (climber) => {
      const target = await org.createUser({ credentials: CREDENTIALS });
      const group = await createGroup(org);
      await assign(org, groupPath(group.id), 'SUPER_ADMIN');
      await addMember(org, group.id, target.id);
      return [await climber.post(`${userPath(target.id)}/lifecycle/reset_password?sendEmail=false`)];
    },
  },
  {
    name: 'the API token of a super administrator',
    climb: async (climber) => {
      const tokens = (await org.admin.get('/api/v1/api-tokens?limit=200')).body;
      const { id } = tokens.find((token: { userId: string }) => token.userId === org.adminUserId);
      return [
        await climber.put(`/api/v1/api-tokens/${id}`, { body: { name: 'mine' } }),
        await climber.del(`/api/v1/api-tokens/${id}`),
      ];
    },
  },
];

const EVERYTHING = ['users', 'groups', 'apps', 'idps', 'policies', 'iam'].map((name) => `/api/v1/${name}`);

describe.each([...LESSER, CUSTOM])('%s climbs by', (type) => {
  const paths = PATHS.filter(({ givesNothingTo = [] }) => !givesNothingTo.includes(type));

  test.each(paths)('$name: refused, and holds what it held', async ({ climb, orElse = 403 }) => {
    const climber =
      type === CUSTOM
        ? await withCustomRole(org, [...CUSTOM_PERMISSIONS.keys()], EVERYTHING)
        : await org.withRoles(type);
    const before = await heldBy(climber.userId);
    const tried = await climb(climber);
    for (const { status } of tried) expect([403, orElse]).toContain(status);
    expect(await heldBy(climber.userId)).toEqual(before);
  });
});

describe('a role with targets reaches no further by', () => {
  const TARGETED = ROLE_TYPES.filter((type) => ROLES[type].targets === 'groups');
  const changesMembers = TARGETED.filter((type) => reachOf(type, 'groups.members.manage', true) === 'targets');

  test.each(changesMembers)('%s: taking a stranger into its group', async (type) => {
    const [group, stranger] = [await createGroup(org), await org.createUser()];
    const admin = await withTargets(org, type, { groups: [group.id] });
    const added = await admin.put(memberPath(group.id, stranger.id));
    expect(added.status).toBe(reachOf(type, 'users.manage', true) === 'targets' ? 403 : 204);
    expect(await admin.post(`${userPath(stranger.id)}/lifecycle/suspend`)).toMatchObject(FORBIDDEN);
  });

  test('two roles together: one that places users and one that resets passwords', async () => {
    const [group, stranger] = [await createGroup(org), await org.createUser({ credentials: CREDENTIALS })];
    const admin = await withTargets(org, 'GROUP_MEMBERSHIP_ADMIN', { groups: [group.id] });
    const { id } = await assign(org, userPath(admin.userId), 'HELP_DESK_ADMIN');
    await org.admin.put(`${userPath(admin.userId)}/roles/${id}/targets/groups/${group.id}`);
    expect(await admin.put(memberPath(group.id, stranger.id))).toMatchObject(FORBIDDEN);
    expect(await admin.post(`${userPath(stranger.id)}/lifecycle/reset_password`)).toMatchObject(FORBIDDEN);
  });

  test.each(TARGETED)('%s: acting on one who holds the same everywhere', async (type) => {
    const group = await createGroup(org);
    const [wide, narrow] = [await org.withRoles(type), await withTargets(org, type, { groups: [group.id] })];
    for (const holder of [wide, narrow]) await addMember(org, group.id, holder.userId);
    const other = await withTargets(org, type, { groups: [group.id] });
    const act = (id: string) => other.post(`${userPath(id)}/lifecycle/expire_password`);
    expect(await act(wide.userId)).toMatchObject(FORBIDDEN);
    const mayExpire = reachOf(type, 'users.credentials.expire', true) === 'targets';
    expect((await act(narrow.userId)).status).toBe(mayExpire ? 200 : 403);
  });

  test('a custom role: taking a stranger into the group that its set names', async () => {
    const [group, stranger] = [await createGroup(org), await org.createUser()];
    const paths = [groupPath(group.id), `${groupPath(group.id)}/users`];
    const admin = await withCustomRole(org, ['groups.members.manage', 'users.manage'], paths);
    expect(await admin.put(memberPath(group.id, stranger.id))).toMatchObject(FORBIDDEN);
  });
});

describe('a token of a service app gets no scope that it lacks', () => {
  test('by granting it to its own client, or to one whose key it has', async () => {
    const scopes = ['appGrants.manage', 'apps.manage'];
    const { id } = await newServiceClient(service, org, { scopes: ['apps.read'] });
    const client = await withScopes(service, org, scopes, ['SUPER_ADMIN']);
    expect(await client.post(`/api/v1/apps/${id}/grants`, consent('svc.users.manage'))).toMatchObject(FORBIDDEN);
    expect(await client.post(`/api/v1/apps/${id}/grants`, consent('svc.apps.manage'))).toMatchObject({ status: 201 });
  });
});

test('a super administrator gives every role, and takes it', async () => {
  const types: readonly RoleType[] = ROLE_TYPES;
  const { id } = await org.createUser();
  for (const type of types) {
    const given = await assign(org, userPath(id), type);
    expect(await org.admin.del(`${userPath(id)}/roles/${given.id}`)).toMatchObject({ status: 204 });
  }
});
