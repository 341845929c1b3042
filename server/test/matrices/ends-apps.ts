import { good } from '../support/custom-servers.ts';
import { rulesSettled } from '../support/group-rules.ts';
import { userPath } from '../support/users.ts';
import { type Ending, lifecycle, remove } from './ends-ending.ts';
import type { EndsWorld } from './ends-world.ts';

const appPath = ({ app }: EndsWorld): string => `/api/v1/apps/${app.id}`;
const ofApp = (world: EndsWorld, ...actions: readonly string[]) => lifecycle(world, appPath(world), ...actions);

async function takeSecret(world: EndsWorld, ...actions: readonly ('deactivate' | 'delete')[]): Promise<void> {
  const secrets = `${appPath(world)}/credentials/secrets`;
  const [secret] = await good(world.org.admin.get(secrets));
  // An app's only active secret cannot be deactivated, so the app gets another one.
  await good(world.org.admin.post(secrets, { body: {} }));
  for (const action of actions) {
    if (action === 'delete') await remove(world, `${secrets}/${secret.id}`);
    else await lifecycle(world, `${secrets}/${secret.id}`, action);
  }
}

async function takeApiScope(world: EndsWorld): Promise<unknown> {
  const grants = `${appPath(world)}/grants`;
  const [grant] = await good(world.org.admin.get(grants));
  return remove(world, `${grants}/${grant.id}`);
}

export const APP_ENDINGS: readonly Ending[] = [
  {
    name: 'the app is deactivated',
    events: ['application.lifecycle.deactivate'],
    ends: ['app', 'appWatermark', 'appAccount'],
    apply: (world) => ofApp(world, 'deactivate'),
  },
  {
    name: 'the app is deactivated and activated',
    events: ['application.lifecycle.deactivate'],
    ends: ['appWatermark', 'appAccount'],
    apply: (world) => ofApp(world, 'deactivate', 'activate'),
  },
  {
    name: 'the app is deleted',
    events: ['application.lifecycle.delete'],
    ends: ['app', 'appAccount'],
    apply: async (world) => {
      await ofApp(world, 'deactivate');
      await remove(world, appPath(world));
    },
  },
  {
    name: 'the secret of the app is deactivated',
    events: ['app.oauth2.credentials.lifecycle.deactivate'],
    ends: ['secret'],
    apply: (world) => takeSecret(world, 'deactivate'),
  },
  {
    name: 'the secret of the app is deleted',
    events: ['app.oauth2.credentials.lifecycle.delete'],
    ends: ['secret'],
    apply: (world) => takeSecret(world, 'deactivate', 'delete'),
  },
  {
    name: 'a scope of the API is taken from the app',
    events: ['app.oauth2.admin.consent.revoke'],
    ends: ['apiScope', 'appWatermark'],
    apply: takeApiScope,
  },
  {
    name: 'the app is taken from the user',
    events: ['application.user_membership.remove'],
    ends: ['assignment'],
    apply: (world) => remove(world, `${appPath(world)}/users/${world.browser.userId}`),
  },
  {
    name: 'the user leaves the group that gave the app',
    by: 'group',
    events: ['group.user_membership.remove', 'application.user_membership.remove'],
    ends: ['assignment'],
    apply: (world) => remove(world, `/api/v1/groups/${world.groupId}/users/${world.browser.userId}`),
  },
  {
    name: 'the app is taken from the group',
    by: 'group',
    events: ['group.application_assignment.remove'],
    ends: ['assignment'],
    apply: (world) => remove(world, `${appPath(world)}/groups/${world.groupId}`),
  },
  {
    name: 'the group that gave the app is deleted',
    by: 'group',
    events: ['group.lifecycle.delete'],
    ends: ['assignment'],
    apply: (world) => remove(world, `/api/v1/groups/${world.groupId}`),
  },
  {
    name: 'the rule that gave the group is not true of the user any more',
    by: 'rule',
    events: ['group.user_membership.remove'],
    ends: ['assignment'],
    apply: ({ browser, org }) =>
      good(org.admin.post(userPath(browser.userId), { body: { profile: { department: 'another' } } })),
  },
  {
    name: 'the rule that gave the group is deleted, with its members',
    by: 'rule',
    events: ['group.user_membership.rule.delete', 'group.user_membership.remove'],
    ends: ['assignment'],
    apply: async (world) => {
      await lifecycle(world, `/api/v1/groups/rules/${world.ruleId}`, 'deactivate');
      await remove(world, `/api/v1/groups/rules/${world.ruleId}?removeUsers=true`);
      // A job removes the members from the group.
      await rulesSettled(world.service, world.org);
    },
  },
  {
    name: 'the rule that gave the group is deactivated: its members stay',
    by: 'rule',
    events: ['group.user_membership.rule.deactivated'],
    ends: [],
    apply: (world) => lifecycle(world, `/api/v1/groups/rules/${world.ruleId}`, 'deactivate'),
  },
];
