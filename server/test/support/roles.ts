import type { RoleType } from '../../src/access/index.ts';
import type { TestClient, TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

type Body = TestResponse['body'];

export const IAM_ROLES = '/api/v1/iam/roles';
export const RESOURCE_SETS = '/api/v1/iam/resource-sets';

let names = 0;
const newLabel = (noun: string): string => {
  names += 1;
  return `${noun} ${names}`;
};

async function made(response: Promise<TestResponse>): Promise<Body> {
  const { body, status, text } = await response;
  if (status >= 300) throw new Error(`it was not made: ${status} ${text}`);
  return body;
}

/** Creates a custom role. Each permission is given without the namespace word. The default is `users.read`. */
export const createCustomRole = (org: TestOrg, ...permissions: readonly string[]): Promise<Body> =>
  made(
    org.admin.post(IAM_ROLES, {
      body: {
        label: newLabel('Role'),
        description: 'made for a test',
        permissions: (permissions.length === 0 ? ['users.read'] : permissions).map((name) => `svc.${name}`),
      },
    }),
  );

export const createResourceSet = (org: TestOrg, ...paths: readonly string[]): Promise<Body> =>
  made(
    org.admin.post(RESOURCE_SETS, {
      body: {
        label: newLabel('Set'),
        description: 'made for a test',
        resources: (paths.length === 0 ? ['/api/v1/users'] : paths).map((path) => `${org.baseUrl}${path}`),
      },
    }),
  );

export interface BindingOptions {
  readonly permissions?: readonly string[];
  readonly paths?: readonly string[];
  readonly members?: readonly string[];
}

/** Binds a new role to a new resource set. Returns ids by the names of the path parameters. */
export async function bindRole(org: TestOrg, options: BindingOptions = {}): Promise<Record<string, string>> {
  const role = await createCustomRole(org, ...(options.permissions ?? []));
  const set = await createResourceSet(org, ...(options.paths ?? []));
  const bindings = `${RESOURCE_SETS}/${set.id}/bindings`;
  await made(org.admin.post(bindings, { body: { role: role.id, members: options.members ?? [] } }));
  const { members } = await made(org.admin.get(`${bindings}/${role.id}/members`));
  const { resources } = await made(org.admin.get(`${RESOURCE_SETS}/${set.id}/resources`));
  return {
    roleIdOrLabel: role.id,
    resourceSetIdOrLabel: set.id,
    resourceId: resources[0]?.id ?? '',
    memberId: members[0]?.id ?? '',
  };
}

export type Holder = TestClient & { readonly userId: string };

export async function withCustomRole(
  org: TestOrg,
  permissions: readonly string[],
  paths: readonly string[],
): Promise<Holder> {
  const holder = await org.withRoles();
  await bindRole(org, { permissions, paths, members: [`${org.baseUrl}/api/v1/users/${holder.userId}`] });
  return holder;
}

export const assign = (org: TestOrg, path: string, type: RoleType): Promise<Body> =>
  made(org.admin.post(`${path}/roles`, { body: { type } }));

/** Creates a user with a role that is narrowed to targets: group ids, or apps as `name` or `name/id`. */
export async function withTargets(
  org: TestOrg,
  type: RoleType,
  targets: { readonly groups?: readonly string[]; readonly apps?: readonly string[] },
): Promise<Holder> {
  const holder = await org.withRoles();
  const { id } = await assign(org, `/api/v1/users/${holder.userId}`, type);
  const role = `/api/v1/users/${holder.userId}/roles/${id}/targets`;
  for (const group of targets.groups ?? []) await made(org.admin.put(`${role}/groups/${group}`));
  for (const app of targets.apps ?? []) await made(org.admin.put(`${role}/catalog/apps/${app}`));
  return holder;
}
