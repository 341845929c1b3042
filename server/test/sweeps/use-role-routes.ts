import { APPS, serviceApp } from '../support/apps.ts';
import type { Ask, Body, Use } from './asking.ts';
import { newUser } from './use-user-routes.ts';

const PROFILE = 'svc:ResourceAttribute/User/Profile';

const newGroup = (ask: Ask, name: string): Promise<Body> => ask('POST', '/api/v1/groups', { profile: { name } });

async function useAssignments(ask: Ask, path: string, groups: readonly Body[], app: Body): Promise<void> {
  const roles = `${path}/roles`;
  const desk = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' });
  const apps = await ask('POST', roles, { type: 'APP_ADMIN' });
  for (const group of groups) await ask('PUT', `${roles}/${desk.id}/targets/groups/${group.id}`);
  await ask('GET', `${roles}/${desk.id}/targets/groups`);
  await ask('GET', `${roles}/${desk.id}/targets/groups?limit=1`);
  await ask('GET', `${roles}?expand=targets/groups`);
  await ask('DELETE', `${roles}/${desk.id}/targets/groups/${groups[0].id}`);
  const catalog = `${roles}/${apps.id}/targets/catalog/apps`;
  await ask('PUT', `${catalog}/oidc_client/${app.id}`);
  await ask('PUT', `${catalog}/bookmark`);
  await ask('GET', catalog);
  await ask('GET', `${roles}?expand=targets/catalog/apps`);
  await ask('DELETE', `${catalog}/oidc_client/${app.id}`);
  await ask('PUT', `${catalog}/oidc_client/${app.id}`);
  await ask('PUT', `${catalog}/oidc_client`);
  await ask('DELETE', `${catalog}/bookmark`);
  await ask('GET', roles);
  await ask('GET', `${roles}/${desk.id}`);
  await ask('DELETE', `${roles}/${desk.id}`);
}

async function useUserRoles(ask: Ask, path: string): Promise<void> {
  const roles = `${path}/roles`;
  const apps = (await ask('GET', roles)).find(({ type }: { type: string }) => type === 'APP_ADMIN');
  await ask('GET', `${roles}/APP_ADMIN/targets?assignmentType=USER`);
  await ask('PUT', `${roles}/${apps.id}/targets/catalog/apps`);
  await ask('GET', `${roles}/${apps.id}/governance`);
}

async function useCustomRoles(ask: Ask): Promise<Body> {
  const roles = '/api/v1/iam/roles';
  const role = await ask('POST', roles, { label: 'Used', description: 'used', permissions: ['svc.users.read'] });
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('PUT', `${roles}/${role.id}`, { label: 'Used again', description: 'used' });
  const permissions = `${roles}/${role.id}/permissions`;
  await ask('POST', `${permissions}/svc.users.manage`, { conditions: { include: { [PROFILE]: ['city'] } } });
  await ask('POST', `${permissions}/svc.users.manage`, { conditions: { include: { [PROFILE]: ['title'] } } });
  await ask('PUT', `${permissions}/svc.users.manage`, {});
  await ask('GET', permissions);
  await ask('GET', `${permissions}/svc.users.manage`);
  await ask('DELETE', `${permissions}/svc.users.manage`);
  const spare = await ask('POST', roles, { label: 'Spare', description: 's', permissions: ['svc.apps.read'] });
  await ask('DELETE', `${roles}/${spare.id}`);
  return role;
}

async function useResourceSets({ ask, org }: Use, group: Body, user: Body): Promise<Body> {
  const sets = '/api/v1/iam/resource-sets';
  const at = (path: string): string => `${org.baseUrl}${path}`;
  const set = await ask('POST', sets, { label: 'Used', description: 'used', resources: [at('/api/v1/users')] });
  await ask('GET', sets);
  await ask('GET', `${sets}/${set.id}`);
  await ask('PUT', `${sets}/${set.id}`, { label: 'Used again' });
  const resources = `${sets}/${set.id}/resources`;
  const added = await ask('POST', resources, { resourceOrnOrUrl: at('/api/v1/apps'), conditions: {} });
  const additions = [at(`/api/v1/groups/${group.id}`), at(`/api/v1/users/${user.id}`)];
  await ask('PATCH', resources, { additions });
  await ask('GET', resources);
  await ask('GET', `${resources}?limit=1`);
  await ask('GET', `${resources}/${added.id}`);
  const conditions = { Exclude: { 'svc:ORN': [`orn:svc:idp:${org.id}:apps:bookmark`] } };
  await ask('PUT', `${resources}/${added.id}`, { conditions });
  await ask('DELETE', `${resources}/${added.id}`);
  const spare = await ask('POST', sets, { label: 'Spare', description: 's', resources: [at('/api/v1/groups')] });
  await ask('DELETE', `${sets}/${spare.id}`);
  return set;
}

async function useBindings({ ask, org }: Use, role: Body, set: Body, holders: readonly string[]): Promise<void> {
  const bindings = `/api/v1/iam/resource-sets/${set.id}/bindings`;
  const [first = '', ...others] = holders.map((path) => `${org.baseUrl}${path}`);
  await ask('POST', bindings, { role: role.id, members: [first] });
  await ask('GET', bindings);
  await ask('GET', `${bindings}/${role.id}`);
  const members = `${bindings}/${role.id}/members`;
  await ask('PATCH', members, { additions: others });
  const listed = (await ask('GET', members)).members;
  await ask('GET', `${members}/${listed[0].id}`);
  await ask('DELETE', `${members}/${listed[0].id}`);
  for (const path of holders) await ask('GET', `${path}/roles`);
  await ask('DELETE', `${bindings}/${role.id}`);
}

async function useCustomAssignments(ask: Ask, role: Body, set: Body, holders: readonly string[]): Promise<void> {
  for (const path of holders) {
    const body = { type: 'CUSTOM', role: role.id, 'resource-set': set.id };
    const { id } = await ask('POST', `${path}/roles`, body);
    await ask('DELETE', `${path}/roles/${id}`);
  }
}

async function useNetworks({ ask, org, service }: Use): Promise<void> {
  const owner = await org.withRoles('READ_ONLY_ADMIN');
  const zone = { type: 'IP', name: 'tokens', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] };
  const { id: zoneId } = await ask('POST', '/api/v1/zones', zone);
  const tokens = await ask('GET', '/api/v1/api-tokens');
  const token = tokens.find(({ userId }: { userId: string }) => userId === owner.userId);
  await ask('PUT', `/api/v1/api-tokens/${token.id}`, { network: { connection: 'ZONE', include: [zoneId] } });
  await owner.get('/api/v1/zones');
  await service.application.edgeEvents.flush(true);
}

export async function useRoleRoutes(use: Use): Promise<void> {
  const { ask, org } = use;
  const groups = [await newGroup(ask, 'used by roles'), await newGroup(ask, 'used by roles too')];
  const bearing = await newGroup(ask, 'bearing roles');
  const [user, app, client] = [
    await newUser(ask),
    await ask('POST', APPS, serviceApp()),
    await ask('POST', APPS, serviceApp()),
  ];
  const paths = [`/api/v1/users/${user.id}`, `/api/v1/groups/${bearing.id}`, `/oauth2/v1/clients/${client.id}`];
  for (const path of paths) await useAssignments(ask, path, groups, app);
  await useUserRoles(ask, paths[0] ?? '');
  const role = await useCustomRoles(ask);
  const set = await useResourceSets(use, groups[0], user);
  await useBindings(use, role, set, paths);
  await useCustomAssignments(ask, role, set, paths);
  await ask('GET', '/api/v1/iam/assignees/users');
  const page = await org.admin.get('/api/v1/iam/assignees/users?limit=1');
  const next = new URL(page.body._links.next.href);
  await ask('GET', next.pathname + next.search);
  const scoped = await ask('POST', `${paths[0]}/roles`, { type: 'CUSTOM', role: role.id, 'resource-set': set.id });
  await ask('GET', `${paths[0]}/roles/${scoped.id}`);
  await ask('PUT', `/api/v1/groups/${bearing.id}/users/${user.id}`);
  await ask('GET', `${paths[0]}/roles`);
  await ask('DELETE', `/api/v1/groups/${bearing.id}`);
  await useNetworks(use);
}
