import { GROUPS, groupPath, memberPath, newGroupName } from '../support/groups.ts';
import { newProfile } from '../support/service.ts';
import { userPath } from '../support/users.ts';
import type { Ask, Body, Use } from './asking.ts';
import { newUser } from './use-user-routes.ts';

export const newGroup = (ask: Ask): Promise<Body> =>
  ask('POST', GROUPS, { profile: { name: newGroupName(), description: 'swept' } });

async function useMembers(ask: Ask): Promise<void> {
  const [group, user, everyone] = [await newGroup(ask), await newUser(ask), await ask('GET', `${GROUPS}?q=Everyone`)];
  for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE', 'PUT']) await ask(method, memberPath(group.id, user.id));
  for (const { id } of [group, everyone[0]]) {
    const first = `${groupPath(id)}/users?limit=1`;
    await ask('GET', first);
    await ask('GET', `${groupPath(id)}/apps`);
  }
  await ask('GET', `${userPath(user.id)}/groups`);
  await ask('POST', '/api/v1/users?activate=false', { profile: newProfile(), groupIds: [group.id] });
  for (let times = 0; times < 2; times += 1) await ask('DELETE', userPath(user.id));
}

async function useOwners(ask: Ask): Promise<void> {
  const [group, owner, user] = [await newGroup(ask), await newGroup(ask), await newUser(ask)];
  const owners = `${groupPath(group.id)}/owners`;
  await ask('POST', owners, { id: owner.id, type: 'GROUP' });
  await ask('POST', owners, { id: user.id, type: 'USER' });
  await ask('GET', `${owners}?limit=1`);
  await ask('GET', `${owners}?search=${encodeURIComponent('type eq "USER"')}`);
  await ask('DELETE', `${owners}/${user.id}`);
}

const SEARCHES = [
  'profile.name sw "Group"',
  'profile.name co "rou" and not (profile.description eq "x")',
  'lastMembershipUpdated gt "2020-01-01T00:00:00.000Z"',
  'source.id pr or type eq "BUILT_IN"',
  'id gt "00g"',
];

async function useLists(ask: Ask): Promise<void> {
  for (const search of SEARCHES) {
    const query = `${GROUPS}?search=${encodeURIComponent(search)}`;
    await ask('GET', `${query}&limit=1`);
    await ask('GET', `${query}&sortBy=profile.description&sortOrder=desc`);
  }
  const filter = 'type eq "BUILT_IN" or lastUpdated gt "2020-01-01T00:00:00Z"';
  await ask('GET', `${GROUPS}?filter=${encodeURIComponent(filter)}`);
  await ask('GET', `${GROUPS}?q=Group&expand=stats,app`);
}

export async function useGroupRoutes({ ask }: Use): Promise<void> {
  const group = await newGroup(ask);
  await ask('GET', groupPath(group.id));
  await ask('PUT', groupPath(group.id), { profile: { name: newGroupName() } });
  await useMembers(ask);
  await useOwners(ask);
  await useLists(ask);
  await ask('DELETE', groupPath(group.id));
}
