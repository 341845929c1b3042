import { appGroup, appGroups, appUser, appUsers, bookmarkApp, passwordApp } from '../support/app-assignments.ts';
import { APPS, webApp } from '../support/apps.ts';
import { newBrowser } from '../support/authorization.ts';
import { groupPath, memberPath } from '../support/groups.ts';
import { userPath } from '../support/users.ts';
import type { Ask, Body, Use } from './asking.ts';
import { newGroup } from './use-group-routes.ts';
import { useSecondPages } from './use-org-routes.ts';
import { newUser } from './use-user-routes.ts';

async function useUsers(ask: Ask, app: Body): Promise<void> {
  const [user, other] = [await newUser(ask), await newUser(ask)];
  await ask('POST', appUsers(app), { id: user.id });
  for (const body of [{}, { credentials: { userName: 'put' } }]) await ask('PUT', appUser(app, other), body);
  await ask('GET', appUser(app, user));
  await ask('GET', `${appUsers(app)}?expand=user`);
  await ask('GET', `${appUsers(app)}?q=user`);
  const credentials = { userName: 'swept', password: { value: 'swept' } };
  await ask('POST', appUser(app, user), { credentials });
  await ask('POST', appUser(app, user), { credentials: { userName: null } });
  await ask('POST', userPath(user.id), { profile: { login: `renamed.${user.profile.login}` } });
  await ask('GET', `${userPath(user.id)}/appLinks`);
  await ask('GET', `${APPS}?filter=${encodeURIComponent(`user.id eq "${user.id}"`)}&expand=user/${user.id}`);
  await ask('DELETE', appUser(app, user));
  await ask('POST', `${userPath(other.id)}/lifecycle/deactivate`);
}

async function useMembers(ask: Ask, app: Body, group: Body): Promise<void> {
  const [user, another] = [await newUser(ask), await newUser(ask)];
  await ask('PUT', memberPath(group.id, user.id));
  await ask('POST', appUser(app, user), { profile: { nickname: 'swept' } });
  await ask('POST', appUser(app, user), { scope: 'USER' });
  await ask('DELETE', appUser(app, user));
  await ask('DELETE', memberPath(group.id, user.id));
  await ask('PUT', memberPath(group.id, another.id));
  for (const operation of ['deactivate', 'activate'])
    await ask('POST', `${userPath(another.id)}/lifecycle/${operation}`);
}

async function useGroups(ask: Ask, app: Body): Promise<void> {
  const [first, second] = [await newGroup(ask), await newGroup(ask)];
  const [everyone] = await ask('GET', '/api/v1/groups?q=Everyone');
  for (const group of [first, second, everyone]) await ask('PUT', appGroup(app, group), { priority: 0 });
  await ask('PUT', appGroup(app, first), { priority: 1, profile: { nickname: 'swept' } });
  await ask('PATCH', appGroup(app, first), [{ op: 'replace', path: '/profile/nickname', value: 'swept again' }]);
  await ask('GET', appGroup(app, first));
  await ask('GET', `${appGroups(app)}?expand=group`);
  await ask('GET', `${appGroups(app)}?q=Group`);
  await ask('GET', `${groupPath(first.id)}/apps`);
  await ask('GET', `${appUsers(app)}?q=a&limit=1`);
  await newUser(ask);
  await ask('DELETE', appGroup(app, everyone));
  await useMembers(ask, app, first);
  await ask('DELETE', appGroup(app, second));
  await ask('DELETE', groupPath(first.id));
}

async function useLaunch({ ask, org, service }: Use): Promise<void> {
  const app = await ask('POST', APPS, bookmarkApp());
  const { client, userId } = await newBrowser(service, org, null);
  await ask('POST', appUsers(app), { id: userId });
  await ask('GET', new URL(app._links.appLinks[0].href).pathname, undefined, { client });
}

export async function useAppAssignmentRoutes(use: Use): Promise<void> {
  const { ask } = use;
  const oidc = await ask('POST', APPS, webApp({}, {}, { label: 'With groups' }));
  const withPassword = await ask('POST', APPS, passwordApp({ label: 'With a password' }));
  const paged = await ask('POST', APPS, bookmarkApp({ label: 'With pages' }));
  await useUsers(ask, withPassword);
  await useGroups(ask, oidc);
  for (let made = 0; made < 2; made += 1) {
    await ask('POST', appUsers(paged), { id: (await newUser(ask)).id });
    await ask('PUT', appGroup(paged, await newGroup(ask)));
  }
  await useLaunch(use);
  await useSecondPages(use, [`${appUsers(paged)}?limit=1`, `${appGroups(paged)}?limit=1`]);
}
